/** A clock that stands still until a test moves it; waiting moves it at once. */
import type { Clock } from "../../../src/checks/clock.ts";

interface Timer {
  readonly at: number;
  readonly fire: () => void;
}

export class TestClock implements Clock {
  private elapsed = 0;
  private readonly timers = new Set<Timer>();

  constructor(private readonly start = Date.UTC(2026, 0, 1)) {}

  now(): number {
    return this.start + this.elapsed;
  }

  ticks(): number {
    return this.elapsed;
  }

  timer(ms: number, fire: () => void): () => void {
    const timer = { at: this.elapsed + ms, fire };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  async sleep(ms: number): Promise<void> {
    this.advance(ms);
  }

  /** Moves on by `ms`, firing in order what falls due. */
  advance(ms: number): void {
    const until = this.elapsed + ms;
    for (let next = this.due(until); next !== undefined; next = this.due(until)) {
      this.elapsed = Math.max(this.elapsed, next.at);
      this.timers.delete(next);
      next.fire();
    }
    this.elapsed = until;
  }

  /** Timers not fired and not cancelled; zero when nothing was left behind. */
  get pending(): number {
    return this.timers.size;
  }

  private due(until: number): Timer | undefined {
    return [...this.timers].filter((timer) => timer.at <= until).toSorted((a, b) => a.at - b.at)[0];
  }
}
