/** So many questions a second for each API key; a burst of one second's worth. */
import type { Clock } from "../clock.ts";

interface Bucket {
  left: number;
  at: number;
}

export class RateLimit {
  private readonly buckets = new Map<string, Bucket>();

  /** `perSecond` 0 is no limit. */
  constructor(
    private readonly perSecond: number,
    private readonly clock: Clock,
  ) {}

  /** 0 when `count` questions may be asked now, else the whole seconds to wait. A batch may overdraw a full bucket, or it could never be asked. */
  take(name: string, count: number): number {
    if (this.perSecond === 0) return 0;
    const now = this.clock.ticks();
    const bucket = this.buckets.get(name) ?? { left: this.perSecond, at: now };
    this.buckets.set(name, bucket);
    bucket.left = Math.min(this.perSecond, bucket.left + ((now - bucket.at) / 1000) * this.perSecond);
    bucket.at = now;
    const needed = Math.min(count, this.perSecond);
    if (bucket.left < needed) return Math.ceil((needed - bucket.left) / this.perSecond);
    bucket.left -= count;
    return 0;
  }
}
