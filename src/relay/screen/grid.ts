/** One of the two screens of a terminal: its rows, its cursor, its margins, and what scrolls and erases in it. */
import { newPen, type Pen } from "./cell.ts";
import { Line } from "./line.ts";
import { rowsGained } from "./reflow.ts";

/** The character sets of G0 to G3 by their final byte ("B" is ASCII, "0" line drawing), and which is in use. */
export interface CharacterSets {
  readonly designated: [string, string, string, string];
  shift: number;
}

export function newCharacterSets(): CharacterSets {
  return { designated: ["B", "B", "B", "B"], shift: 0 };
}

export interface SavedCursor {
  readonly x: number;
  readonly y: number;
  readonly pen: Pen;
  readonly sets: CharacterSets;
  readonly isOrigin: boolean;
  /** `Grid.scrolled` when it was saved. */
  readonly scrolled: number;
  readonly isPlaced: boolean;
  /** Only the terminal knows where this is now. */
  readonly isLost?: boolean;
}

/** Rows that left the top of the main screen, kept for a terminal that grows. */
const HISTORY_ROWS = 256;

export class Grid {
  lines: Line[];
  readonly history: Line[] = [];
  x = 0;
  y = 0;
  /** The scroll region, both rows included. */
  top = 0;
  bottom: number;
  saved: SavedCursor | undefined = undefined;
  /** Rows that have left the top. */
  scrolled = 0;
  /** The cursor's row is known: until then it is counted from where hallpass was started, which only the terminal knows. */
  isPlaced = false;
  /** The terminal was in use before: it may have rows above the screen that nobody here has seen. */
  hasRowsBefore = false;
  /** The column is not known for sure: the width changed in the middle of a line. */
  isAstray = false;
  /** The cursor was sent above the row it was counted from. */
  mayBeAbove = false;

  constructor(
    public columns: number,
    public rows: number,
    readonly keepsHistory: boolean,
  ) {
    this.lines = Array.from({ length: rows }, () => new Line(columns));
    this.bottom = rows - 1;
  }

  clone(): Grid {
    const copy = new Grid(this.columns, 0, this.keepsHistory);
    copy.rows = this.rows;
    copy.lines = this.lines.map((line) => line.clone());
    copy.history.push(...this.history.slice(-this.rows).map((line) => line.clone()));
    copy.x = this.x;
    copy.y = this.y;
    copy.top = this.top;
    copy.bottom = this.bottom;
    copy.saved = this.saved;
    copy.scrolled = this.scrolled;
    copy.isPlaced = this.isPlaced;
    copy.isAstray = this.isAstray;
    copy.hasRowsBefore = this.hasRowsBefore;
    return copy;
  }

  get line(): Line {
    return this.lines[this.y]!;
  }

  /** The scroll region moves up by one; a row that leaves the top of the whole screen goes to the history. */
  scrollUp(background: number): void {
    if (this.top === 0) this.scrolled++;
    // Wherever it was counted from, it has come to the last row now.
    if (this.bottom === this.rows - 1) this.isPlaced ||= !this.mayBeAbove;
    if (this.top === 0 && this.keepsHistory) {
      this.lines.splice(this.bottom + 1, 0, this.#recycled(background));
      this.history.push(this.lines.shift()!);
      return;
    }
    const line = this.top === 0 && this.bottom === this.rows - 1 ? this.lines.shift()! : this.#take(this.top);
    line.reset(background);
    this.lines.splice(this.bottom, 0, line);
  }

  scrollDown(background: number): void {
    const line = this.#take(this.bottom);
    line.reset(background);
    this.lines.splice(this.top, 0, line);
  }

  /** SU and SD, which keep no history. */
  scrollRegion(count: number, background: number): void {
    const times = Math.min(Math.abs(count), this.bottom - this.top + 1);
    for (let i = 0; i < times; i++) {
      const line = this.#take(count > 0 ? this.top : this.bottom);
      line.reset(background);
      this.lines.splice(count > 0 ? this.bottom : this.top, 0, line);
    }
  }

  insertLines(count: number, background: number): void {
    if (this.y < this.top || this.y > this.bottom) return;
    for (let i = Math.min(count, this.bottom - this.y + 1); i > 0; i--) {
      const line = this.#take(this.bottom);
      line.reset(background);
      this.lines.splice(this.y, 0, line);
    }
    this.x = 0;
  }

  deleteLines(count: number, background: number): void {
    if (this.y < this.top || this.y > this.bottom) return;
    for (let i = Math.min(count, this.bottom - this.y + 1); i > 0; i--) {
      const line = this.#take(this.y);
      line.reset(background);
      this.lines.splice(this.bottom, 0, line);
    }
    this.x = 0;
  }

  /** ED: 0 from the cursor on, 1 up to the cursor, 2 all. */
  eraseDisplay(how: number, background: number): void {
    if (how === 0) {
      this.eraseLine(0, background);
      for (let row = this.y + 1; row < this.rows; row++) this.lines[row]!.reset(background);
    } else if (how === 1) {
      this.eraseLine(1, background);
      this.line.isWrapped = false;
      if (this.x + 1 >= this.columns && this.y + 1 < this.rows) this.lines[this.y + 1]!.isWrapped = false;
      for (let row = 0; row < this.y; row++) this.lines[row]!.reset(background);
    } else if (how === 2) {
      for (const line of this.lines) line.reset(background);
    }
  }

  /** EL. */
  eraseLine(how: number, background: number): void {
    const { line, x } = this;
    if (how === 0) line.erase(x, this.columns, background);
    else if (how === 1) line.erase(0, x + 1, background);
    else if (how === 2) line.erase(0, this.columns, background);
    if (how === 2 || (how === 0 && x === 0)) line.isWrapped = false;
  }

  /** The terminal has said where its cursor is: what was counted from the first row moves by `by`, the cursor by `along`. */
  place(by: number, along: number): void {
    if (!this.isPlaced) {
      const count = Math.min(Math.abs(by), this.rows);
      for (let i = 0; i < count; i++) {
        if (by > 0) this.lines.pop();
        else this.lines.shift();
        if (by > 0) this.lines.unshift(new Line(this.columns));
        else this.lines.push(new Line(this.columns));
      }
      this.y = Math.max(0, Math.min(this.y + by, this.rows - 1));
      if (along !== 0) this.x = Math.max(0, Math.min(this.x, this.columns - 1) + along);
      this.isPlaced = true;
      this.hasRowsBefore = by > 0;
    }
    const { saved } = this;
    if (saved === undefined || saved.isPlaced) return;
    this.saved = { ...saved, y: Math.max(0, Math.min(saved.y + by, this.rows - 1)), isPlaced: true };
  }

  #take(row: number): Line {
    return this.lines.splice(row, 1)[0]!;
  }

  #recycled(background: number): Line {
    const line = this.history.length >= HISTORY_ROWS ? this.history.shift()! : new Line(this.columns);
    line.resize(this.columns);
    line.reset(background);
    return line;
  }

  resize(columns: number, rows: number): void {
    const before = this.columns;
    this.isAstray ||= columns !== before && this.x > 0;
    const old = columns === before ? [] : this.lines.map((line) => line.clone());
    const oldCursor = this.y;
    for (const line of this.lines) line.resize(columns);
    if (rows > this.rows) this.#grow(columns, rows);
    else this.#shrink(rows);
    this.columns = columns;
    this.rows = rows;
    this.top = 0;
    this.bottom = rows - 1;
    this.x = Math.min(this.x, columns - 1);
    if (this.keepsHistory && !this.#hasHistory) this.y += rowsGained(old, oldCursor, before, columns);
    this.y = Math.max(0, Math.min(this.y, rows - 1));
  }

  /** The terminal has rows above the screen, ours or those of before. */
  get #hasHistory(): boolean {
    return this.history.length > 0 || this.hasRowsBefore;
  }

  /** Rows come back from the history while nothing lies below the cursor, else empty ones come below. */
  #grow(columns: number, rows: number): void {
    while (this.lines.length < rows) {
      const isAtEnd = this.keepsHistory && this.lines.length <= this.y + 1;
      if (!isAtEnd || !this.#hasHistory) this.lines.push(new Line(columns));
      else {
        const line = this.history.pop() ?? new Line(columns);
        line.resize(columns);
        this.lines.unshift(line);
        this.y++;
      }
    }
  }

  /** Rows below the cursor go first, then rows leave at the top. */
  #shrink(rows: number): void {
    while (this.lines.length > rows) {
      if (this.lines.length > this.y + 1) this.lines.pop();
      else {
        const line = this.lines.shift()!;
        if (this.keepsHistory) this.history.push(line);
        this.y--;
      }
    }
  }
}

export function saveCursor(grid: Grid, pen: Pen, sets: CharacterSets, isOrigin: boolean): SavedCursor {
  return {
    x: grid.x,
    y: grid.y,
    pen: { ...pen },
    sets: { designated: [...sets.designated], shift: sets.shift },
    isOrigin,
    scrolled: grid.scrolled,
    isPlaced: grid.isPlaced,
  };
}

export const HOME: SavedCursor = {
  x: 0,
  y: 0,
  pen: newPen(),
  sets: newCharacterSets(),
  isOrigin: false,
  scrolled: 0,
  isPlaced: true,
};
