/** One request and its answer over HTTP/1.1: no redirects, no retries, a size cap, and time limits (CHECKS §1.4, §1.10). */
import { request as httpRequest, type Agent, type ClientRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import type { Duplex } from "node:stream";
import type { Clock } from "../clock.ts";
import { tlsOptions, type TlsSettings } from "./tls.ts";

export interface Outgoing {
  readonly method: string;
  readonly url: URL;
  /** Path and query as they go on the wire; never normalised, so that `%2F` stays what it is. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface Incoming {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface Limits {
  readonly totalMs: number;
  /** For the connection and again for the TLS handshake. */
  readonly connectMs: number;
}

export const MAX_BODY = 10 * 1024 * 1024;

/** Why there is no answer. `timeout` is never tried again, `transport` may be. */
export class WireError extends Error {
  override readonly name = "WireError";
  constructor(
    readonly kind: "timeout" | "transport" | "size",
    /** The platform's error code (ECONNRESET, …), never its message. */
    readonly detail: string,
  ) {
    super(`${kind}: ${detail}`);
  }
}

export interface Route {
  /** Where to connect, when not to the URL's own host: a proxy for plain HTTP, or a stand-in in tests. */
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly tls: TlsSettings;
  /** Keeps connections open for the next request; without one each has its own. */
  readonly agent?: Agent;
  /** An open tunnel through a proxy. */
  readonly socket?: Duplex;
}

export async function exchange(out: Outgoing, route: Route, limits: Limits, clock: Clock): Promise<Incoming> {
  return await new Promise<Incoming>((resolve, reject) =>
    new Exchange(out, route, limits, clock, resolve, reject).start(),
  );
}

class Exchange {
  private request: ClientRequest | undefined;
  private readonly cancels: (() => void)[] = [];
  private readonly chunks: Buffer[] = [];
  private size = 0;

  constructor(
    private readonly out: Outgoing,
    private readonly route: Route,
    private readonly limits: Limits,
    private readonly clock: Clock,
    private readonly resolve: (answer: Incoming) => void,
    private readonly reject: (error: WireError) => void,
  ) {}

  start(): void {
    this.guard(this.limits.totalMs, "no answer in time");
    try {
      const request = this.route.isTls ? httpsRequest(this.options()) : httpRequest(this.options());
      this.request = request;
      request.on("error", (error) => this.fail("transport", codeOf(error)));
      request.on("response", (message) => this.receive(message));
      request.on("socket", (socket) => this.watchConnect(socket));
      request.end(this.out.body);
    } catch (error) {
      this.fail("transport", codeOf(error));
    }
  }

  private options(): RequestOptions {
    const { host, port, isTls, tls, agent, socket } = this.route;
    const length = this.out.body === undefined ? {} : { "content-length": String(this.out.body.length) };
    return {
      host,
      port,
      method: this.out.method,
      path: this.out.path,
      headers: { host: this.out.url.host, ...this.out.headers, ...length },
      // createConnection is only called where there is no agent, not even `false` (nodejs.org/api/http.html).
      ...(socket === undefined ? { agent: agent ?? false } : {}),
      ...(isTls ? tlsOptions(this.out.url.hostname, tls) : {}),
      ...(socket === undefined ? {} : { createConnection: () => socket }),
    };
  }

  private watchConnect(socket: Duplex & { connecting?: boolean }): void {
    if (!socket.connecting) return;
    let cancel = this.guard(this.limits.connectMs, "no connection in time");
    socket.once("connect", () => {
      cancel();
      if (!this.route.isTls) return;
      cancel = this.guard(this.limits.connectMs, "no TLS handshake in time");
      socket.once("secureConnect", () => cancel());
    });
  }

  private guard(ms: number, detail: string): () => void {
    const cancel = this.clock.timer(ms, () => this.fail("timeout", detail));
    this.cancels.push(cancel);
    return cancel;
  }

  private receive(message: IncomingMessage): void {
    message.on("data", (chunk: Buffer) => {
      this.size += chunk.length;
      if (this.size > MAX_BODY) this.fail("size", "the answer is larger than 10 MiB");
      else this.chunks.push(chunk);
    });
    message.on("error", (error) => this.fail("transport", codeOf(error)));
    message.on("aborted", () => this.fail("transport", "ECONNRESET"));
    message.on("end", () => this.succeed(message));
  }

  private succeed(message: IncomingMessage): void {
    if (!message.complete) return this.fail("transport", "ECONNRESET");
    this.finish();
    this.resolve({ status: message.statusCode ?? 0, headers: flat(message), body: Buffer.concat(this.chunks) });
  }

  private fail(kind: WireError["kind"], detail: string): void {
    this.finish();
    this.request?.destroy();
    this.reject(new WireError(kind, detail));
  }

  private finish(): void {
    for (const cancel of this.cancels) cancel();
  }
}

function flat(message: IncomingMessage): Record<string, string> {
  const entries = Object.entries(message.headers);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && /^[A-Z0-9_]{1,64}$/.test(code) ? code : "the connection failed";
}
