/**
 * Long plain output (text, line ends, colors) leaves nothing on the screen but its last rows: what comes before them is
 * not worth laying out. `skippable` says how much of it may be left out, and `penFrom` where its colors begin to matter.
 */

const LF = 0x0a;
const CR = 0x0d;
const ESC = 0x1b;

/** Bytes that only print or end lines: no control but BS, TAB, LF, VT, FF, CR, and no U+0080 to U+00BF (C1 controls). */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  (byte >= 0x20 && byte !== 0xc2) || (byte >= 0x08 && byte <= CR) ? 1 : 0,
);

/** Shorter output is laid out whole. */
const WORTH = 8 * 1024;

/** The length of the beginning that may be left out, 0 for none; it ends with CR LF and `rows` of lines are kept behind it. */
export function skippable(bytes: Uint8Array, rows: number, kept: number): number {
  if (bytes.length < WORTH) return 0;
  let end = bytes.length;
  for (let lines = 0; lines <= kept; lines++) {
    end = bytes.lastIndexOf(LF, end - 1);
    if (end <= 0) return 0;
  }
  if (bytes[end - 1] !== CR || !hasLines(bytes, end, rows)) return 0;
  return isPlain(bytes) ? end + 1 : 0;
}

/** At least `rows` line ends before `end`, so that the cursor is in the last row whatever it was before. */
function hasLines(bytes: Uint8Array, end: number, rows: number): boolean {
  let at = -1;
  for (let lines = 0; lines <= rows; lines++) {
    at = bytes.indexOf(LF, at + 1);
    if (at < 0 || at >= end) return false;
  }
  return true;
}

function isPlain(bytes: Uint8Array): boolean {
  const { length } = bytes;
  let at = 0;
  while (at < length) {
    const byte = bytes[at]!;
    if (PLAIN[byte] === 1) at++;
    else if (byte !== ESC) return false;
    else {
      at = endOfSgr(bytes, at);
      if (at < 0) return false;
    }
  }
  return true;
}

/** Behind an SGR that begins at `at`; the output may end within one. -1 for anything else. */
function endOfSgr(bytes: Uint8Array, at: number): number {
  const { length } = bytes;
  if (at + 1 < length && bytes[at + 1] !== 0x5b) return -1;
  let end = at + 2;
  while (end < length && bytes[end]! >= 0x30 && bytes[end]! <= 0x3b) end++;
  if (end >= length) return length;
  return bytes[end] === 0x6d ? end + 1 : -1;
}

/** The last SGR before `end` that begins with a reset; the first of all where none does; -1 where there is no SGR. */
export function penFrom(bytes: Uint8Array, end: number): number {
  let first = -1;
  for (let at = bytes.lastIndexOf(ESC, end - 1); at >= 0; at = at === 0 ? -1 : bytes.lastIndexOf(ESC, at - 1)) {
    first = at;
    const next = bytes[at + 2];
    if (next === 0x6d) return at;
    if (next === 0x30 && (bytes[at + 3] === 0x6d || bytes[at + 3] === 0x3b)) return at;
  }
  return first;
}
