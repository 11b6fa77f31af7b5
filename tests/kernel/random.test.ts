/** Random calls come to the same inside and outside hallpass: results, error numbers, and the tree that is left. */
import { expect, test } from "bun:test";
import { compareRandom } from "./support/compare.ts";

const CALLS = 2000;

async function agree(seed: number, flags: readonly string[], asUser: boolean): Promise<void> {
  const { results, inside, bare } = await compareRandom(seed, CALLS, flags, asUser);
  expect(results.slice(0, 10)).toEqual([]);
  expect(inside).toEqual(bare);
}

for (const seed of [1, 2]) {
  test(`${CALLS} random calls of a user, seed ${seed}`, () => agree(seed, ["--prompt=deny"], true), 120_000);
  test(`${CALLS} random calls of root, seed ${seed}`, () => agree(seed, ["--prompt=deny"], false), 120_000);
}
test(`${CALLS} random calls without a fence`, () => agree(3, ["--prompt=deny", "--fence=off"], true), 120_000);
