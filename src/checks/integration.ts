/** The contract between the engine and an integration; how to write one is in README.md. */
import type { Call } from "./call.ts";
import type { Clock } from "./clock.ts";
import type { Finding } from "./codes.ts";
import type { ConfigOf, Keys } from "./config/keys.ts";
import type { Api, ApiOptions } from "./http/api.ts";
import type { Logger } from "./logger.ts";
import type { Resource, Subject } from "./question.ts";
import type { Lookup } from "./shared/lookup.ts";
import type { Token, Tokens } from "./shared/tokens.ts";

/** An action as data; an integration adds fields of its own (the vendor's permission, the level needed). */
export interface Action {
  readonly name: string;
  /** The resource types it can be asked on; any other is `invalid_request` before anything is read. */
  readonly resources: readonly string[];
  /** For the catalog: what the person would do. */
  readonly about: string;
}

/** A family of actions, such as `raw:<verb>:<resource>`. */
export interface Pattern<A extends Action = Action> {
  /** As the catalog shows it. */
  readonly form: string;
  readonly about: string;
  /** The action for an exact name, or undefined when it is not of this family. */
  readonly match: (name: string) => A | undefined;
}

export interface ProbeReport {
  /** One sentence: who hallpass is there. */
  readonly summary: string;
  /** What the operator should change: rights too many or missing, keys that end soon. */
  readonly warnings: readonly string[];
}

/**
 * One configured connection. `Ask` is what one question means to the vendor, `Identity` the vendor's account of the person
 * (plain data: it is cached). All reads go through `call`. Every method may throw a Stop; a plain Error is a bug.
 */
export interface Connection<Identity = unknown, Ask = unknown, A extends Action = Action> {
  /** Evidence names the host of calls that went elsewhere. */
  readonly base?: URL;
  /** The question in the vendor's terms, or `invalid_request`. Looks at nothing but its arguments; no network. */
  prepare(action: A, resource: Resource, subject: Subject): Ask;
  /** The person's account. Throws `userNotFound` as Stop, `user_ambiguous`, and `denied` for an account that is switched off. */
  identify(subject: Subject, call: Call): Promise<Identity>;
  decide(identity: Identity, ask: Ask, call: Call): Promise<Finding>;
  /** Whether our own credential works, and whether it can do more or less than it should. */
  probe(call: Call): Promise<ProbeReport>;
}

/** The part of a connection that others link to for its accounts. */
export interface Identifies<I> {
  identify(subject: Subject, call: Call): Promise<I>;
}

/** What the engine gives a connection to work with. */
export interface Parts {
  readonly id: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** `timeout` of the connection. */
  readonly timeoutMs: number;
  /** An API with this connection's TLS, proxy and timeout settings. */
  api(options: ApiOptions): Api;
  /** Reads that are kept for `ttlMs`. */
  lookup<V>(name: string, ttlMs: number, options?: { readonly exempt?: boolean }): Lookup<V>;
  tokens(mint: (call: Call, key: string) => Promise<Token>, earlyMs?: number): Tokens;
  /** The person's account at a linked connection, through its identity cache. Same errors as its `identify`. */
  identify<I>(
    linked: { readonly id: string; readonly connection: Identifies<I> },
    subject: Subject,
    call: Call,
  ): Promise<I>;
}

export interface ConfigProblem {
  readonly key: string;
  readonly message: string;
}

/** The connection type `C` and the keys `K` tie together what `connect` is given and what other integrations may link to. */
export interface Integration<K extends Keys = Keys, C extends AnyConnection = AnyConnection> {
  readonly name: string;
  /** For the catalog: the vendor's product. */
  readonly about: string;
  readonly keys: K;
  readonly actions: readonly ActionOf<C>[];
  readonly patterns?: readonly Pattern<ActionOf<C>>[];
  /** Rules between keys; called when each key alone is in order. No network. */
  readonly check?: (config: ConfigOf<K>) => readonly ConfigProblem[];
  /** Builds a connection. No network. Throws an Error whose message is a configuration problem (a broken map file, say). */
  readonly connect: (config: ConfigOf<K>, parts: Parts) => C;
}

type ActionOf<C extends AnyConnection> = Parameters<C["prepare"]>[0];

// A connection's methods only ever get what its own `identify` and `prepare` made, so the engine can hold all as one type.
export type AnyConnection = Connection<unknown, unknown, never>;

/** An integration as the engine and the catalog hold it. */
export interface AnyIntegration {
  readonly name: string;
  readonly about: string;
  readonly keys: Keys;
  readonly actions: readonly Action[];
  readonly patterns?: readonly Pattern[];
  readonly check?: (config: never) => readonly ConfigProblem[];
  readonly connect: (config: never, parts: Parts) => AnyConnection;
}

/** Gives an integration its types; it adds no behaviour. */
export function defineIntegration<const K extends Keys, C extends AnyConnection>(
  integration: Integration<K, C>,
): Integration<K, C> {
  return integration;
}
