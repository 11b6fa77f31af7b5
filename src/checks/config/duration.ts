/** Durations such as `8s`, `1m30s`, `500ms`. */

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds. Throws an Error whose message says what a duration looks like. */
export function readDuration(source: string): number {
  const parts = [...source.matchAll(/(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)/g)];
  if (source === "" || parts.map(([part]) => part).join("") !== source)
    throw new Error("must be a duration like 8s, 500ms or 1m30s");
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ""] ?? 0), 0);
}
