/** The exit codes and signals of SPEC §1 as a table, through pipes and on a terminal. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { hallpass, hallpassFor, hallpassOnTerminal } from "../support/hallpass.ts";
import { makePlaces, type Places } from "../support/places.ts";
import { isAlive, waitFor } from "../support/wait.ts";

let places: Places;
beforeAll(() => {
  places = makePlaces();
  writeFileSync(`${places.project}/not-executable`, "#!/bin/sh\nexit 0\n", { mode: 0o644 });
  writeFileSync(`${places.project}/no-interpreter`, "#!/no/such/interpreter\n", { mode: 0o755 });
  writeFileSync(`${places.project}/fine`, "#!/bin/sh\nexit 9\n");
  chmodSync(`${places.project}/fine`, 0o755);
});
afterAll(() => places[Symbol.dispose]());

const COMMANDS: [what: string, command: string[], status: number][] = [
  ...[0, 1, 2, 42, 124, 125, 126, 127, 128, 255].map((code): [string, string[], number] => [
    `exit ${code}`,
    ["sh", "-c", `exit ${code}`],
    code,
  ]),
  ...(
    [
      "SIGHUP",
      "SIGINT",
      "SIGQUIT",
      "SIGABRT",
      "SIGKILL",
      "SIGSEGV",
      "SIGPIPE",
      "SIGTERM",
      "SIGUSR1",
      "SIGXCPU",
    ] as const
  ).map((name): [string, string[], number] => [
    `death by ${name}`,
    ["sh", "-c", `ulimit -c 0; kill -${constants.signals[name]} $$; sleep 5`],
    128 + constants.signals[name],
  ]),
  ["a program that is nowhere in $PATH", ["no-such-program-anywhere"], 127],
  ["a path that is not there", ["/no/such/program"], 127],
  ["a file that is not executable", ["./not-executable"], 126],
  ["a folder", ["/tmp"], 126],
  ["a script whose interpreter is not there", ["./no-interpreter"], 126],
  ["a script of the project", ["./fine"], 9],
];

describe.each(COMMANDS)("%s", (_, command, status) => {
  test("through pipes gives its status and nothing on stdout", async () => {
    const ended = await hallpass(places, ["--prompt=deny", "--", ...command]);
    expect({ status: ended.status, stdout: ended.stdout }).toEqual({ status, stdout: "" });
    if (status === 127 && command[0] !== "sh") expect(ended.stderr).toMatch(/^hallpass: .*not found.*\n$/);
  });

  test("on a terminal gives its status", async () => {
    await using program = hallpassOnTerminal(places, ["--prompt=deny", "--", ...command]);
    expect(await program.exited).toBe(status);
  });
});

test.each([
  [["--no-such-flag"], 2, /^hallpass: hallpass has no flag --no-such-flag/],
  [["--prompt=dney", "--", "true"], 2, /did you mean deny\?/],
  [["--rule", "allow everything", "--", "true"], 2, /expected write, exec, connect or read/],
  [["--rules", "/no/such/file", "--", "true"], 125, /\/no\/such\/file/],
  [["--log=/no/such/folder/log", "--", "true"], 125, /--log=FILE/],
])("%j starts nothing, says why in one line and exits %d", async (args, status, message) => {
  const ended = await hallpass(places, ["--prompt=deny", ...args]);
  expect(ended).toMatchObject({ status, stdout: "" });
  expect(ended.stderr).toMatch(message);
  expect(ended.stderr.trimEnd().split("\n")).toHaveLength(1);
});

/** Starts a program that says "up" when it runs, and returns hallpass once it has. */
async function started(script: string): Promise<Bun.Subprocess<"ignore", "pipe", "pipe">> {
  const child = Bun.spawn([...hallpassFor(), "--prompt=deny", "--", "sh", "-c", script], {
    cwd: places.project,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const reader = child.stdout.getReader();
  await reader.read();
  reader.releaseLock();
  return child;
}

test.each([
  ["SIGTERM", "trap 'exit 5' TERM", 5],
  ["SIGINT", "trap 'exit 6' INT", 6],
  ["SIGHUP", "trap 'exit 7' HUP", 7],
  ["SIGTERM", ":", 143],
] as const)("%s to hallpass reaches a program with %j, whose status is returned", async (signal, trap, status) => {
  await using child = await started(`${trap}; echo up; while :; do sleep 0.05; done`);
  child.kill(signal);
  expect(await child.exited).toBe(status);
});

test("kill -9 of hallpass ends everything in the sandbox within two seconds", async () => {
  await using child = await started("sleep 60 & setsid sleep 60 & echo $! > pid; echo up; wait");
  const daemon = Number(await Bun.file(`${places.project}/pid`).text());
  expect(await isAlive(daemon)).toBe(true);
  child.kill("SIGKILL");
  await waitFor("the end of the daemon", async () => !(await isAlive(daemon)), 2000);
});

test("what CMD leaves behind is counted on stderr, and its late writes go nowhere", async () => {
  const script = `(sleep 1; echo late > ${places.project}/late; echo late > ${places.outside}/late; : > ${places.project}/../done) > /dev/null 2>&1 & exit 3`;
  const ended = await hallpass(places, ["--prompt=allow", "--", "sh", "-c", script]);
  expect(ended).toMatchObject({ status: 3, stdout: "" });
  expect(ended.stderr).toMatch(/1 process.*--wait=all/);
});

test("--wait=all returns CMD's status when the last process has ended", async () => {
  const ended = await hallpass(places, [
    "--prompt=deny",
    "--wait=all",
    "--",
    "sh",
    "-c",
    "(sleep 0.5; echo late > late-wait) & exit 5",
  ]);
  expect(ended.status).toBe(5);
  expect(await Bun.file(`${places.project}/late-wait`).text()).toBe("late\n");
});
