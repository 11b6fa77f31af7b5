/** Configured connections made ready for use, each with its own way to its vendor; no network (CHECKS §2.2). */
import { Cache } from "./cache.ts";
import type { Call } from "./call.ts";
import type { Clock } from "./clock.ts";
import { Stop, type Finding } from "./codes.ts";
import type { ConnectionConfig } from "./config/connection.ts";
import { linksOf } from "./config/order.ts";
import { ConfigError, type Problem } from "./config/raw.ts";
import { Api } from "./http/api.ts";
import { proxyRules } from "./http/proxy.ts";
import { Transport } from "./http/transport.ts";
import type { Action, AnyConnection, AnyIntegration, Identifies, Parts } from "./integration.ts";
import type { Logger } from "./logger.ts";
import type { Resource, Subject } from "./question.ts";
import { Lookup } from "./shared/lookup.ts";
import { Tokens } from "./shared/tokens.ts";

export interface Surroundings {
  readonly clock: Clock;
  readonly log: Logger;
  readonly identityCacheSeconds: number;
  /** Where HTTPS_PROXY, HTTP_PROXY and NO_PROXY are read from, once. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Tests only (http/transport.ts). */
  readonly dial?: (origin: string) => string | undefined;
}

/** How long "no account" and "several accounts" are kept. */
const NEGATIVE_MS = 60_000;

type Identified = { readonly identity: unknown } | { readonly finding: Finding };

/** A connection with its identity cache. */
export class Built {
  private readonly identities: Cache<Identified>;

  constructor(
    readonly id: string,
    readonly integration: AnyIntegration,
    readonly timeoutMs: number,
    private readonly connection: AnyConnection,
    private readonly transport: Transport,
    { clock, log, identityCacheSeconds }: Surroundings,
  ) {
    const ttl = (value: Identified): number =>
      Math.min(identityCacheSeconds * 1000, "finding" in value ? NEGATIVE_MS : Infinity);
    this.identities = new Cache({ name: `${id} identity`, clock, log, ttl });
  }

  get base(): URL | undefined {
    return this.connection.base;
  }

  get raw(): AnyConnection {
    return this.connection;
  }

  /** The action of this exact name, else of the first family that knows it. */
  action(name: string): Action | undefined {
    const exact = this.integration.actions.find((action) => action.name === name);
    if (exact !== undefined) return exact;
    for (const { match } of this.integration.patterns ?? []) {
      const action = match(name);
      if (action !== undefined) return action;
    }
    return undefined;
  }

  prepare(action: Action, resource: Resource, subject: Subject): unknown {
    return this.connection.prepare(action as never, resource, subject);
  }

  /** The person's account, from the cache or the vendor. Throws Stop. */
  async identify(subject: Subject, call: Call): Promise<unknown> {
    const key = JSON.stringify([subject.email, subject.groups]);
    const { value } = await this.identities.get(key, call, async (inner) => await this.ask(subject, inner));
    if ("finding" in value) throw new Stop(value.finding);
    return value.identity;
  }

  private async ask(subject: Subject, call: Call): Promise<Identified> {
    try {
      return { identity: await this.connection.identify(subject, call) };
    } catch (error) {
      const isKept = error instanceof Stop && ["user_not_found", "user_ambiguous"].includes(error.finding.code);
      if (isKept) return { finding: error.finding };
      throw error;
    }
  }

  /** Ends idle connections to the vendor. */
  close(): void {
    this.transport.close();
  }

  async decide(identity: unknown, ask: unknown, call: Call): Promise<unknown> {
    return await this.connection.decide(identity, ask, call);
  }
}

/** All connections by id. Throws ConfigError for what an integration finds wrong while it builds (a broken map file). */
export function build(configs: readonly ConnectionConfig[], around: Surroundings): Map<string, Built> {
  const built = new Map<string, Built>();
  const problems: Problem[] = [];
  for (const config of configs) {
    try {
      built.set(config.id, buildOne(config, built, around));
    } catch (error) {
      problems.push({ at: config.at, message: `${config.id}: ${(error as Error).message}` });
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return built;
}

/** Only the connection `id` and what it links to. */
export function only(configs: readonly ConnectionConfig[], id: string): ConnectionConfig[] {
  const wanted = new Set([id]);
  for (const config of configs.toReversed()) {
    if (wanted.has(config.id)) for (const link of linksOf(config)) wanted.add(link.id);
  }
  return configs.filter((config) => wanted.has(config.id));
}

function buildOne(config: ConnectionConfig, built: ReadonlyMap<string, Built>, around: Surroundings): Built {
  const values = { ...config.values };
  for (const { key, id } of linksOf(config)) {
    const other = built.get(id);
    if (other === undefined) throw new Error(`${key} names a connection that could not be built`);
    values[key] = { id, connection: other.raw };
  }
  const transport = transportOf(config, around);
  const connection = config.integration.connect(values as never, partsOf(config, built, transport, around));
  return new Built(config.id, config.integration, config.timeoutMs, connection, transport, around);
}

function partsOf(
  config: ConnectionConfig,
  built: ReadonlyMap<string, Built>,
  transport: Transport,
  around: Surroundings,
): Parts {
  const { clock, log } = around;
  return {
    id: config.id,
    clock,
    log,
    timeoutMs: config.timeoutMs,
    api: (options) => new Api(transport, options),
    lookup: (name, ttlMs, options) => new Lookup({ clock, log, name: `${config.id} ${name}`, ttlMs, ...options }),
    tokens: (mint, earlyMs) => new Tokens({ clock, log, ...(earlyMs === undefined ? {} : { earlyMs }) }, mint),
    identify: async <I>(linked: { id: string; connection: Identifies<I> }, subject: Subject, call: Call) =>
      (await built.get(linked.id)?.identify(subject, call)) as I,
  };
}

function transportOf(config: ConnectionConfig, { clock, log, env, dial }: Surroundings): Transport {
  const { ca, tlsServerName, proxyUrl, timeoutMs } = config;
  const tls = {
    ...(ca === undefined ? {} : { ca }),
    ...(tlsServerName === undefined ? {} : { serverName: tlsServerName }),
  };
  const optional = { ...(proxyUrl === undefined ? {} : { proxyUrl }), ...(dial === undefined ? {} : { dial }) };
  return new Transport({ clock, log, timeoutMs, tls, proxies: proxyRules(env), ...optional });
}
