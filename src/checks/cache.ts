/** A bounded cache whose entries know how old their data is, and whose misses are filled once for all who wait (CHECKS §1.5, §1.6). */
import type { Call } from "./call.ts";
import type { Clock } from "./clock.ts";
import { Crash, Stop } from "./codes.ts";
import { logCrash, type Logger } from "./logger.ts";
import type { Trace } from "./trace.ts";
import { type Mark } from "./trace.ts";

const LIMIT = 10_000;
/** How recent a read must be for a fresh request to take it as its own. */
const JOIN_MS = 1_000;

export interface CacheOptions<V> {
  readonly name: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** How long a value is kept, in milliseconds; 0 keeps it not at all. */
  readonly ttl: (value: V) => number;
  /** Bulk data and data that is no permission: `fresh` does not refresh it, and it does not age what rests on it. */
  readonly exempt?: boolean;
  readonly limit?: number;
}

export interface Got<V> {
  readonly value: V;
  /** True when no read was made or waited for. */
  readonly cached: boolean;
}

interface Entry<V> {
  readonly value: V;
  readonly trace: Trace;
  readonly date: number;
  readonly expires: number;
}

interface Flight<V> {
  readonly begun: number;
  readonly call: Call;
  readonly result: Promise<V>;
}

export class Cache<V> {
  private readonly entries = new Map<string, Entry<V>>();
  private readonly flights = new Map<string, Flight<V>>();

  constructor(private readonly options: CacheOptions<V>) {}

  get size(): number {
    return this.entries.size;
  }

  /** The value for `key`, filled by `fill` on a miss. Errors of a fill reach all its waiters and are never kept. */
  async get(key: string, call: Call, fill: (call: Call) => Promise<V>): Promise<Got<V>> {
    const entry = this.usable(key, call);
    if (entry !== undefined) return this.replay(entry, call);
    const flight = this.joinable(key, call);
    try {
      return flight === undefined ? await this.lead(key, call, fill) : await this.join(flight, key, call, fill);
    } catch (error) {
      const late = call.fresh ? undefined : this.usable(key, call);
      if (late !== undefined) return this.replay(late, call);
      throw error;
    }
  }

  /** The value held, with no regard to freshness; undefined when none is or it has expired. */
  peek(key: string): V | undefined {
    const entry = this.entries.get(key);
    return entry !== undefined && entry.expires > this.options.clock.ticks() ? entry.value : undefined;
  }

  drop(key: string): void {
    this.entries.delete(key);
  }

  private replay(entry: Entry<V>, call: Call): Got<V> {
    this.absorb(call, entry.trace, "cached");
    return { value: entry.value, cached: true };
  }

  private absorb(call: Call, trace: Trace, mark: Mark): void {
    call.trace.absorb(trace, mark, !this.options.exempt);
  }

  private refreshes(call: Call): boolean {
    return call.fresh && !this.options.exempt;
  }

  private usable(key: string, call: Call): Entry<V> | undefined {
    const entry = this.entries.get(key);
    const now = this.options.clock.ticks();
    if (entry === undefined || entry.expires <= now) return undefined;
    return this.refreshes(call) && now - entry.date >= JOIN_MS ? undefined : entry;
  }

  private joinable(key: string, call: Call): Flight<V> | undefined {
    const flight = this.flights.get(key);
    if (flight === undefined || !this.refreshes(call) || flight.call.fresh) return flight;
    return this.options.clock.ticks() - flight.begun < JOIN_MS ? flight : undefined;
  }

  private async lead(key: string, call: Call, fill: (call: Call) => Promise<V>): Promise<Got<V>> {
    const own = call.fork();
    const flight: Flight<V> = { begun: own.begun, call: own, result: this.fly(key, own, fill) };
    this.flights.set(key, flight);
    const done = (): void => void (this.flights.get(key) === flight && this.flights.delete(key));
    flight.result.then(done, done);
    try {
      return { value: await call.wait(flight.result), cached: false };
    } finally {
      this.absorb(call, own.trace, "own");
    }
  }

  private async fly(key: string, call: Call, fill: (call: Call) => Promise<V>): Promise<V> {
    try {
      const value = await fill(call);
      this.store(key, value, call);
      return value;
    } catch (error) {
      if (error instanceof Stop) throw error;
      logCrash(this.options.log, this.options.name, error);
      throw new Crash();
    }
  }

  private async join(flight: Flight<V>, key: string, call: Call, fill: (call: Call) => Promise<V>): Promise<Got<V>> {
    const outcome = await settled(call.wait(flight.result));
    const again = outcome.failed ? this.isOnlyTheirs(outcome.error, flight, call) : this.isTooOld(flight, call);
    if (again) return outcome.failed ? await this.get(key, call, fill) : await this.lead(key, call, fill);
    this.absorb(call, flight.call.trace, "shared");
    if (outcome.failed) throw outcome.error;
    return { value: outcome.value, cached: false };
  }

  /** Only the leader's time was up, not this caller's. */
  private isOnlyTheirs(error: unknown, flight: Flight<V>, call: Call): boolean {
    return call.left() > 0 && isTimeout(error) && flight.call.left() <= 0;
  }

  /** An ordinary fill may itself rest on older caches, which a fresh request must not take. */
  private isTooOld(flight: Flight<V>, call: Call): boolean {
    if (!this.refreshes(call) || flight.call.fresh) return false;
    return (flight.call.trace.oldest ?? flight.begun) < call.begun - JOIN_MS;
  }

  private store(key: string, value: V, call: Call): void {
    const ttl = this.options.ttl(value);
    const date = call.trace.oldest ?? call.begun;
    const now = this.options.clock.ticks();
    const held = this.entries.get(key);
    if (ttl <= 0 || (held !== undefined && held.expires > now && held.date > date)) return;
    this.entries.delete(key);
    this.entries.set(key, { value, trace: call.trace, date, expires: now + ttl });
    if (this.entries.size > (this.options.limit ?? LIMIT)) this.evict(now);
  }

  /** Expired entries first; where none is, the one inserted first. */
  private evict(now: number): void {
    for (const [key, entry] of this.entries) if (entry.expires <= now) this.entries.delete(key);
    for (const key of this.entries.keys()) {
      if (this.entries.size <= (this.options.limit ?? LIMIT)) return;
      this.entries.delete(key);
    }
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Stop && error.finding.code === "upstream_timeout";
}

type Settled<V> = { failed: false; value: V } | { failed: true; error: unknown };

async function settled<V>(work: Promise<V>): Promise<Settled<V>> {
  return await work.then(
    (value): Settled<V> => ({ failed: false, value }),
    (error: unknown): Settled<V> => ({ failed: true, error }),
  );
}
