/** The model of the program's terminal: what its output has made of the screen so far. */
import { CELL_WORDS, CODE_MASK, COLOR_MASK, copyPen, EXT_SHIFT, newPen, TRAILING, WIDE, type Pen } from "./cell.ts";
import { dispatchCsi } from "./csi.ts";
import { dispatchEscape } from "./escape.ts";
import { Extras } from "./extras.ts";
import { Grid, HOME, newCharacterSets, saveCursor, type CharacterSets } from "./grid.ts";
import { lineDrawing } from "./charset.ts";
import type { Line } from "./line.ts";
import { Mode, Modes } from "./modes.ts";
import type { Parameters } from "./parameters.ts";
import { Parser, type Terminal } from "./parser.ts";
import { dcsAsks, oscAsks, oscIsEvent } from "./questions.ts";
import { penFrom, skippable } from "./skim.ts";
import { characterWidth } from "./width.ts";

const decoder = new TextDecoder();
/** Rows of long output that are laid out though they scroll away, for a terminal that grows. */
const KEPT_HISTORY = 60;
/** The table of extras is swept when it holds more than this. */
const MAX_EXTRAS = 4096;

export class Screen implements Terminal {
  columns: number;
  rows: number;
  readonly main: Grid;
  readonly alternate: Grid;
  grid: Grid;
  readonly pen: Pen = newPen();
  sets: CharacterSets = newCharacterSets();
  modes = new Modes();
  extras = new Extras();
  tabs: Uint8Array;
  readonly parser = new Parser(this);
  /** Kitty keyboard flags, pushed by the program, main and alternate screen apart. */
  keyboardFlags: [main: number[], alternate: number[]] = [[], []];
  modifyOtherKeys = 0;
  cursorStyle = 0;
  /** The character that REP repeats and marks join: 0 after anything but a character. */
  last = 0;
  /** A shift for one character, SS2 and SS3. */
  singleShift = 0;
  /** The program asked the terminal something, or made it do something at once (a bell, a notification). */
  hasQuestion = false;
  hasEvent = false;
  /** Somebody keeps rows of an earlier time: the table of extras must not be swept. */
  isKept = false;
  /** How many times the program has asked for the cursor's position. */
  positionQuestions = 0;

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
    this.main = new Grid(columns, rows, true);
    this.alternate = new Grid(columns, rows, false);
    this.grid = this.main;
    this.tabs = defaultTabs(columns);
  }

  get isAlternate(): boolean {
    return this.grid === this.alternate;
  }

  /** Erased cells get this. */
  get background(): number {
    return this.pen.bg & COLOR_MASK;
  }

  /** Takes output in; returns where it may be cut (see Parser). */
  feed(bytes: Uint8Array): number {
    const skipped = this.#skim(bytes);
    const boundary = this.parser.feed(skipped === 0 ? bytes : bytes.subarray(skipped)) + skipped;
    if (this.extras.size > MAX_EXTRAS && !this.isKept) this.#sweepExtras();
    return boundary;
  }

  /** Leaves out what would have scrolled away (see skim.ts); only its colors and its number of rows are taken in. */
  #skim(bytes: Uint8Array): number {
    const { grid, rows, modes } = this;
    if (!this.parser.isGround || grid.top !== 0 || grid.bottom !== rows - 1 || modes.isInsert) return 0;
    if (!modes.isOn(Mode.autowrap) || !isPlainSets(this.sets) || this.singleShift !== 0) return 0;
    const end = skippable(bytes, rows, rows + KEPT_HISTORY);
    if (end === 0) return 0;
    const from = penFrom(bytes, end);
    if (from >= 0) this.parser.feed(onlySgr(bytes.subarray(from, end)));
    grid.y = rows - 1;
    grid.x = 0;
    grid.isPlaced ||= !grid.mayBeAbove;
    grid.scrolled++;
    this.last = 0;
    return end;
  }

  printRun(bytes: Uint8Array, from: number, to: number): void {
    const { shift, designated } = this.sets;
    if (this.singleShift !== 0 || designated[shift] !== "B" || this.modes.isInsert) {
      for (let at = from; at < to; at++) this.#printAscii(bytes[at]!);
      return;
    }
    const { grid, pen, columns } = this;
    const { fg, bg, ext } = pen;
    let at = from;
    while (at < to) {
      if (grid.x >= columns && !this.#wrap()) grid.x = columns - 1;
      const line = grid.line;
      this.#cutBefore(line);
      const end = Math.min(to, at + columns - grid.x);
      const { cells } = line;
      let word = grid.x * CELL_WORDS;
      grid.x += end - at;
      for (; at < end; at++, word += CELL_WORDS) {
        cells[word] = bytes[at]! | (1 << 22);
        cells[word + 1] = fg;
        cells[word + 2] = bg;
        cells[word + 3] = ext;
      }
      this.#cutAfter(line);
    }
    this.last = bytes[to - 1]!;
  }

  #printAscii(byte: number): void {
    const { designated, shift } = this.sets;
    const set = designated[this.singleShift === 0 ? shift : this.singleShift]!;
    this.singleShift = 0;
    this.#printWide(set === "0" ? lineDrawing(byte) : set === "A" && byte === 0x23 ? 0xa3 : byte, 1);
  }

  printCharacter(code: number): void {
    this.singleShift = 0;
    const width = characterWidth(code);
    if (width === 0) this.#join(code);
    else this.#printWide(code, width);
  }

  /** A character of no width joins the one before it, or is lost where there is none. */
  #join(code: number): void {
    const { grid } = this;
    if (this.last === 0 || grid.x === 0) return;
    const { line } = grid;
    let column = Math.min(grid.x, this.columns) - 1;
    if (column > 0 && line.isTrailing(column)) column--;
    if ((line.cells[column * CELL_WORDS]! & CODE_MASK) === 0) return;
    line.addMark(column, String.fromCodePoint(code));
  }

  #printWide(code: number, width: number): void {
    const { grid, pen, columns } = this;
    if (grid.x + width > columns && !this.#wrapFor(width)) return;
    const { line } = grid;
    this.#cutBefore(line);
    if (this.modes.isInsert) line.insert(grid.x, width, 0, pen.fg, pen.bg, pen.ext);
    line.set(grid.x, code | (width << 22), pen.fg, pen.bg, pen.ext);
    if (width === 2) line.set(grid.x + 1, TRAILING, pen.fg, pen.bg, pen.ext);
    grid.x += width;
    this.#cutAfter(line);
    this.last = code;
  }

  #wrapFor(width: number): boolean {
    const { grid, columns, pen } = this;
    const { line, x } = grid;
    if (width > columns) return false;
    if (!this.#wrap()) {
      grid.x = columns - 1;
      return width === 1;
    }
    for (let column = x; column < columns; column++) line.set(column, 0, pen.fg, pen.bg, pen.ext);
    return true;
  }

  /** On to the next row; false where the terminal does not wrap. */
  #wrap(): boolean {
    if (!this.modes.isOn(Mode.autowrap)) return false;
    const { grid } = this;
    grid.x = 0;
    if (grid.y === grid.bottom) grid.scrollUp(this.background);
    else if (grid.y < this.rows - 1) grid.y++;
    grid.line.isWrapped = true;
    return true;
  }

  /** The cursor stands on the second half of a wide character: its first half is no character any more. */
  #cutBefore(line: Line): void {
    const { x } = this.grid;
    if (x > 0 && (line.cells[(x - 1) * CELL_WORDS]! & TRAILING) === WIDE) {
      line.set(x - 1, 0, this.pen.fg, this.pen.bg, this.pen.ext);
    }
  }

  #cutAfter(line: Line): void {
    const { x } = this.grid;
    if (x < this.columns && line.isTrailing(x)) line.set(x, 0, this.pen.fg, this.pen.bg, this.pen.ext);
  }

  control(code: number): void {
    this.last = 0;
    const { grid } = this;
    if (code === 0x0a || code === 0x0b || code === 0x0c) this.lineFeed();
    else if (code === 0x0d) {
      grid.x = 0;
      grid.isAstray = false;
    } else if (code === 0x08) grid.x = Math.max(Math.min(grid.x, this.columns - 1) - 1, 0);
    else if (code === 0x09) this.tab(1);
    else if (code === 0x0e) this.sets.shift = 1;
    else if (code === 0x0f) this.sets.shift = 0;
    else if (code === 0x07) this.hasEvent = true;
    else if (code === 0x05) this.hasQuestion = true;
  }

  lineFeed(): void {
    const { grid } = this;
    if (this.modes.isLineFeedNewLine) grid.x = 0;
    if (this.index()) grid.line.isWrapped = false;
  }

  /** One row down, scrolling at the margin; whether the cursor moved. */
  index(): boolean {
    const { grid } = this;
    if (grid.x >= this.columns) grid.x = this.columns - 1;
    if (grid.y === grid.bottom) grid.scrollUp(this.background);
    else if (grid.y < this.rows - 1) {
      grid.y++;
      return true;
    }
    return false;
  }

  reverseLineFeed(): void {
    const { grid } = this;
    this.restrict();
    if (grid.y === 0) grid.mayBeAbove = true;
    if (grid.y === grid.top) grid.scrollDown(this.background);
    else if (grid.y > 0) grid.y--;
  }

  tab(count: number): void {
    const { grid, tabs } = this;
    if (grid.x >= this.columns) return;
    for (let i = 0; i < count && grid.x < this.columns - 1; i++) {
      grid.x++;
      while (grid.x < this.columns - 1 && tabs[grid.x] !== 1) grid.x++;
    }
  }

  backTab(count: number): void {
    const { grid, tabs } = this;
    if (grid.x >= this.columns) return;
    for (let i = 0; i < count && grid.x > 0; i++) {
      grid.x--;
      while (grid.x > 0 && tabs[grid.x] !== 1) grid.x--;
    }
  }

  /** The cursor is put back onto the screen, or in origin mode between the margins. */
  restrict(lastColumn = this.columns - 1): void {
    const { grid } = this;
    grid.x = Math.max(0, Math.min(grid.x, lastColumn));
    const isOrigin = this.modes.isOn(Mode.origin);
    grid.y = Math.max(isOrigin ? grid.top : 0, Math.min(grid.y, isOrigin ? grid.bottom : this.rows - 1));
  }

  /** To a row and column from 0, counted from the margins in origin mode. */
  moveTo(x: number, y: number): void {
    this.grid.isPlaced = true;
    this.grid.isAstray = false;
    this.grid.x = x;
    this.grid.y = this.modes.isOn(Mode.origin) ? this.grid.top + y : y;
    this.restrict();
  }

  /** See `Grid.place`. */
  place(by: number, along: number): void {
    this.main.place(by, this.isAlternate ? 0 : along);
    if (this.isAlternate) this.alternate.place(by, along);
  }

  saveCursor(): void {
    this.grid.saved = saveCursor(this.grid, this.pen, this.sets, this.modes.isOn(Mode.origin));
  }

  restoreCursor(): void {
    const saved = this.grid.saved ?? HOME;
    // Some terminals count a saved row from the top of the screen, others from that of the scrollback.
    const isElsewhere = !this.isAlternate && this.grid.scrolled !== saved.scrolled;
    this.grid.isPlaced = saved.isPlaced && !isElsewhere;
    this.grid.mayBeAbove ||= isElsewhere;
    if (isElsewhere) this.grid.saved = { ...saved, isLost: true };
    // A link is no rendition: it stays.
    const { link } = this.extras.of(this.pen.ext);
    copyPen(saved.pen, this.pen);
    this.pen.ext = this.extras.withLink(this.pen.ext, link);
    this.sets = { designated: [...saved.sets.designated], shift: saved.sets.shift };
    this.modes.set(Mode.origin, saved.isOrigin);
    this.grid.x = Math.min(saved.x, this.columns - 1);
    this.grid.y = Math.min(saved.y, this.rows - 1);
  }

  /** `mode` is 47, 1047 or 1049. */
  switchTo(isAlternate: boolean, mode: number): void {
    if (isAlternate && mode === Mode.alternate1049) this.saveCursor();
    if (isAlternate !== this.isAlternate) {
      const from = this.grid;
      this.grid = isAlternate ? this.alternate : this.main;
      this.grid.x = from.x;
      this.grid.y = from.y;
      this.grid.isPlaced = from.isPlaced;
      this.grid.mayBeAbove = from.mayBeAbove;
      if (isAlternate) for (const line of this.grid.lines) line.reset(this.background);
      this.alternate.top = 0;
      this.alternate.bottom = this.rows - 1;
    }
    if (!isAlternate && mode === Mode.alternate1049) this.restoreCursor();
  }

  escape(intermediates: string, final: string): void {
    this.last = 0;
    dispatchEscape(this, intermediates, final);
  }

  csi(intermediates: string, final: number, parameters: Parameters): void {
    const { last } = this;
    this.last = 0;
    dispatchCsi(this, intermediates, final, parameters, last);
  }

  osc(text: Uint8Array): void {
    this.last = 0;
    const body = decoder.decode(text);
    if (body.startsWith("8;")) this.#link(body.slice(2));
    else if (oscAsks(body)) this.hasQuestion = true;
    else if (oscIsEvent(body)) this.hasEvent = true;
  }

  #link(link: string): void {
    const uri = link.slice(link.indexOf(";") + 1);
    this.pen.ext = this.extras.withLink(this.pen.ext, uri === "" ? "" : link);
  }

  dcs(intermediates: string, final: number, text: Uint8Array): void {
    this.last = 0;
    if (dcsAsks(intermediates, String.fromCharCode(final), text)) this.hasQuestion = true;
  }

  apc(text: Uint8Array): void {
    this.last = 0;
    // Kitty's graphics: each may be answered.
    if (text[0] === 0x47) this.hasQuestion = true;
  }

  softReset(): void {
    this.modes.softReset();
    Object.assign(this.pen, newPen());
    this.sets = newCharacterSets();
    this.grid.top = 0;
    this.grid.bottom = this.rows - 1;
    this.grid.saved = HOME;
  }

  reset(): void {
    this.softReset();
    this.modes.reset();
    this.extras = new Extras();
    this.keyboardFlags = [[], []];
    this.modifyOtherKeys = 0;
    this.cursorStyle = 0;
    this.tabs = defaultTabs(this.columns);
    for (const grid of [this.main, this.alternate]) {
      for (const line of grid.lines) line.reset(0);
      Object.assign(grid, { x: 0, y: 0, top: 0, bottom: this.rows - 1, saved: undefined });
    }
    this.main.history.length = 0;
    this.grid = this.main;
  }

  resize(columns: number, rows: number): void {
    this.main.resize(columns, rows);
    this.alternate.resize(columns, rows);
    const tabs = defaultTabs(columns);
    tabs.set(this.tabs.subarray(0, Math.min(columns, this.columns)));
    this.tabs = tabs;
    if (columns !== this.columns) this.last = 0;
    this.columns = columns;
    this.rows = rows;
  }

  #sweepExtras(): void {
    const used = new Set<number>([this.pen.ext >>> EXT_SHIFT]);
    for (const grid of [this.main, this.alternate]) {
      if (grid.saved !== undefined) used.add(grid.saved.pen.ext >>> EXT_SHIFT);
      for (const line of [...grid.lines, ...grid.history]) {
        for (let at = 3; at < line.cells.length; at += CELL_WORDS) used.add(line.cells[at]! >>> EXT_SHIFT);
      }
    }
    this.extras.sweep(used);
  }
}

function isPlainSets({ designated, shift }: CharacterSets): boolean {
  return designated[shift] === "B";
}

/** The color sequences alone. */
function onlySgr(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length);
  let length = 0;
  for (let at = bytes.indexOf(0x1b); at >= 0; at = bytes.indexOf(0x1b, at + 1)) {
    const end = bytes.indexOf(0x6d, at) + 1;
    out.set(bytes.subarray(at, end), length);
    length += end - at;
  }
  return out.subarray(0, length);
}

function defaultTabs(columns: number): Uint8Array {
  return Uint8Array.from({ length: columns }, (_, column) => (column % 8 === 0 ? 1 : 0));
}
