/** A decision as a line of the log: the keys of SPEC §5 in their order, bytes that are no UTF-8 as `\xNN`. */
import type { Decision } from "../control/messages.ts";

const KEYS = [
  "time",
  "pid",
  "exe",
  "syscall",
  "path",
  "dest",
  "decision",
  "reason",
  "op",
  "to",
  "rule",
  "client",
  "waited_ms",
  "request",
  "by",
] as const satisfies readonly (keyof Decision)[];

export function formatDecision(decision: Decision): string {
  const line: Record<string, unknown> = {};
  for (const key of KEYS) {
    const value = decision[key];
    if (value !== undefined) line[key] = typeof value === "string" ? escapeBytes(value) : value;
  }
  return JSON.stringify(line);
}

/** The decision that a line holds; undefined where it holds none. */
export function parseDecision(line: string): Decision | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || !("time" in value) || !("decision" in value)) return undefined;
  const fields = Object.entries(value).map(([key, one]) => [key, typeof one === "string" ? unescapeBytes(one) : one]);
  return Object.fromEntries(fields) as Decision;
}

/** A byte that path text carries as a lone surrogate becomes `\xNN`; a backslash that would read as one becomes `\x5c`. */
export function escapeBytes(text: string): string {
  const unambiguous = text.replaceAll(/\\(?=x[0-9a-f]{2})/g, "\\x5c");
  if (unambiguous.isWellFormed()) return unambiguous;
  return unambiguous.replaceAll(/[\udc80-\udcff]/gu, (byte) => `\\x${(byte.charCodeAt(0) - 0xdc00).toString(16)}`);
}

/** The exact inverse of `escapeBytes`. */
export function unescapeBytes(text: string): string {
  return text.replaceAll(/\\x([0-9a-f]{2})/g, (whole, hex: string) => {
    const byte = Number.parseInt(hex, 16);
    return byte >= 0x80 ? String.fromCharCode(0xdc00 + byte) : byte === 0x5c ? "\\" : whole;
  });
}
