import { describe, expect, test } from "bun:test";
import { cutAnywhere, randomPieces, type StreamKind } from "./streams.ts";
import { Twin, type TwinOptions } from "./twin.ts";

const encoder = new TextEncoder();

function stream(seed: number, columns: number, rows: number, kind: StreamKind): Uint8Array[] {
  const bytes = encoder.encode(randomPieces(seed, columns, rows, 300, kind).join(""));
  return cutAnywhere(bytes, seed, seed % 5 === 0 ? 400 : 60);
}

/** In one test, so that a failure names every seed that fails. */
function compare(seeds: readonly number[], kind: StreamKind, more: Partial<TwinOptions> = {}): void {
  const failures: string[] = [];
  let times = 0;
  for (const seed of seeds) {
    const columns = 20 + (seed % 70);
    const rows = 6 + (seed % 20);
    const twin = new Twin({ columns, rows, seed, before: seed % 9, ...more });
    const different = twin.run(stream(seed, columns, rows, kind));
    times += twin.times;
    if (different !== "") failures.push(`seed ${seed}, ${columns}x${rows}:\n${different}`);
    if (twin.replies.shown !== twin.replies.bare) failures.push(`seed ${seed}: other replies`);
    twin.dispose();
  }
  expect(failures.join("\n")).toBe("");
  expect(times).toBeGreaterThan(seeds.length);
}

const seeds = (from: number, count: number): number[] => Array.from({ length: count }, (_, index) => from + index);

describe("a terminal on which the bar came and went is the one on which it never was", () => {
  test("after random output on the main screen", () => {
    compare(seeds(1, 60), { strings: true });
  });

  test("after random output with wide and combining characters", () => {
    compare(seeds(1001, 60), { wide: true, strings: true });
  });

  test("after random output that moves between the two screens", () => {
    compare(seeds(2001, 60), { alternate: true, wide: true, strings: true, absolute: true });
  });

  test("after random output that asks the terminal questions, which are answered as ever", () => {
    compare(seeds(5001, 40), { alternate: true, strings: true, absolute: true, questions: true });
  });

  test("after the terminal's height changed now and then", () => {
    compare(seeds(6001, 40), { simple: true, wide: true }, { resizes: 3 });
  });

  test("after random output on a terminal that never says where its cursor is", () => {
    compare(seeds(3001, 30), { strings: true, absolute: true }, { answers: false });
  });

  test("after random output on a terminal without an alternate screen", () => {
    compare(seeds(4001, 30), { wide: true, strings: true, absolute: true }, { hasAlternateScreen: false, before: 0 });
  });
});
