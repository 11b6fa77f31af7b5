import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { cutAnywhere } from "./streams.ts";
import { Twin } from "./twin.ts";

/** What real programs wrote on a terminal of 80 by 24, to the byte (recordings/README.md). */
const folder = join(import.meta.dirname, "recordings");
const recordings = readdirSync(folder).filter((name) => name.endsWith(".bin"));

/** Some end in the middle of a sequence, as the kernel cut them: what is not whole never reached a terminal. */
function pieces(name: string, seed: number): Uint8Array[] {
  return cutAnywhere(readFileSync(join(folder, name)), seed, [40, 400, 4095][seed % 3] ?? 40);
}

describe("a bar that came and went leaves no trace in the output of", () => {
  test.each(recordings)("%s", (name) => {
    const failures: string[] = [];
    let times = 0;
    for (let seed = 1; seed <= 12; seed++) {
      const twin = new Twin({ columns: 80, rows: 24, seed, before: (seed * 5) % 30, toggles: seed % 3 === 2 ? 60 : 8 });
      const different = twin.run(pieces(name, seed));
      times += twin.times;
      if (different !== "") failures.push(`seed ${seed}:\n${different}`);
      if (twin.replies.shown !== twin.replies.bare) failures.push(`seed ${seed}: other replies`);
      twin.dispose();
    }
    expect(failures.join("\n")).toBe("");
    expect(times).toBeGreaterThan(5);
  });
});
