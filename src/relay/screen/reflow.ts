/** How far a terminal that lays wrapped lines out anew moves the cursor when its width changes (as xterm.js does it). */
import { CELL_WORDS } from "./cell.ts";
import type { Line } from "./line.ts";

/** Rows that come (or, below 0, go) with the new width; the paragraph with the cursor is left as it is. */
export function rowsGained(lines: readonly Line[], cursor: number, from: number, to: number): number {
  let gained = 0;
  for (let start = 0; start < lines.length;) {
    let end = start + 1;
    while (end < lines.length && lines[end]!.isWrapped) end++;
    const isWrapped = end - start > 1 || trimmedLength(lines[start]!) > to;
    if (isWrapped && (cursor < start || cursor >= end)) {
      gained += rowsFor(lines.slice(start, end), from, to) - (end - start);
    }
    start = end;
  }
  return gained;
}

function rowsFor(paragraph: readonly Line[], from: number, to: number): number {
  const last = paragraph.length - 1;
  let cells = trimmedLength(paragraph[last]!);
  for (let i = 0; i < last; i++)
    cells += paragraph[i]!.isTrailing(from - 1) || !isEmptyAt(paragraph[i]!, from - 1) ? from : from - 1;
  return Math.max(1, Math.ceil(cells / to));
}

function isEmptyAt(line: Line, column: number): boolean {
  return line.cells[column * CELL_WORDS] === 0;
}

function trimmedLength(line: Line): number {
  let length = line.columns;
  while (length > 0 && isEmptyAt(line, length - 1)) length--;
  return length;
}
