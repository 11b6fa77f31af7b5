/**
 * Path text: how bytes that the kernel calls a path live in strings. Valid UTF-8 is itself; every other byte 0xNN is
 * the lone surrogate U+DCNN (PEP 383), so that decode and encode are exact inverses. Made visible only by `show`.
 */

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** Bytes (no NUL) to path text. */
export function decodePath(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return decodePieces(bytes);
  }
}

function decodePieces(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at);
    text += length === 0 ? String.fromCharCode(0xdc00 + bytes[at]!) : strict.decode(bytes.subarray(at, at + length));
    at += length || 1;
  }
  return text;
}

function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  const length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (length === 0 || at + length > bytes.length) return 0;
  try {
    strict.decode(bytes.subarray(at, at + length));
    return length;
  } catch {
    return 0;
  }
}

/** Path text to the bytes it came from; the exact inverse of `decodePath`. */
export function encodePath(text: string): Uint8Array {
  if (text.isWellFormed()) return encoder.encode(text);
  const out: number[] = [];
  for (const point of text) {
    const code = point.codePointAt(0)!;
    if (code >= 0xdc80 && code <= 0xdcff) out.push(code - 0xdc00);
    else out.push(...encoder.encode(point));
  }
  return Uint8Array.from(out);
}
