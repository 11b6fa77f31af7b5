/** The way to a vendor for one connection: route, proxy, TLS, tries and the debug line (CHECKS §1.10). */
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Call } from "../call.ts";
import type { Clock } from "../clock.ts";
import { outOfTime } from "../call.ts";
import { stop } from "../codes.ts";
import type { Logger } from "../logger.ts";
import { isLoopback, portOf, proxyFor, proxyHeaders, tunnel, type ProxyRules } from "./proxy.ts";
import { EXTRA_TRIES, isRetriable, pauseBefore } from "./retry.ts";
import { Reply } from "./reply.ts";
import { tlsOver, type TlsSettings } from "./tls.ts";
import { parseUrl } from "./url.ts";
import { exchange, WireError, type Limits, type Outgoing, type Route } from "./wire.ts";

export interface TransportSettings {
  readonly clock: Clock;
  readonly log: Logger;
  /** `timeout` of the connection, in milliseconds. */
  readonly timeoutMs: number;
  readonly tls: TlsSettings;
  readonly proxyUrl?: URL;
  readonly proxies: ProxyRules;
  /** Tests only: the origin to connect to in the stead of one that is fixed by the vendor. The Host header stays. */
  readonly dial?: (origin: string) => string | undefined;
}

export interface Attempt {
  /** Made anew for every try, so that the secret is read at that moment. */
  readonly make: () => Promise<Outgoing>;
  readonly isIdempotent: boolean;
}

/** The last try: what was sent, and what came. */
export interface Sent {
  readonly out: Outgoing;
  readonly reply: Reply;
  /** Ticks at which it was sent. */
  readonly began: number;
}

const CONNECT_MS = 5_000;
/** Idle connections are kept for a few seconds. */
const POOL = { keepAlive: true, timeout: 5_000, maxFreeSockets: 8 };

export class Transport {
  private readonly agents = { http: new HttpAgent(POOL), https: new HttpsAgent(POOL) };

  constructor(private readonly settings: TransportSettings) {}

  close(): void {
    this.agents.http.destroy();
    this.agents.https.destroy();
  }

  /** The final answer, whatever its status. Throws `upstream_timeout` and `upstream_error` when there is none. */
  async send(attempt: Attempt, call: Call): Promise<Sent> {
    for (let n = 0; ; n++) {
      const began = call.clock.ticks();
      const out = await attempt.make();
      const outcome = await this.attempt(out, call);
      const pause = attempt.isIdempotent && n < EXTRA_TRIES ? this.pause(outcome, n) : undefined;
      if (pause !== undefined && pause < call.left()) {
        await call.clock.sleep(pause);
        continue;
      }
      if (outcome instanceof WireError) throw asStop(outcome);
      return { out, reply: outcome, began };
    }
  }

  private pause(outcome: Reply | WireError, n: number): number | undefined {
    const { clock } = this.settings;
    if (outcome instanceof WireError)
      return outcome.kind === "transport" ? pauseBefore(n, undefined, clock) : undefined;
    return isRetriable(outcome.status) ? pauseBefore(n, outcome.headers["retry-after"], clock) : undefined;
  }

  private async attempt(out: Outgoing, call: Call): Promise<Reply | WireError> {
    const began = call.clock.ticks();
    const outcome = await this.tryOnce(out, call);
    this.settings.log.debug("call", {
      method: out.method,
      host: out.url.host,
      path: out.path.split("?")[0] ?? "",
      status: outcome instanceof WireError ? outcome.detail : outcome.status,
      duration_ms: Math.round(call.clock.ticks() - began),
    });
    return outcome;
  }

  private async tryOnce(out: Outgoing, call: Call): Promise<Reply | WireError> {
    const totalMs = Math.min(this.settings.timeoutMs, call.left());
    if (totalMs <= 0) return new WireError("timeout", "no time left");
    try {
      const limits = { totalMs, connectMs: Math.min(CONNECT_MS, totalMs) };
      const { status, headers, body } = await this.exchange(out, limits);
      return new Reply(status, headers, body);
    } catch (error) {
      if (error instanceof WireError) return error;
      throw error;
    }
  }

  private async exchange(out: Outgoing, limits: Limits) {
    const { clock, dial, tls, proxyUrl, proxies } = this.settings;
    const to = parseUrl(dial?.(out.url.origin) ?? "") ?? out.url;
    const proxy = proxyFor(to, proxyUrl, proxies);
    const isTls = to.protocol === "https:";
    const agent = isTls ? this.agents.https : this.agents.http;
    const direct: Route = { host: bareHost(to), port: Number(portOf(to)), isTls, tls, agent };
    if (proxy === undefined) return await exchange(out, direct, limits, clock);
    if (!isTls) return await exchange(absolute(out, proxy), via(proxy), limits, clock);
    const began = clock.ticks();
    const socket = tlsOver(await tunnel(proxy, to, limits, clock), to.hostname, tls);
    const totalMs = Math.max(1, limits.totalMs - (clock.ticks() - began));
    return await exchange(out, { ...direct, socket }, { ...limits, totalMs }, clock);
  }
}

function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

/** Plain HTTP through a proxy: the whole URL on the request line. */
function absolute(out: Outgoing, proxy: URL): Outgoing {
  return { ...out, path: out.url.origin + out.path, headers: { ...out.headers, ...proxyHeaders(proxy) } };
}

function via(proxy: URL): Route {
  return { host: bareHost(proxy), port: Number(portOf(proxy)), isTls: proxy.protocol === "https:", tls: {} };
}

function asStop(error: WireError): Error {
  if (error.kind === "timeout") return outOfTime();
  const text = error.kind === "size" ? "the system's answer is larger than 10 MiB" : "the system could not be reached";
  return stop("upstream_error", text);
}

/** `https:` anywhere, `http:` only to this machine (§2.2). */
export function isSafeScheme(url: URL): boolean {
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}
