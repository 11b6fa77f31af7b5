/** The line drawing characters of the DEC special set. */

const FIRST = 0x5f;
const DRAWN = " ◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·";
const CODES = Array.from(DRAWN, (character) => character.codePointAt(0)!);

/** What a byte of ASCII stands for while the set is in use. */
export function lineDrawing(byte: number): number {
  return CODES[byte - FIRST] ?? byte;
}
