/**
 * How a cell lies in a line: four words, so that a row is copied, cleared and compared as plain memory.
 *
 *   code   0..20 code point, 0 for a cell never written | 21 more characters in `Line.marks` | 22..23 width
 *   fg     0..23 color, 24..25 its kind | 26 bold 27 italic 28 blink 29 inverse 30 invisible 31 struck out
 *   bg     0..23 color, 24..25 its kind | 26 dim 27 overline 28 protected 29 rapid blink
 *   ext    0..2 underline | 3.. index into the table of underline colors and links
 *
 * All zero is an empty cell of the default colors; its width is read as 1.
 */

export const CELL_WORDS = 4;

export const CODE_MASK = 0x1fffff;
export const HAS_MARKS = 1 << 21;
export const WIDTH_SHIFT = 22;
/** The second half of a wide character: no code, and this instead of a width. */
export const TRAILING = 3 << WIDTH_SHIFT;
export const WIDE = 2 << WIDTH_SHIFT;

export const COLOR_MASK = 0x3ffffff;
export const COLOR_DEFAULT = 0;
export const COLOR_PALETTE = 1 << 24;
export const COLOR_RGB = 2 << 24;
export const COLOR_KIND = 3 << 24;

export const FG_BOLD = 1 << 26;
export const FG_ITALIC = 1 << 27;
export const FG_BLINK = 1 << 28;
export const FG_INVERSE = 1 << 29;
export const FG_INVISIBLE = 1 << 30;
export const FG_STRUCK = 1 << 31;

export const BG_DIM = 1 << 26;
export const BG_OVERLINE = 1 << 27;
export const BG_PROTECTED = 1 << 28;
export const BG_RAPID_BLINK = 1 << 29;

export const EXT_UNDERLINE = 7;
export const EXT_SHIFT = 3;

/** How characters will look that are printed from now on. */
export interface Pen {
  fg: number;
  bg: number;
  ext: number;
}

export function newPen(): Pen {
  return { fg: 0, bg: 0, ext: 0 };
}

export function copyPen(from: Pen, to: Pen): void {
  to.fg = from.fg;
  to.bg = from.bg;
  to.ext = from.ext;
}
