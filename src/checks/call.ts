/** What travels with every read a check makes: whether it must be fresh, until when it may take, and what it has read so far. */
import type { Clock } from "./clock.ts";
import { stop, type Stop } from "./codes.ts";
import { Trace } from "./trace.ts";

/** Time for a fill whose first caller brought no deadline (CHECKS §1.5). */
const DETACHED_MS = 30_000;

export class Call {
  readonly begun: number;

  /** `endsAt` is in ticks of the clock; Infinity is no deadline. */
  constructor(
    readonly clock: Clock,
    readonly fresh: boolean,
    readonly endsAt: number,
    readonly trace: Trace = new Trace(),
  ) {
    this.begun = clock.ticks();
  }

  /** Milliseconds left; zero or less when time is up. */
  left(): number {
    return this.endsAt - this.clock.ticks();
  }

  /** The same deadline and freshness with a trace of its own, for a fill that others may share. */
  fork(): Call {
    const endsAt = Number.isFinite(this.endsAt) ? this.endsAt : this.clock.ticks() + DETACHED_MS;
    return new Call(this.clock, this.fresh, endsAt);
  }

  /** The promise's result, or `upstream_timeout` once the deadline passes; the work itself goes on for others. */
  async wait<T>(work: Promise<T>): Promise<T> {
    let cancel = (): void => {};
    const alarm = new Promise<never>((_, reject) => {
      cancel = Number.isFinite(this.endsAt) ? this.clock.timer(this.left(), () => reject(outOfTime())) : cancel;
    });
    try {
      return await Promise.race([work, alarm]);
    } finally {
      cancel();
    }
  }
}

export function outOfTime(): Stop {
  return stop("upstream_timeout", "the system did not answer in time");
}
