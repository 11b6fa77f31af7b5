/** Short-lived tokens that are exchanged for a secret: cached until a little before they end, dropped when refused. */
import { Cache } from "../cache.ts";
import type { Call } from "../call.ts";
import type { Clock } from "../clock.ts";
import type { Logger } from "../logger.ts";
import type { Credential } from "./credential.ts";

export interface Token {
  readonly value: string;
  readonly lifetimeMs: number;
}

/** A token this much before its end is not used any more. */
const EARLY_MS = 5 * 60_000;

export interface TokensOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Renewed this long before the end; a token shorter than twice this is kept for half its life. */
  readonly earlyMs?: number;
}

/** Tokens by a key of the vendor's (a subject and a scope); one key is enough for most. */
export class Tokens {
  private readonly cache: Cache<Token>;

  /** `mint` makes the exchange, with `evidence: false`; it throws Stop. */
  constructor(
    options: TokensOptions,
    private readonly mint: (call: Call, key: string) => Promise<Token>,
  ) {
    const early = options.earlyMs ?? EARLY_MS;
    const ttl = ({ lifetimeMs }: Token): number => Math.max(lifetimeMs - early, lifetimeMs / 2);
    this.cache = new Cache({ name: "token", clock: options.clock, log: options.log, exempt: true, ttl });
  }

  async get(call: Call, key = ""): Promise<string> {
    const { value } = await this.cache.get(key, call, (inner) => this.mint(inner, key));
    return value.value;
  }

  drop(key = ""): void {
    this.cache.drop(key);
  }

  /** Drops the token unless another has taken its place meanwhile, so that each is replaced at most once. */
  refuse(value: string, key = ""): void {
    if (this.cache.peek(key)?.value === value) this.cache.drop(key);
  }

  /** `<name>: <prefix><token>`, minted anew once after a refusal. */
  credential({ key = "", name = "authorization", prefix = "Bearer ", renewOn = [401] }: TokenHeader = {}): Credential {
    return {
      headers: async (_request, call) => ({ [name]: prefix + (await this.get(call, key)) }),
      renew: (refused, status) => {
        if (!renewOn.includes(status)) return false;
        this.refuse((refused.headers[name] ?? "").slice(prefix.length), key);
        return true;
      },
    };
  }
}

export interface TokenHeader {
  readonly key?: string;
  /** In lower case. */
  readonly name?: string;
  readonly prefix?: string;
  /** Statuses with which the vendor refuses a token that has ended. */
  readonly renewOn?: readonly number[];
}
