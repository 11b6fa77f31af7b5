/**
 * A vendor's API at the wire: a real HTTP server on loopback with the routes that CHECKS §4 describes. Any other request is refused with
 * 501 and kept in `refused`; `close` throws when there was one.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { z } from "zod";

export interface FakeRequest {
  readonly method: string;
  /** The Host header: the vendor's own name where the address is fixed by the vendor. */
  readonly host: string;
  /** As it came, `%2F` and all; without the query. */
  readonly path: string;
  /** The `:name` parts of the route, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body as the route's `body` schema read it, else parsed JSON, else undefined. */
  readonly json: unknown;
}

export interface FakeReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string goes out as it is, anything else as JSON; undefined is no body. */
  readonly body?: unknown;
}

export interface Route {
  /** `GET /users/:id`, or `POST https://auth.vendor.com/token` for a host that is fixed. `:name` is one segment, `*name` the rest. */
  readonly on: string;
  /** Parameters by name; `name?` may be missing. Any other is refused. */
  readonly query?: readonly string[];
  /** Headers that must be there, with this value or form. */
  readonly headers?: Readonly<Record<string, string | RegExp>>;
  /** Schema of the JSON body (use strict objects); without one a body is refused. `text` takes any body. */
  readonly body?: z.ZodType | "text";
  readonly answer: (request: FakeRequest) => FakeReply | Promise<FakeReply>;
}

/** What goes wrong with one answer. A function changes the reply. */
export type Fault = "hang" | "reset" | "truncate" | ((reply: FakeReply) => FakeReply);

export interface Exchange {
  readonly request: FakeRequest;
  readonly reply: FakeReply;
}

export class FakeServer {
  /** Every request that a route answered, oldest first. */
  readonly exchanges: Exchange[] = [];
  /** Requests that no route describes, and why. */
  readonly refused: string[] = [];
  /** Asked before every answer goes out. */
  fault: ((request: FakeRequest) => Fault | undefined) | undefined;
  /** Called when an answer is held back, so that a test can move its clock. */
  onHang: (() => void) | undefined;

  private constructor(
    private readonly server: Server,
    private readonly routes: readonly Compiled[],
    readonly url: string,
  ) {}

  static async start(routes: readonly Route[]): Promise<FakeServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const fake = new FakeServer(server, routes.map(compile), `http://127.0.0.1:${port}`);
    server.on("request", (message, response) => void fake.serve(message, response));
    return fake;
  }

  /** `METHOD /path` of every answered request. */
  get calls(): string[] {
    return this.exchanges.map(({ request }) => `${request.method} ${request.path}`);
  }

  forget(): void {
    this.exchanges.length = 0;
  }

  /** Throws when a request came that CHECKS does not describe. */
  expectClean(): void {
    if (this.refused.length > 0) throw new Error(`requests that CHECKS does not describe:\n${this.refused.join("\n")}`);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(message);
    const [path, search] = cut(message.url ?? "");
    const asked = {
      method: message.method ?? "",
      host: message.headers.host ?? "",
      path,
      query: new URLSearchParams(search),
      headers: flat(message),
      body,
    };
    const { request, reply } = await this.answer(asked);
    if (request !== undefined) this.exchanges.push({ request, reply });
    this.send(response, reply, request && this.fault?.(request));
  }

  private async answer(asked: Asked): Promise<{ request?: FakeRequest; reply: FakeReply }> {
    const whole = `${asked.method} ${asked.host}${asked.path}?${asked.query.toString()}`;
    for (const route of this.routes) {
      const params = route.match(asked);
      if (params === undefined) continue;
      const wrong = problemOf(route.route, asked);
      if (wrong !== undefined) return this.refuse(`${whole}: ${wrong}`);
      const request = { ...asked, params, json: jsonOf(asked.body) };
      return { request, reply: await route.route.answer(request) };
    }
    return this.refuse(`${whole}: no route`);
  }

  private refuse(why: string): { reply: FakeReply } {
    this.refused.push(why);
    return { reply: { status: 501 } };
  }

  private send(response: ServerResponse, reply: FakeReply, fault: Fault | undefined): void {
    if (fault === "hang") return this.onHang?.();
    if (fault === "reset") return void response.socket?.destroy();
    const { status, headers = {}, body } = typeof fault === "function" ? fault(reply) : reply;
    const bytes = Buffer.from(body === undefined ? "" : typeof body === "string" ? body : stringify(body));
    const type = body === undefined || typeof body === "string" ? {} : { "content-type": "application/json" };
    response.writeHead(status, {
      ...type,
      ...headers,
      ...(status === 204 ? {} : { "content-length": String(bytes.length) }),
    });
    if (fault !== "truncate") return void response.end(bytes);
    response.write(bytes.subarray(0, bytes.length >> 1), () => response.socket?.destroy());
  }
}

type Asked = Omit<FakeRequest, "params" | "json">;

interface Compiled {
  readonly route: Route;
  readonly match: (asked: Asked) => Record<string, string> | undefined;
}

function compile(route: Route): Compiled {
  const [method, target = ""] = route.on.split(" ");
  const [, host, path = target] = /^https?:\/\/([^/]+)(\/.*)$/.exec(target) ?? [];
  const pattern = path
    .replace(/[.()[\]$^+?{}|\\]/g, "\\$&")
    .replace(/:(\w+)/g, "(?<$1>[^/]+)")
    .replace(/\*(\w+)/g, "(?<$1>.+)");
  const regex = new RegExp(`^${pattern}$`);
  const match = (asked: Asked): Record<string, string> | undefined => {
    const found =
      asked.method === method && (host === undefined || host === asked.host) ? regex.exec(asked.path) : null;
    return found === null ? undefined : decoded(found.groups ?? {});
  };
  return { route, match };
}

function decoded(groups: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]));
}

function problemOf({ query = [], headers = {}, body }: Route, asked: Asked): string | undefined {
  const known = query.map((name) => name.replace(/\?$/, ""));
  const extra = [...asked.query.keys()].find((name) => !known.includes(name));
  if (extra !== undefined) return `the parameter ${extra}`;
  const missing = query.find((name) => !name.endsWith("?") && !asked.query.has(name));
  if (missing !== undefined) return `no parameter ${missing}`;
  for (const [name, wanted] of Object.entries(headers)) {
    const given = asked.headers[name.toLowerCase()] ?? "";
    if (typeof wanted === "string" ? given !== wanted : !wanted.test(given)) return `the header ${name}`;
  }
  return bodyProblem(body, asked.body);
}

function bodyProblem(schema: Route["body"], body: string): string | undefined {
  if (schema === "text") return undefined;
  if (schema === undefined) return body === "" ? undefined : "a body";
  const read = schema.safeParse(jsonOf(body));
  return read.success
    ? undefined
    : `the body: ${read.error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`).join("; ")}`;
}

async function bodyOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

/** A bigint goes out as a number of any size. */
function stringify(body: unknown): string {
  const marked = JSON.stringify(body, (_, value: unknown) =>
    typeof value === "bigint" ? `\u0001${value}\u0001` : value,
  );
  return marked.replace(/"\\u0001(-?\d+)\\u0001"/g, "$1");
}

function flat(message: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(message.headers).map(([name, value]) => [name, String(value)]));
}

function cut(url: string): [string, string] {
  const at = url.indexOf("?");
  return at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at + 1)];
}
