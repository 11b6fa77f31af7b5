/** When a call is tried again, and after how long (CHECKS §1.10). */
import type { Clock } from "../clock.ts";

export const EXTRA_TRIES = 2;
const LONGEST_RETRY_AFTER = 5_000;

export function isRetriable(status: number): boolean {
  return status === 429 || status === 502 || status === 503 || status === 504;
}

/**
 * Milliseconds before try `n` + 1 (from 0), or undefined to give up: min(0.2·2ⁿ, 2) s, half of it random; a `Retry-After`
 * (seconds or a date) stands instead, and past 5 s ends the tries.
 */
export function pauseBefore(n: number, retryAfter: string | undefined, clock: Clock): number | undefined {
  const named = retryAfter === undefined ? undefined : readRetryAfter(retryAfter, clock.now());
  if (named !== undefined) return named <= LONGEST_RETRY_AFTER ? named : undefined;
  const base = Math.min(200 * 2 ** n, 2_000);
  return base / 2 + (Math.random() * base) / 2;
}

function readRetryAfter(value: string, now: number): number | undefined {
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
