/** Many more random calls, in the project and outside of it where each is asked and allowed. */
import { expect, test } from "bun:test";
import { needs, root } from "../support/needs.ts";
import { compareRandom } from "./support/compare.ts";

const SEEDS = 40;
const CALLS = 4000;

for (const who of ["user", "root", "user under root"] as const) {
  for (const flags of [["--prompt=deny"], ["--prompt=deny", "--fence=off"]]) {
    const must = who === "user" ? test : needs(root());
    must(
      `${SEEDS * CALLS} random calls of ${who} with ${flags.join(" ")}`,
      async () => {
        for (let seed = 100; seed < 100 + SEEDS; seed++) {
          const { results, inside, bare } = await compareRandom(seed, CALLS, flags, who);
          expect(results.map((line) => `seed ${seed}, ${line}`)).toEqual([]);
          expect(inside).toEqual(bare);
        }
      },
      600_000,
    );
  }
}
