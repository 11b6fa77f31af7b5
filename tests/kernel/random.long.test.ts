/** Many more random calls, in the project and outside of it where each is asked and allowed. */
import { expect, test } from "bun:test";
import { compareRandom } from "./support/compare.ts";

const SEEDS = 40;
const CALLS = 4000;

for (const asUser of [true, false]) {
  for (const flags of [["--prompt=deny"], ["--prompt=deny", "--fence=off"]]) {
    const who = asUser ? "a user" : "root";
    test(`${SEEDS * CALLS} random calls of ${who} with ${flags.join(" ")}`, async () => {
      for (let seed = 100; seed < 100 + SEEDS; seed++) {
        const { results, inside, bare } = await compareRandom(seed, CALLS, flags, asUser);
        expect(results.map((line) => `seed ${seed}, ${line}`)).toEqual([]);
        expect(inside).toEqual(bare);
      }
    }, 600_000);
  }
}
