/** Time as the checks see it; tests hand in a clock of their own, so nothing waits. */

export interface Clock {
  /** Milliseconds since 1970, for dates on the wire and in logs. */
  now(): number;
  /** Milliseconds that never go back, for ages and deadlines. */
  ticks(): number;
  /** Calls `fire` after `ms`; the result cancels it. */
  timer(ms: number, fire: () => void): () => void;
  /** Waits between two tries. */
  sleep(ms: number): Promise<void>;
}

/** The longest delay a timer of the platform takes; a longer one would fire at once. */
const LONGEST = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  ticks: () => performance.now(),
  timer(ms, fire) {
    const handle = setTimeout(fire, Math.min(Math.max(ms, 0), LONGEST));
    return () => clearTimeout(handle);
  },
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
