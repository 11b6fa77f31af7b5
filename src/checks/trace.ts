/** The evidence of one check: which calls it rests on, and how old the oldest of them is (CHECKS §1.5, §1.8). */
import { createHash } from "node:crypto";

export interface UpstreamCall {
  readonly method: string;
  readonly origin: string;
  /** Never the query. */
  readonly path: string;
  readonly status: number;
  readonly etag?: string;
  readonly sha256?: string;
  /** Replayed from a cache. */
  readonly cached?: true;
  /** Made by a concurrent check. */
  readonly shared?: true;
}

export type Mark = "cached" | "shared" | "own";

const LIMIT = 100;

export class Trace {
  readonly calls: UpstreamCall[] = [];
  truncated = false;
  /** Ticks at which the oldest read began; undefined where nothing was read. */
  oldest: number | undefined;

  /** Adds a call that began at `began` ticks. */
  add(call: UpstreamCall, began: number): void {
    this.date(began);
    this.calls.push(call);
    this.trim();
  }

  date(ticks: number | undefined): void {
    if (ticks !== undefined) this.oldest = Math.min(this.oldest ?? ticks, ticks);
  }

  /** Takes over what another fill read. `dated` false: data exempt from refresh does not age the result (§1.6). */
  absorb(other: Trace, mark: Mark, dated = true): void {
    for (const call of other.calls) this.calls.push(mark === "own" ? call : { ...call, [mark]: true });
    this.truncated ||= other.truncated;
    if (dated) this.date(other.oldest);
    this.trim();
  }

  /** Replayed calls go first, then the oldest. */
  private trim(): void {
    while (this.calls.length > LIMIT) {
      const replayed = this.calls.findIndex((call) => call.cached);
      this.calls.splice(Math.max(replayed, 0), 1);
      this.truncated = true;
    }
  }
}

/** What identifies an answer: its etag when that is short and printable, else the hash of its body, nothing for an empty one. */
export function fingerprint(etag: string | undefined, body: Uint8Array): Pick<UpstreamCall, "etag" | "sha256"> {
  if (etag !== undefined && /^[\x20-\x7e]{1,128}$/.test(etag)) return { etag };
  return body.length === 0 ? {} : { sha256: createHash("sha256").update(body).digest("hex") };
}
