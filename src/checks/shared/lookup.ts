/** What an integration reads about its system and keeps for a while: role permissions, policies, lists (CHECKS §1.5). */
import { Cache } from "../cache.ts";
import type { Call } from "../call.ts";
import type { Clock } from "../clock.ts";
import type { Logger } from "../logger.ts";

export interface LookupOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly name: string;
  readonly ttlMs: number;
  /** One of those that §1.6 lists: `fresh` does not refresh it. */
  readonly exempt?: boolean;
}

/** Values by key; errors are never kept. `fresh` calls read anew unless the lookup is exempt. */
export class Lookup<V> {
  private readonly cache: Cache<V>;

  constructor({ ttlMs, ...options }: LookupOptions) {
    this.cache = new Cache<V>({ ...options, ttl: () => ttlMs });
  }

  async get(key: string, call: Call, fill: (call: Call) => Promise<V>): Promise<V> {
    return (await this.cache.get(key, call, fill)).value;
  }

  drop(key: string): void {
    this.cache.drop(key);
  }
}
