/** Small helpers for bytes that go to the kernel and come back. */

const encoder = new TextEncoder();
const decoder = new TextDecoder("latin1");

/** Text as bytes that end with NUL. For path text use `pathBytes(encodePath(text))`: surrogates are not handled here. */
export function cstring(text: string): Uint8Array {
  return pathBytes(encoder.encode(text));
}

/** The same bytes with a NUL behind them. */
export function pathBytes(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length + 1);
  out.set(bytes);
  return out;
}

/** Bytes as latin-1: one character a byte, for ASCII files such as those of /proc. */
export function ascii(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return decoder.decode(bytes.subarray(start, end));
}

/** An empty path for AT_EMPTY_PATH. */
export const EMPTY_PATH: Uint8Array = new Uint8Array(1);
