/** How many columns a character takes, as most terminals of today count them. */

const SOFT_HYPHEN = 0xad;
const KEYCAP = 0x20e3;

const PAGE = 256;
const pages: (Int8Array | undefined)[] = [];

function makePage(page: number): Int8Array {
  const widths = new Int8Array(PAGE);
  for (let i = 0; i < PAGE; i++) widths[i] = measure(page * PAGE + i);
  return widths;
}

function measure(code: number): number {
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return 0;
  if (code >= 0xd800 && code < 0xe000) return 1;
  if (code === SOFT_HYPHEN) return 1;
  if (code === KEYCAP) return 0;
  return Bun.stringWidth(String.fromCodePoint(code));
}

/** 0 for what joins the character before it, 1 or 2. */
export function characterWidth(code: number): number {
  const page = code >>> 8;
  return (pages[page] ??= makePage(page))[code & 0xff]!;
}

/** Columns of text without control characters. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character.codePointAt(0)!);
  return width;
}
