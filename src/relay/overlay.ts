/**
 * Takes the real terminal for the bar and gives it back as it was. Between `open` and `close` the program's output is
 * kept from the terminal (who keeps it is not decided here); after `close` the terminal is, to the cursor and the pen,
 * what it was at `open`, so that the kept bytes do to it what they would have done without the bar.
 *
 * Program on the main screen: the bar is drawn on the other screen, and the terminal itself keeps the first with its
 * scrollback. Program on the alternate screen, or a terminal without one: drawn over the rows, and repainted from the model.
 */
import { linkFor, moveTo, Painter, protection, sgrFor, styleAt, type Style } from "./paint.ts";
import { BG_PROTECTED, type Pen } from "./screen/cell.ts";
import { HOME, type CharacterSets, type Grid } from "./screen/grid.ts";
import { Line } from "./screen/line.ts";
import { Mode } from "./screen/modes.ts";
import type { Screen } from "./screen/screen.ts";
import type { TerminalKind } from "./terminal-kind.ts";

/** What must be put back: the state of the program's terminal when the overlay was opened. */
interface Kept {
  readonly grid: Grid;
  readonly pen: Pen;
  readonly sets: CharacterSets;
  readonly isOrigin: boolean;
  readonly isInsert: boolean;
  readonly isPaste: boolean;
  readonly isSynchronized: boolean;
  /** The character printed last, which marks and REP refer to; 0 for none. */
  readonly last: number;
  /** The cursor's row is known for sure, so that the terminal need not keep it. */
  readonly isPlaced: boolean;
  readonly isAlternate: boolean;
}

export class Overlay {
  readonly #screen: Screen;
  readonly #kind: TerminalKind;
  #kept: Kept | undefined;
  #painter: Painter | undefined;
  #isResized = false;
  #isOtherWidth = false;

  constructor(screen: Screen, kind: TerminalKind) {
    this.#screen = screen;
    this.#kind = kind;
  }

  get isOpen(): boolean {
    return this.#kept !== undefined;
  }

  /** Drawn on the other screen of the terminal. */
  get isElsewhere(): boolean {
    return this.#kept !== undefined && !this.#kept.isAlternate && this.#kind.hasAlternateScreen;
  }

  open(): string {
    const screen = this.#screen;
    const kept = this.#keep();
    this.#kept = kept;
    screen.isKept = true;
    this.#isResized = false;
    this.#isOtherWidth = false;
    const shown = this.isElsewhere ? blank(screen.columns, screen.rows) : kept.grid.lines;
    this.#painter = new Painter(shown, screen.extras);
    return `\x1b[?2026h${this.isElsewhere ? leave(kept) : ""}${this.#neutral(kept)}`;
  }

  #keep(): Kept {
    const { grid, pen, sets, modes, last, isAlternate } = this.#screen;
    return {
      grid: grid.clone(),
      pen: { ...pen },
      sets: { designated: [...sets.designated], shift: sets.shift },
      isOrigin: modes.isOn(Mode.origin),
      isInsert: modes.isInsert,
      isPaste: modes.isOn(Mode.bracketedPaste),
      isSynchronized: modes.isOn(Mode.synchronized),
      last,
      isPlaced: grid.isPlaced,
      isAlternate,
    };
  }

  /** Asks the terminal where its cursor is, and changes nothing else. */
  ask(): string {
    const kept = this.#keep();
    return `\x1b[6n${kept.last === 0 ? "" : this.#lastAgain(kept, (x) => backTo(kept.grid, x))}`;
  }

  /** Whatever the pen and the modes were: plain text goes where it is put. */
  #neutral(kept: Kept): string {
    const { pen, sets } = kept;
    const saved = kept.grid.saved;
    const isElsewhere = this.isElsewhere;
    return [
      this.#screen.extras.of(pen.ext).link === "" ? "" : "\x1b]8;;\x1b\\",
      (pen.bg & BG_PROTECTED) === 0 && (saved === undefined || (saved.pen.bg & BG_PROTECTED) === 0) ? "" : '\x1b[0"q',
      isDefault(sets) && (saved === undefined || isDefault(saved.sets)) ? "" : "\x1b(B\x0f",
      kept.isOrigin || saved?.isOrigin === true ? "\x1b[?6l" : "",
      kept.isInsert ? "\x1b[4l" : "",
      kept.isPaste ? "" : "\x1b[?2004h",
      isElsewhere ? "\x1b[?1007s\x1b[?1007l" : "",
      "\x1b[0m",
      isElsewhere ? "\x1b[2J" : "",
    ].join("");
  }

  /** Shows `rows` and puts the cursor at `x`, `y`. */
  paint(rows: readonly Line[], x: number, y: number): string {
    if (this.#painter === undefined) return "";
    return `\x1b[?2026h${this.#painter.paint(rows)}${moveTo(x, y)}\x1b[?2026l`;
  }

  /** The terminal has another size; what it shows is not known any more. The model must have been resized before. */
  resize(): string {
    const { columns, rows, extras } = this.#screen;
    if (this.#kept === undefined) return "";
    this.#isResized = true;
    this.#isOtherWidth ||= this.#kept.grid.columns !== columns;
    this.#kept.grid.resize(columns, rows);
    this.#painter = new Painter(blank(columns, rows), extras);
    return this.isElsewhere ? "\x1b[0m\x1b[2J" : `\x1b[0m${eraseRows(rows, columns)}`;
  }

  close(): string {
    const kept = this.#kept;
    if (kept === undefined) return "";
    const isElsewhere = this.isElsewhere;
    const restored = isElsewhere ? "" : (this.#painter?.paint(kept.grid.lines) ?? "");
    this.#kept = undefined;
    this.#screen.isKept = false;
    this.#painter = undefined;
    return [
      "\x1b[?2026h",
      restored,
      isElsewhere ? "\x1b[?1007r" : "",
      kept.isPaste ? "" : "\x1b[?2004l",
      isElsewhere ? "\x1b[?1049l" : "",
      kept.isInsert ? "\x1b[4h" : "",
      kept.isSynchronized ? "" : "\x1b[?2026l",
      // Nothing may come after the last character.
      this.#cursorBack(kept, isElsewhere),
    ].join("");
  }

  #cursorBack(kept: Kept, isElsewhere: boolean): string {
    const { grid, isOrigin } = kept;
    const isKept = isElsewhere && keepsSlot(kept);
    const slot = isElsewhere && !isKept && !this.#isResized ? this.#savedBack(kept) : "";
    // A terminal that was left by 1049 has the cursor back by itself, also where it has another size now.
    const isByItself = isElsewhere && slot === "" && !isOrigin && !isKept;
    const place = (to: number): string =>
      isByItself || !kept.isPlaced ? backTo(grid, to) : moveTo(to, isOrigin ? grid.y - grid.top : grid.y);
    return [slot, setsBack(kept), isOrigin && !isByItself ? "\x1b[?6h" : "", this.#lastAgain(kept, place)].join("");
  }

  /** 1049 has saved the cursor in the place of the one that the program had saved: that is saved again. */
  #savedBack(kept: Kept): string {
    const { grid, isPlaced, isOrigin } = kept;
    const isWhole = grid.top === 0 && grid.bottom === grid.rows - 1;
    if (!isPlaced && (grid.saved === undefined || grid.saved.isLost === true || !isWhole)) return "";
    const saved = grid.saved ?? HOME;
    const y = Math.max(0, grid.saved === undefined ? 0 : saved.y - (grid.scrolled - saved.scrolled));
    return [
      isOrigin ? "\x1b[?6l" : "",
      saved.isOrigin ? "\x1b[?6h" : "",
      isPlaced ? moveTo(saved.x, saved.isOrigin ? y - grid.top : y) : along(y - grid.y) + toColumn(saved.x),
      this.#penBack(saved.pen),
      isDefault(saved.sets) && isDefault(kept.sets) ? "" : setsFor(saved.sets),
      "\x1b7",
      saved.isOrigin ? "\x1b[?6l" : "",
      isPlaced ? "" : along(grid.y - y) + toColumn(Math.min(grid.x, grid.columns - 1)),
    ].join("");
  }

  /**
   * The pen, and the character printed last once more in its place: terminals forget at the next sequence what marks
   * and REP refer to, and with the cursor moved away, that the next character wraps.
   */
  #lastAgain(kept: Kept, place: (x: number) => string): string {
    const { grid, last, isInsert } = kept;
    const wraps = grid.x >= grid.columns;
    const before = Math.min(grid.x, grid.columns) - 1;
    const column = before > 0 && grid.line.isTrailing(before) ? before - 1 : before;
    const text = column < 0 ? "" : grid.line.text(column);
    if (text === "" || this.#isOtherWidth || grid.isAstray || (!wraps && (last === 0 || isInsert))) {
      return place(Math.min(grid.x, grid.columns - 1)) + this.#penBack(kept.pen);
    }
    const style = styleAt(grid.line, column);
    if (isSame(style, kept.pen)) return place(column) + this.#penBack(kept.pen) + text;
    return place(column) + this.#penBack(style) + text + this.#penBack(kept.pen, style);
  }

  #penBack(pen: Style, before?: Style): string {
    const { extras } = this.#screen;
    const hadLink = before !== undefined && extras.of(before.ext).link !== "";
    const link = extras.of(pen.ext).link === "" && !hadLink ? "" : linkFor(pen.ext, extras);
    return link + ((pen.bg & BG_PROTECTED) === 0 ? "" : protection(pen.bg)) + sgrFor(pen, extras);
  }
}

/** From where the cursor is to a column before it, or to the last one where it has run over. */
function backTo(grid: Grid, x: number): string {
  if (grid.x >= grid.columns) return `\x1b[${x + 1}G`;
  return x === grid.x ? "" : `\x1b[${grid.x - x}D`;
}

function isSame(a: Style, b: Style): boolean {
  return a.fg === b.fg && a.bg === b.bg && a.ext === b.ext;
}

/**
 * The program saved its cursor when its row was not known, and the terminal's own place for it is all there is: then the
 * terminal is made to save that very place for us.
 */
function keepsSlot({ isPlaced, grid }: Kept): boolean {
  return isPlaced && grid.saved !== undefined && (!grid.saved.isPlaced || grid.saved.isLost === true);
}

function leave(kept: Kept): string {
  // Not in origin mode, which would move the saved place between the margins.
  return keepsSlot(kept) ? `${kept.isOrigin ? "\x1b[?6l" : ""}\x1b8\x1b[?1049h` : "\x1b[?1049h";
}

function blank(columns: number, rows: number): Line[] {
  return Array.from({ length: rows }, () => new Line(columns));
}

function eraseRows(rows: number, columns: number): string {
  return Array.from({ length: rows }, (_, y) => `${moveTo(0, y)}\x1b[${columns}X`).join("");
}

function isDefault({ designated, shift }: CharacterSets): boolean {
  return shift === 0 && designated.every((set) => set === "B");
}

/** All four sets, where the program or its saved cursor has others than the usual. */
function setsBack({ sets, grid }: Kept): string {
  return isDefault(sets) && (grid.saved === undefined || isDefault(grid.saved.sets)) ? "" : setsFor(sets);
}

function setsFor(sets: CharacterSets): string {
  const slots = ["(", ")", "*", "+"];
  const slots96 = ["", "-", ".", "/"];
  const back = sets.designated.map((set, slot) =>
    set.startsWith("96") ? `\x1b${slots96[slot]}${set.slice(2)}` : `\x1b${slots[slot]}${set}`,
  );
  return back.join("") + ["\x0f", "\x0e", "\x1bn", "\x1bo"][sets.shift];
}

/** Rows down, or up where negative. */
function along(rows: number): string {
  return rows === 0 ? "" : `\x1b[${Math.abs(rows)}${rows > 0 ? "B" : "A"}`;
}

function toColumn(x: number): string {
  return `\x1b[${x + 1}G`;
}
