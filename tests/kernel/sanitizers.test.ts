/** The C of the shim, the launcher and the starter under AddressSanitizer and UndefinedBehaviorSanitizer. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tree } from "../support/tree.ts";
import { isAlive, waitFor } from "../support/wait.ts";
import { Driven } from "./support/driven.ts";

const built = (name: string): string => join(tree, "build", "test", name);
const scratch = mkdtempSync("/var/tmp/hallpass-sanitize-");
const launcher = built("launcher.asan");
let driven: Driven;

beforeAll(() => {
  const made = Bun.spawnSync(["make", "-s", "--no-print-directory", "sanitize"], { cwd: tree });
  if (made.exitCode !== 0) throw new Error(made.stderr.toString());
  driven = new Driven(undefined, built("hallpass.asan"));
}, 120_000);

afterAll(() => {
  driven[Symbol.dispose]();
  rmSync(scratch, { recursive: true, force: true });
});

test("every function of the shim, at its edges", () => {
  const { exitCode, stdout, stderr } = Bun.spawnSync([built("shim_test"), scratch]);
  expect(stderr.toString()).toBe("");
  expect(stdout.toString()).toBe("0 failures\n");
  expect(exitCode).toBe(0);
});

test("a launch with a fence, many arguments, leftovers and their end", async () => {
  const many = Array.from({ length: 2000 }, (_, i) => `argument-${i}`);
  const script = "echo $#; (setsid sleep 0.2 &); sleep 0.1 & (: >made); exit 6";
  const { status, stdout, events } = await driven.run({
    command: ["/bin/sh", "-c", script, "sh", ...many],
    fence: [{ path: driven.scratch, rights: "tree" }],
    refuse: { openat: 13 },
    waitAll: true,
    launcher,
  });
  expect(stdout).toBe("2000\n");
  expect(status).toBe(6);
  expect(events.at(-1)).toMatchObject({ event: "gone" });
});

test("a launch that fails, and a script that is the shell's", async () => {
  expect((await driven.run({ command: ["/nowhere"], launcher })).status).toBe(127);
  const script = join(driven.scratch, "script");
  writeFileSync(script, "echo ran $1\n", { mode: 0o755 });
  expect((await driven.run({ command: [script, "it"], launcher })).stdout).toBe("ran it\n");
});

for (const scope of [true, false]) {
  test(`hallpass lost ${scope ? "with" : "without"} a scope for signals`, async () => {
    const script = "(setsid sleep 1000 &); sh -c 'sleep 1000 & sleep 1000' & echo up; sleep 1000";
    const child = driven.spawn({ command: ["/bin/sh", "-c", script], scope, launcher });
    await child.stdout.getReader().read();
    const { launcherPid, pid } = (await driven.event("launched")) as unknown as { launcherPid: number; pid: number };
    child.kill("SIGKILL");
    await waitFor("the launcher's end", async () => !(await isAlive(launcherPid)), 4000);
    expect(await isAlive(pid)).toBe(false);
  });
}
