/** The relay without a session behind it (driver.ts): what no request is needed for. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { TerminalProgram } from "../support/terminal.ts";
import { waitFor } from "../support/wait.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync("/var/tmp/hallpass-relay-");
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const answers = (): string => join(folder, "answers");
const said = (): string => (existsSync(answers()) ? readFileSync(answers(), "utf8") : "");

function drive(command: readonly string[]): TerminalProgram {
  const env = { ...process.env, RELAY_REQUESTS: join(folder, "requests"), RELAY_ANSWERS: answers() } as Record<
    string,
    string
  >;
  return new TerminalProgram([process.execPath, join(import.meta.dir, "driver.ts"), ...command], { cwd: folder, env });
}

/** Shows what it is typed, control characters as `cat -v` has them. */
const SHOW_KEYS = ["sh", "-c", "stty raw -echo; printf 'ready:'; exec cat -v"];

test.each([
  ["the plain byte", "\x1d"],
  ["kitty's spelling", "\x1b[93;5u"],
  ["kitty's spelling with num lock", "\x1b[93;133u"],
  ["modifyOtherKeys", "\x1b[27;5;93~"],
])("Ctrl-] once asks for the full screen: %s", async (_name, key) => {
  await using terminal = drive(SHOW_KEYS);
  await terminal.shows("ready");
  terminal.type(`a${key}`);
  await waitFor("the full screen", () => said().includes("full-screen"));
  terminal.type("b");
  await terminal.shows("ready:ab");
});

test.each(["\x1d", "\x1b[93;5u"])("Ctrl-] twice is one for the program: %j", async (key) => {
  await using terminal = drive(SHOW_KEYS);
  await terminal.shows("ready");
  terminal.type(key);
  terminal.type(key);
  terminal.type("b");
  await terminal.shows(`ready:${key === "\x1d" ? "^]" : "^[[93;5u"}b`);
  expect(said()).toBe("");
});

test("Ctrl-] in a paste is text", async () => {
  await using terminal = drive(SHOW_KEYS);
  await terminal.shows("ready");
  terminal.type("\x1b[200~\x1d\x1b[201~z");
  await terminal.shows("^[[200~^]^[[201~z");
  await Bun.sleep(400);
  expect(said()).toBe("");
});

test("every other key goes through at once and to the byte", async () => {
  const keys =
    "\x1b[A\x1bOA\x1b[1;5C\x1b[<0;1;1M\x1b[200~p\x1b[201~\x1b[97;5u漢\x00\x01\x7f\x1b\x1b[I\x1b]11;x\x07\x1b[M !!end";
  await using terminal = drive([
    "sh",
    "-c",
    `stty raw -echo; printf ready; head -c ${Buffer.byteLength(keys)} >keys; printf over`,
  ]);
  await terminal.shows("ready");
  terminal.type(keys);
  await terminal.shows("over");
  expect(readFileSync(join(folder, "keys"), "utf8")).toBe(keys);
});

test("a lone Esc does not wait for more", async () => {
  await using terminal = drive(["sh", "-c", "stty raw -echo; printf ready; head -c 1 >key; date +%s%N >at"]);
  await terminal.shows("ready");
  const typed = Date.now();
  terminal.type("\x1b");
  const at = await waitFor(
    "the key",
    () => existsSync(join(folder, "at")) && readFileSync(join(folder, "at"), "utf8").trim(),
  );
  expect(Number(at) / 1e6 - typed).toBeLessThan(150);
});

test("the window closed under the program: it hears of it, and the relay ends without burning the CPU", async () => {
  const terminal = drive([
    "sh",
    "-c",
    `trap 'echo gone >${folder}/heard; exit' HUP; echo ready; while :; do sleep 0.1; done`,
  ]);
  await terminal.shows("ready");
  terminal.close();
  expect(await terminal.exited).toBe(129);
  await waitFor("SIGHUP inside", () => existsSync(join(folder, "heard")));
});

test("requests come and go as the session says, and answers reach it", async () => {
  const request = (id: number): string =>
    JSON.stringify({
      id,
      call: {
        category: "write",
        operation: "create",
        target: `/t/${id}`,
        syscall: "openat",
        tid: 1,
        pid: 1,
        exe: "/bin/x",
        warnings: [],
      },
      by: [],
      wider: [],
      widerIndex: 0,
      since: Date.now(),
      count: 1,
    });
  const session = (...ids: number[]): void => {
    writeFileSync(join(folder, "requests"), ids.map((id) => `${request(id)}\n`).join(""));
    terminal.kill("SIGUSR1");
  };
  await using terminal = drive(["sh", "-c", "echo ready; sleep 60"]);
  await terminal.shows("ready");
  session(1, 2, 3);
  await terminal.shows("1 of 3");
  session(2, 3);
  await terminal.shows("1 of 2");
  expect(terminal.text()).toContain("/t/2");
  await Bun.sleep(600);
  terminal.type("\x1b[C");
  await terminal.shows("2 of 2");
  await Bun.sleep(600);
  terminal.type("d");
  await waitFor("the answer", () => said().includes('{"request":3,"kind":"deny"}'));
  await terminal.shows("/t/2");
  session();
  await waitFor("the bar is gone", async () => {
    await terminal.settled();
    return terminal.rows().filter(Boolean).join() === "ready";
  });
});

test("a notice shows itself without a question, and keys go on to the program", async () => {
  await using terminal = drive(SHOW_KEYS);
  await terminal.shows("ready");
  terminal.kill("SIGUSR2");
  await terminal.shows("a notice");
  terminal.type("od");
  await terminal.shows("ready:od");
  await waitFor("the notice is gone", async () => {
    await terminal.settled();
    return terminal.rows().filter(Boolean).join() === "ready:od";
  });
});
