/** Sequences of ESC and a final character. */
import { Mode } from "./modes.ts";
import type { Screen } from "./screen.ts";

const SLOTS = "()*+";
const SLOTS_96 = "-./";

export function dispatchEscape(screen: Screen, intermediates: string, final: string): void {
  const slot = intermediates === "" ? -1 : SLOTS.indexOf(intermediates[0]!);
  const slot96 = intermediates === "" ? -1 : SLOTS_96.indexOf(intermediates[0]!);
  if (intermediates === "") plain(screen, final);
  else if (slot >= 0) screen.sets.designated[slot as 0 | 1 | 2 | 3] = intermediates.slice(1) + final;
  else if (slot96 >= 0) screen.sets.designated[(slot96 + 1) as 1 | 2 | 3] = `96${intermediates.slice(1)}${final}`;
  else if (intermediates === "#" && final === "8") fillWithE(screen);
}

function plain(screen: Screen, final: string): void {
  const { grid, sets } = screen;
  if (final === "7") screen.saveCursor();
  else if (final === "8") screen.restoreCursor();
  else if (final === "D") screen.index();
  else if (final === "E") {
    grid.x = 0;
    screen.index();
  } else if (final === "M") screen.reverseLineFeed();
  else if (final === "H") screen.tabs[Math.min(grid.x, screen.columns - 1)] = 1;
  else if (final === "c") screen.reset();
  else if (final === "N") screen.singleShift = 2;
  else if (final === "O") screen.singleShift = 3;
  else if (final === "n") sets.shift = 2;
  else if (final === "o") sets.shift = 3;
  else if (final === "=") screen.modes.set(Mode.keypad, true);
  else if (final === ">") screen.modes.set(Mode.keypad, false);
  else if (final === "Z") screen.hasQuestion = true;
}

/** DECALN. */
function fillWithE(screen: Screen): void {
  const { grid, pen } = screen;
  for (const line of grid.lines) {
    for (let column = 0; column < screen.columns; column++) line.set(column, 0x45 | (1 << 22), pen.fg, pen.bg, pen.ext);
    line.isWrapped = false;
    line.marks = undefined;
  }
  grid.x = 0;
  grid.y = 0;
}
