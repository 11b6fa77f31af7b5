/** Makes a terminal that shows one set of rows show another, with as few bytes as are needed and no side effects. */
import {
  BG_DIM,
  BG_OVERLINE,
  BG_PROTECTED,
  BG_RAPID_BLINK,
  CELL_WORDS,
  COLOR_KIND,
  COLOR_MASK,
  COLOR_PALETTE,
  EXT_UNDERLINE,
  FG_BLINK,
  FG_BOLD,
  FG_INVERSE,
  FG_INVISIBLE,
  FG_ITALIC,
  FG_STRUCK,
  HAS_MARKS,
} from "./screen/cell.ts";
import type { Extras } from "./screen/extras.ts";
import type { Line } from "./screen/line.ts";

/** A style as it is written: the words of a cell. */
export interface Style {
  readonly fg: number;
  readonly bg: number;
  readonly ext: number;
}

const PLAIN: Style = { fg: 0, bg: 0, ext: 0 };

/** SGR that makes the style whatever was before; links and protection are not part of it. */
export function sgrFor({ fg, bg, ext }: Style, extras: Extras): string {
  const codes = ["0"];
  for (const [bit, code] of FG_CODES) if ((fg & bit) !== 0) codes.push(code);
  for (const [bit, code] of BG_CODES) if ((bg & bit) !== 0) codes.push(code);
  const underline = ext & EXT_UNDERLINE;
  if (underline !== 0) codes.push(underline === 1 ? "4" : `4:${underline}`);
  pushColor(codes, fg, 38);
  pushColor(codes, bg, 48);
  pushColor(codes, extras.of(ext).underlineColor, 58);
  return `\x1b[${codes.join(";")}m`;
}

const FG_CODES: readonly (readonly [number, string])[] = [
  [FG_BOLD, "1"],
  [FG_ITALIC, "3"],
  [FG_BLINK, "5"],
  [FG_INVERSE, "7"],
  [FG_INVISIBLE, "8"],
  [FG_STRUCK, "9"],
];
const BG_CODES: readonly (readonly [number, string])[] = [
  [BG_DIM, "2"],
  [BG_RAPID_BLINK, "6"],
  [BG_OVERLINE, "53"],
];

function pushColor(codes: string[], color: number, code: 38 | 48 | 58): void {
  if ((color & COLOR_KIND) === 0) return;
  if ((color & COLOR_KIND) !== COLOR_PALETTE) {
    codes.push(`${code};2;${(color >>> 16) & 0xff};${(color >>> 8) & 0xff};${color & 0xff}`);
    return;
  }
  const index = color & 0xff;
  if (code === 58 || index > 15) codes.push(`${code};5;${index}`);
  else codes.push(String(code - 8 + (index < 8 ? index : index + 52)));
}

export function linkFor(ext: number, extras: Extras): string {
  const { link } = extras.of(ext);
  return `\x1b]8;${link === "" ? ";" : link}\x1b\\`;
}

export function moveTo(x: number, y: number): string {
  return `\x1b[${y + 1};${x + 1}H`;
}

export class Painter {
  #shown: Line[];
  readonly #extras: Extras;
  #style: Style = PLAIN;
  #out = "";

  /** `shown` is what the terminal shows now; the painter keeps copies. */
  constructor(shown: readonly Line[], extras: Extras) {
    this.#shown = shown.map((line) => line.clone());
    this.#extras = extras;
  }

  /** The pen must be plain before, and is afterwards. */
  paint(rows: readonly Line[]): string {
    this.#out = "";
    for (const [y, row] of rows.entries()) this.#paintRow(y, row);
    this.#restyle(PLAIN);
    const out = this.#out;
    this.#out = "";
    return out;
  }

  #paintRow(y: number, row: Line): void {
    const shown = this.#shown[y]!;
    let from = firstDifference(shown, row);
    if (from < 0) return;
    let to = lastDifference(shown, row);
    if (shown.isTrailing(from) || row.isTrailing(from)) from--;
    while (to + 1 < row.columns && (shown.isTrailing(to + 1) || row.isTrailing(to + 1))) to++;
    this.#out += moveTo(from, y);
    this.#paintCells(row, from, to + 1);
    shown.copyFrom(row);
  }

  #paintCells(row: Line, from: number, to: number): void {
    let column = from;
    while (column < to) {
      if (isErased(row, column)) column = this.#paintErased(row, column, to);
      else {
        this.#restyle(styleAt(row, column));
        this.#out += row.text(column) || " ";
        column += row.isWide(column) ? 2 : 1;
      }
    }
  }

  /** ECH leaves the cursor where it is, and the soft wraps of the row alone. */
  #paintErased(row: Line, from: number, to: number): number {
    const background = row.cells[from * CELL_WORDS + 2]!;
    let end = from + 1;
    while (end < to && isErased(row, end) && row.cells[end * CELL_WORDS + 2] === background) end++;
    this.#restyle({ fg: 0, bg: background, ext: 0 });
    this.#out += `\x1b[${end - from}X`;
    if (end < to) this.#out += `\x1b[${end - from}C`;
    return end;
  }

  #restyle(style: Style): void {
    const { fg, bg, ext } = this.#style;
    if (style.fg === fg && style.bg === bg && style.ext === ext) return;
    if (this.#extras.of(style.ext).link !== this.#extras.of(ext).link) this.#out += linkFor(style.ext, this.#extras);
    if ((style.bg & BG_PROTECTED) !== (bg & BG_PROTECTED)) this.#out += protection(style.bg);
    this.#out += sgrFor(style, this.#extras);
    this.#style = style;
  }
}

export function protection(bg: number): string {
  return (bg & BG_PROTECTED) === 0 ? '\x1b[0"q' : '\x1b[1"q';
}

export function styleAt(row: Line, column: number): Style {
  const at = column * CELL_WORDS;
  return { fg: row.cells[at + 1]!, bg: row.cells[at + 2]!, ext: row.cells[at + 3]! };
}

/** Never written, and with nothing but a background color. */
function isErased(row: Line, column: number): boolean {
  const at = column * CELL_WORDS;
  return (
    row.cells[at] === 0 &&
    row.cells[at + 1] === 0 &&
    row.cells[at + 3] === 0 &&
    (row.cells[at + 2]! & ~COLOR_MASK) === 0
  );
}

function differs(a: Line, b: Line, column: number): boolean {
  const at = column * CELL_WORDS;
  for (let word = at; word < at + CELL_WORDS; word++) if (a.cells[word] !== b.cells[word]) return true;
  return (a.cells[at]! & HAS_MARKS) !== 0 && a.text(column) !== b.text(column);
}

function firstDifference(a: Line, b: Line): number {
  for (let column = 0; column < b.columns; column++) if (differs(a, b, column)) return column;
  return -1;
}

function lastDifference(a: Line, b: Line): number {
  for (let column = b.columns - 1; column >= 0; column--) if (differs(a, b, column)) return column;
  return -1;
}
