/** One row of cells and what is done within a row. Wide characters that are cut in half become empty cells. */
import { CELL_WORDS, HAS_MARKS, TRAILING, WIDE } from "./cell.ts";

export class Line {
  cells: Int32Array;
  /** It goes on from the row above, where the text ran over the edge. */
  isWrapped = false;
  /** Characters beyond the first of a cell, by column. */
  marks: Map<number, string> | undefined = undefined;

  constructor(public columns: number) {
    this.cells = new Int32Array(columns * CELL_WORDS);
  }

  clone(): Line {
    const copy = new Line(this.columns);
    copy.copyFrom(this);
    return copy;
  }

  copyFrom(other: Line): void {
    this.cells.set(other.cells);
    this.isWrapped = other.isWrapped;
    this.marks = other.marks === undefined ? undefined : new Map(other.marks);
  }

  /** Erased cells keep the background color only. */
  reset(background: number): void {
    if (background === 0) this.cells.fill(0);
    else this.#fill(0, this.columns, 0, background, 0);
    this.isWrapped = false;
    this.marks = undefined;
  }

  set(column: number, code: number, fg: number, bg: number, ext: number): void {
    const at = column * CELL_WORDS;
    this.cells[at] = code;
    this.cells[at + 1] = fg;
    this.cells[at + 2] = bg;
    this.cells[at + 3] = ext;
  }

  isWide(column: number): boolean {
    return (this.cells[column * CELL_WORDS]! & TRAILING) === WIDE;
  }

  isTrailing(column: number): boolean {
    return (this.cells[column * CELL_WORDS]! & TRAILING) === TRAILING;
  }

  /** The characters of a cell; "" for an empty cell and for the second half of a wide one. */
  text(column: number): string {
    const code = this.cells[column * CELL_WORDS]!;
    const first = code & 0x1fffff;
    if (first === 0) return "";
    const base = String.fromCodePoint(first);
    return (code & HAS_MARKS) === 0 ? base : base + (this.marks?.get(column) ?? "");
  }

  addMark(column: number, character: string): void {
    this.marks ??= new Map();
    const before = (this.cells[column * CELL_WORDS]! & HAS_MARKS) === 0 ? "" : (this.marks.get(column) ?? "");
    // A cell that collects marks without end is a trick, not text.
    if (before.length >= 32) return;
    this.marks.set(column, before + character);
    this.cells[column * CELL_WORDS]! |= HAS_MARKS;
  }

  #fill(from: number, to: number, fg: number, bg: number, ext: number): void {
    for (let column = from; column < to; column++) this.set(column, 0, fg, bg, ext);
  }

  /** Empties `from` to `to`, and the halves of wide characters that stick out. */
  erase(from: number, to: number, background: number): void {
    const end = Math.min(to, this.columns);
    if (from > 0 && this.isWide(from - 1)) this.set(from - 1, 0, 0, background, 0);
    if (end > 0 && end < this.columns && this.isWide(end - 1)) this.set(end, 0, 0, background, 0);
    this.#fill(from, end, 0, background, 0);
  }

  insert(column: number, count: number, background: number, fg = 0, bg = background, ext = 0): void {
    if (column > 0 && this.isWide(column - 1)) this.set(column - 1, 0, fg, bg, ext);
    const room = this.columns - column;
    const moved = Math.min(count, room);
    this.cells.copyWithin((column + moved) * CELL_WORDS, column * CELL_WORDS, (this.columns - moved) * CELL_WORDS);
    this.#shiftMarks(column, moved);
    this.#fill(column, column + moved, fg, bg, ext);
    if (this.isWide(this.columns - 1)) this.set(this.columns - 1, 0, fg, bg, ext);
  }

  delete(column: number, count: number, background: number): void {
    const moved = Math.min(count, this.columns - column);
    this.cells.copyWithin(column * CELL_WORDS, (column + moved) * CELL_WORDS, this.columns * CELL_WORDS);
    this.#shiftMarks(column, -moved);
    this.#fill(this.columns - moved, this.columns, 0, background, 0);
    if (column > 0 && this.isWide(column - 1)) this.set(column - 1, 0, 0, background, 0);
    if (column < this.columns && this.isTrailing(column)) this.set(column, 0, 0, background, 0);
  }

  #shiftMarks(from: number, by: number): void {
    if (this.marks === undefined) return;
    const shifted = new Map<number, string>();
    for (const [column, text] of this.marks) {
      const to = column < from ? column : column + by;
      if (column < from || (to >= from && to < this.columns)) shifted.set(to, text);
    }
    this.marks = shifted;
  }

  resize(columns: number): void {
    if (columns === this.columns) return;
    const cells = new Int32Array(columns * CELL_WORDS);
    cells.set(this.cells.subarray(0, Math.min(columns, this.columns) * CELL_WORDS));
    this.cells = cells;
    if (columns < this.columns && this.isWideAtEnd(columns)) this.set(columns - 1, 0, 0, 0, 0);
    this.columns = columns;
  }

  isWideAtEnd(columns: number): boolean {
    return columns > 0 && (this.cells[(columns - 1) * CELL_WORDS]! & TRAILING) === WIDE;
  }
}
