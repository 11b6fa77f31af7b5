/** Random calls come to the same inside and outside hallpass: results, error numbers, and the tree that is left. */
import { expect, test } from "bun:test";
import { needs, root } from "../support/needs.ts";
import { compareRandom } from "./support/compare.ts";

const CALLS = 2000;

async function agree(seed: number, flags: readonly string[], who: "root" | "user" | "user under root"): Promise<void> {
  const { results, inside, bare } = await compareRandom(seed, CALLS, flags, who);
  expect(results.slice(0, 10)).toEqual([]);
  expect(inside).toEqual(bare);
}

for (const seed of [1, 2]) {
  test(`${CALLS} random calls of a user, seed ${seed}`, () => agree(seed, ["--prompt=deny"], "user"), 120_000);
  needs(root())(`${CALLS} random calls of root, seed ${seed}`, () => agree(seed, ["--prompt=deny"], "root"), 120_000);
}
test(`${CALLS} random calls without a fence`, () => agree(3, ["--prompt=deny", "--fence=off"], "user"), 120_000);
needs(root())(
  `${CALLS} random calls of a program that became a user under root`,
  () => agree(4, ["--prompt=deny"], "user under root"),
  120_000,
);
