/** The bench program works; its figures are for people, so only that there are some is held here. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../support/hallpass.ts";
import { tree } from "../support/tree.ts";

interface Results {
  readonly machine: { readonly kernel: string; readonly cores: number };
  readonly rows: readonly { readonly runner: string; readonly value: number; readonly note?: string }[];
}

test("prints one table, names the machine, and writes the same as JSON", async () => {
  const ended = await run([process.execPath, "bench/main.ts", "--quick", "start"], { cwd: tree });
  expect([ended.status, ended.status === 0 ? "" : ended.stderr]).toEqual([0, ""]);
  const results = JSON.parse(readFileSync(join(tree, "build", "bench-quick.json"), "utf8")) as Results;
  expect(ended.stdout).toContain(results.machine.kernel);
  for (const runner of ["bare", "floor", "hallpass"]) {
    const row = results.rows.find((candidate) => candidate.runner === runner);
    expect([runner, row?.note, typeof row?.value]).toEqual([runner, undefined, "number"]);
    expect(ended.stdout).toMatch(new RegExp(`^start of true +${runner} `, "m"));
  }
}, 60_000);

test("a name that no bench has is an error that names those there are", async () => {
  const ended = await run([process.execPath, "bench/main.ts", "nonsense"], { cwd: tree });
  expect(ended.status).toBe(2);
  expect(ended.stderr).toMatch(/nothing is called nonsense; there are .*\bcalls\b.*\bstart\b/);
});
