import { expect, test } from "bun:test";
import { Terminal } from "@xterm/headless";
import { Painter } from "../../src/relay/paint.ts";
import { Screen } from "../../src/relay/screen/screen.ts";
import { randomPieces } from "./streams.ts";
import { difference, stateOf, write } from "./state.ts";

const encoder = new TextEncoder();
const KIND = { wide: true, strings: true, absolute: true };

function terminal(columns: number, rows: number): Terminal {
  return new Terminal({ cols: columns, rows, scrollback: 0, allowProposedApi: true });
}

/** The rows alone, without the marks of soft wraps, which painting leaves as they are. */
function rowsOf(shown: Terminal): string[] {
  return stateOf(shown)
    .filter((line) => line.startsWith("main ") && line.includes(": "))
    .map((line) => line.replace(": ~", ": "));
}

test("paints any screen over any other, cell for cell", () => {
  const failures: string[] = [];
  for (let seed = 1; seed <= 150; seed++) {
    const [columns, rows] = [10 + (seed % 60), 4 + (seed % 12)];
    const one = new Screen(columns, rows);
    const other = new Screen(columns, rows);
    const shown = terminal(columns, rows);
    const wanted = terminal(columns, rows);
    for (const piece of randomPieces(seed, columns, rows, 120, KIND)) {
      one.feed(encoder.encode(piece));
      write(shown, piece);
    }
    for (const piece of randomPieces(seed + 5000, columns, rows, 120, KIND)) {
      other.feed(encoder.encode(piece));
      write(wanted, piece);
    }
    const painter = new Painter(one.grid.lines, other.extras);
    write(shown, "\x1b[0m\x1b]8;;\x07\x1b(B\x0f\x1b[4l\x1b[?6l");
    write(shown, painter.paint(other.grid.lines));
    const different = difference(rowsOf(wanted), rowsOf(shown));
    if (different !== "") failures.push(`seed ${seed}, ${columns}x${rows}:\n${different}`);
    shown.dispose();
    wanted.dispose();
  }
  expect(failures.join("\n")).toBe("");
});
