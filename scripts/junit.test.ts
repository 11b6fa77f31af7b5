import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readJunit } from "./junit.ts";

const SUITE = `
import { describe, expect, test } from "bun:test";
test("passes", () => {});
test.skip("is skipped", () => {});
test.failing("fails as expected", () => { throw new Error("no"); });
test.failing("passes against expectation", () => {});
describe("a group", () => { test('fails with <odd> & "quoted" words', () => expect(1).toBe(2)); });
`;

test("counts what bun itself reports, groups and odd names included", () => {
  const folder = mkdtempSync(join(tmpdir(), "hallpass-junit-"));
  try {
    writeFileSync(join(folder, "some.test.ts"), SUITE);
    const command = [process.execPath, "test", "--reporter=junit", "--reporter-outfile=report.xml"];
    Bun.spawnSync(command, { cwd: folder, stdin: "ignore", stdout: "ignore", stderr: "ignore" });
    expect(readJunit(readFileSync(join(folder, "report.xml"), "utf8"))).toEqual({
      passed: 2,
      failed: ["passes against expectation", 'a group > fails with <odd> & "quoted" words'],
      skipped: ["is skipped"],
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
