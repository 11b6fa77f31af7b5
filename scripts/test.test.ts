/** The suite runner's promises: a last line of counts, and failure where nothing ran, a test failed or a skip has no excuse. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let copy = "";

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "hallpass-runner-"));
  mkdirSync(join(copy, "scripts"));
  mkdirSync(join(copy, "tests", "contract"), { recursive: true });
  for (const file of ["test.ts", "suites.ts", "junit.ts"])
    cpSync(join(import.meta.dir, file), join(copy, "scripts", file));
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

function runWith(body: string, mustWork = "0"): { status: number; lastLine: string | undefined } {
  writeFileSync(join(copy, "tests/contract/a.test.ts"), `import { expect, test } from "bun:test";\n${body}\n`);
  const { exitCode, stdout } = Bun.spawnSync([process.execPath, "scripts/test.ts", "contract"], {
    cwd: copy,
    env: { ...process.env, HALLPASS_MUST_WORK: mustWork },
    stdin: "ignore",
    stderr: "ignore",
  });
  return { status: exitCode, lastLine: stdout.toString().trimEnd().split("\n").at(-1) };
}

const PASS = 'test("passes", () => {});';

test("passes when all tests pass", () => {
  expect(runWith(PASS)).toEqual({ status: 0, lastLine: "1 passed, 0 failed, 0 skipped" });
});

test("fails when a test fails", () => {
  const failing = 'test("fails", () => expect(1).toBe(2));';
  expect(runWith(PASS + failing)).toEqual({ status: 1, lastLine: "1 passed, 1 failed, 0 skipped" });
});

test("fails when a file cannot be loaded", () => {
  expect(runWith('import "./not-there.ts";').status).toBe(1);
});

test("fails when the test process dies", () => {
  expect(runWith('test("dies", () => process.kill(process.pid, "SIGKILL"));').status).toBe(1);
});

test("fails when no test ran", () => {
  expect(runWith("expect(1).toBe(1);").status).toBe(1);
});

test("counts a skip, and takes it for a failure where everything must work", () => {
  const skip = 'test.skip("needs a moon [skipped: needs a moon]", () => {});';
  expect(runWith(PASS + skip)).toEqual({ status: 0, lastLine: "1 passed, 0 failed, 1 skipped" });
  expect(runWith(PASS + skip, "1")).toEqual({ status: 1, lastLine: "1 passed, 1 failed, 0 skipped" });
});

test("excuses what only another kernel could bring, even where everything must work", () => {
  const skip = 'test.skip("loads [skipped, kernel: no BPF LSM]", () => {});';
  expect(runWith(PASS + skip, "1")).toEqual({ status: 0, lastLine: "1 passed, 0 failed, 1 skipped" });
});

test("counts a test that skipped itself while it ran as skipped and not as passed", () => {
  const late = `test("late", () => { require("node:fs").appendFileSync(process.env.HALLPASS_SKIPS, "late [skipped: x]\\n"); });`;
  expect(runWith(PASS + late)).toEqual({ status: 0, lastLine: "1 passed, 0 failed, 1 skipped" });
});
