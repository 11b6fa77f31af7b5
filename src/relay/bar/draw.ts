/** Rows of text to rows of cells. */
import { BG_DIM, COLOR_PALETTE, FG_BOLD, FG_INVERSE, FG_ITALIC, TRAILING } from "../screen/cell.ts";
import { Line } from "../screen/line.ts";
import { characterWidth } from "../screen/width.ts";
import type { Row, Tone } from "./wrap.ts";

export interface Theme {
  /** The words of `fg` and `bg` (see cell.ts) of a tone. */
  style(tone: Tone): { readonly fg: number; readonly bg: number };
}

const palette = (index: number): number => COLOR_PALETTE | index;
const INK = palette(255);
const PAPER = palette(236);

const COLORS: Readonly<Record<Tone, { fg: number; bg: number }>> = {
  plain: { fg: INK, bg: PAPER },
  title: { fg: palette(255) | FG_BOLD, bg: palette(24) },
  asleep: { fg: palette(252), bg: palette(240) },
  target: { fg: palette(229) | FG_BOLD, bg: PAPER },
  claim: { fg: palette(250) | FG_ITALIC, bg: PAPER },
  warning: { fg: palette(215) | FG_BOLD, bg: PAPER },
  key: { fg: palette(117) | FG_BOLD, bg: PAPER },
  off: { fg: palette(245), bg: PAPER },
};

const colored: Theme = { style: (tone) => COLORS[tone] };

const BOLD: ReadonlySet<Tone> = new Set(["title", "target", "warning", "key"]);

/** NO_COLOR, or a terminal of few colors: the other way round than the program's text. */
const plain: Theme = {
  style: (tone) => ({
    fg: FG_INVERSE | (BOLD.has(tone) ? FG_BOLD : 0),
    bg: tone === "off" || tone === "asleep" ? BG_DIM : 0,
  }),
};

export function themeFor(environment: Readonly<Record<string, string | undefined>>): Theme {
  const { NO_COLOR, TERM = "", COLORTERM } = environment;
  if (NO_COLOR !== undefined && NO_COLOR !== "") return plain;
  return /256color|direct|kitty|ghostty|alacritty|foot|wezterm/.test(TERM) || COLORTERM !== undefined ? colored : plain;
}

export function drawRows(rows: readonly Row[], columns: number, theme: Theme): Line[] {
  return rows.map((row) => drawRow(row, columns, theme));
}

function drawRow(row: Row, columns: number, theme: Theme): Line {
  const line = new Line(columns);
  let column = 0;
  const [first] = row;
  const edge = first?.tone === "title" || first?.tone === "asleep" ? first.tone : "plain";
  for (const { text, tone } of row) {
    const { fg, bg } = theme.style(tone);
    for (const character of text) column = put(line, column, character, fg, bg);
  }
  const blank = theme.style(edge);
  for (; column < columns; column++) line.set(column, 0x20 | (1 << 22), blank.fg, blank.bg, 0);
  return line;
}

function put(line: Line, column: number, character: string, fg: number, bg: number): number {
  const code = character.codePointAt(0)!;
  const width = characterWidth(code);
  if (width === 0) {
    if (column > 0) line.addMark(line.isTrailing(column - 1) ? column - 2 : column - 1, character);
    return column;
  }
  if (column + width > line.columns) return column;
  line.set(column, code | (width << 22), fg, bg, 0);
  if (width === 2) line.set(column + 1, TRAILING, fg, bg, 0);
  return column + width;
}
