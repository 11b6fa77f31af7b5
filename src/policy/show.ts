/** Makes text that a process controls safe and honest to look at: nothing in it can move a cursor, hide or reorder. */

/** Controls, format and bidirectional characters, what is drawn as nothing, odd spaces, unassigned, lone surrogates. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\\]|(?! )\p{Zs}|^\p{M}/gu;

const NAMED: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\" };

/** Path text or any other text with everything unseen written out: `\n`, `\xNN` (a byte), `\u{NNNN}` (a character). */
export function show(text: string): string {
  return text.replace(UNSEEN, showCharacter);
}

/** Whether a character, the backslash apart, is one that `show` writes out wherever it stands. */
export function isUnseen(character: string): boolean {
  return /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u.test(character);
}

function showCharacter(character: string): string {
  const named = NAMED[character];
  if (named !== undefined) return named;
  const code = character.codePointAt(0)!;
  if (code < 0x80) return hexByte(code);
  if (code >= 0xdc80 && code <= 0xdcff) return hexByte(code - 0xdc00);
  return `\\u{${code.toString(16)}}`;
}

/** A byte as `\xNN`. */
export function hexByte(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, "0")}`;
}
