/** Durations as rules and flags write them: `90s`, `10m`, `2h`, `1h30m`. */

const UNITS = [
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const;

/** The longest duration, a year: more is a slip of the finger. */
const LONGEST = 366 * 24 * 3_600_000;

/** Milliseconds, or undefined where the text is no duration. */
export function parseDuration(text: string): number | undefined {
  const match = /^(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?$/.exec(text);
  if (!match || text === "") return undefined;
  const total = UNITS.reduce((sum, [, size], index) => sum + Number(match[index + 1] ?? 0) * size, 0);
  return total > 0 && total <= LONGEST ? total : undefined;
}

/** The shortest spelling; parts of a second are rounded up, so that what is shown is never shorter than what is given. */
export function formatDuration(milliseconds: number): string {
  let rest = Math.max(1, Math.ceil(milliseconds / 1_000)) * 1_000;
  let text = "";
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * size;
  }
  return text;
}
