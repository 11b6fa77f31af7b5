/** A vendor's API as integrations call it: base address, credential, what statuses mean (CHECKS §1.10). */
import type { z } from "zod";
import type { Call } from "../call.ts";
import { Stop, stop, unknown, type Finding } from "../codes.ts";
import { none, type Credential } from "../shared/credential.ts";
import { formText, nextPath, queryText, type Query } from "./path.ts";
import { fingerprint } from "../trace.ts";
import type { Reply } from "./reply.ts";
import type { Sent, Transport } from "./transport.ts";
import type { Outgoing } from "./wire.ts";
import { USER_AGENT } from "../version.ts";

export interface ApiOptions {
  /** Scheme, host and the path that every request begins with. */
  readonly base: URL;
  readonly credential?: Credential;
  readonly headers?: Readonly<Record<string, string>>;
  /** What a status ≥ 400 that the request does not expect means at this vendor; undefined leaves it to the default mapping. */
  readonly refusal?: (reply: Reply) => Finding | undefined;
}

export interface RequestOptions {
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  readonly body?: { readonly type: string; readonly bytes: string | Uint8Array };
  /** Statuses of 400 and above that are an answer here, not a failure. */
  readonly expect?: readonly number[];
  /** A POST that changes nothing may be tried again like a GET. */
  readonly idempotent?: boolean;
  /** Another credential than the API's; `none` sends none. */
  readonly credential?: Credential;
  /** False for token exchanges. */
  readonly evidence?: boolean;
}

export class Api {
  readonly base: URL;

  constructor(
    private readonly transport: Transport,
    private readonly options: ApiOptions,
  ) {
    this.base = options.base;
  }

  /** `path` begins with `/` and is built with path`…`, or came from `next`. Throws Stop on every status not expected. */
  async get(call: Call, path: string, options: RequestOptions = {}): Promise<Reply> {
    return await this.send(call, "GET", path, options);
  }

  async post(call: Call, path: string, options: RequestOptions = {}): Promise<Reply> {
    return await this.send(call, "POST", path, options);
  }

  /** The JSON of a GET, read by `schema`. */
  async read<S extends z.ZodType>(
    schema: S,
    call: Call,
    path: string,
    options: RequestOptions = {},
  ): Promise<z.output<S>> {
    return (await this.get(call, path, options)).json(schema);
  }

  /** As `read`, or undefined when the answer is 404. */
  async find<S extends z.ZodType>(
    schema: S,
    call: Call,
    path: string,
    options: RequestOptions = {},
  ): Promise<z.output<S> | undefined> {
    const reply = await this.get(call, path, { ...options, expect: [404, ...(options.expect ?? [])] });
    return reply.status === 404 ? undefined : reply.json(schema);
  }

  /** A link of the vendor's as a path for `get`; one that leads elsewhere throws `upstream_error`. */
  next(link: string): string {
    return nextPath(link, this.base);
  }

  async send(call: Call, method: string, path: string, options: RequestOptions = {}): Promise<Reply> {
    const credential = options.credential ?? this.options.credential ?? none;
    let sent = await this.once(call, method, path, options, credential);
    if (sent.reply.status >= 400 && credential.renew(sent.out, sent.reply.status)) {
      sent = await this.once(call, method, path, options, credential);
    }
    if (options.evidence ?? true) record(sent, call);
    return this.judge(sent.reply, options);
  }

  private async once(
    call: Call,
    method: string,
    path: string,
    options: RequestOptions,
    credential: Credential,
  ): Promise<Sent> {
    const isIdempotent = options.idempotent ?? ["GET", "HEAD", "OPTIONS"].includes(method);
    const plain = this.plain(method, path, options);
    const make = async (): Promise<Outgoing> => {
      const headers = { ...plain.headers, ...(await credential.headers(plain, call)) };
      return { ...plain, headers };
    };
    return await this.transport.send({ make, isIdempotent }, call);
  }

  private plain(method: string, path: string, options: RequestOptions): Outgoing {
    const root = this.base.pathname.replace(/\/+$/, "");
    const query = queryText(options.query);
    const joined = query !== "" && path.includes("?") ? `&${query.slice(1)}` : query;
    const { type, bytes } = bodyOf(options);
    const headers = {
      "user-agent": USER_AGENT,
      accept: "application/json",
      ...lower(this.options.headers),
      ...type,
      ...lower(options.headers),
    };
    return {
      method,
      url: this.base,
      path: root + path + joined,
      headers,
      ...(bytes === undefined ? {} : { body: bytes }),
    };
  }

  private judge(reply: Reply, options: RequestOptions): Reply {
    const { status } = reply;
    if ((status >= 200 && status < 300) || options.expect?.includes(status)) return reply;
    if (status < 400) throw stop("upstream_error", `the system answered with status ${status}`);
    throw new Stop(this.options.refusal?.(reply) ?? refusalOf(status));
  }
}

/** The default meaning of a status of 400 and above (§1.10). */
export function refusalOf(status: number): Finding {
  if (status === 401) return unknown("credential_rejected", "the system rejected hallpass's credential");
  if (status === 429) return unknown("upstream_rate_limited", "the system limits the rate of calls");
  return unknown("upstream_error", `the system answered with status ${status}`);
}

/** For vendors whose 403 means that our credential lacks a right. */
export function forbiddenIsCredential(reply: Reply): Finding | undefined {
  return reply.status === 403
    ? unknown("credential_rejected", "hallpass's credential lacks a right that the check needs")
    : undefined;
}

/** Only the last try is evidence, whatever its status (§1.8). */
function record({ out, reply, began }: Sent, call: Call): void {
  const path = out.path.split("?")[0] ?? "";
  const print = fingerprint(reply.headers.etag, reply.body);
  call.trace.add({ method: out.method, origin: out.url.origin, path, status: reply.status, ...print }, began);
}

function bodyOf({ json, form, body }: RequestOptions): { type: Record<string, string>; bytes?: Uint8Array } {
  if (json !== undefined) return typed("application/json", JSON.stringify(json));
  if (form !== undefined) return typed("application/x-www-form-urlencoded", formText(form));
  return body === undefined ? { type: {} } : typed(body.type, body.bytes);
}

function typed(type: string, content: string | Uint8Array): { type: Record<string, string>; bytes: Uint8Array } {
  return { type: { "content-type": type }, bytes: typeof content === "string" ? Buffer.from(content) : content };
}

function lower(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
