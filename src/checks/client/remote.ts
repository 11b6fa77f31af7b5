/** Questions asked of a hallpass server; whatever is not an answer of one is an unknown `client_error` (CHECKS §5.1). */
import { Call } from "../call.ts";
import { systemClock, type Clock } from "../clock.ts";
import { isCode, outcomeOf, reasonOf, Stop, unknown } from "../codes.ts";
import { readUrl } from "../config/keys.ts";
import { env, literal, type Secret } from "../config/secret.ts";
import { decisionOf, type Decision } from "../decision.ts";
import { proxyRules } from "../http/proxy.ts";
import type { Reply } from "../http/reply.ts";
import { Transport } from "../http/transport.ts";
import type { Outgoing } from "../http/wire.ts";
import { silent } from "../logger.ts";
import type { Question } from "../question.ts";
import { USER_AGENT } from "../version.ts";

export interface RemoteOptions {
  /** The server's address: https, or http on this machine. Default: $HALLPASS_URL, else http://localhost:8080. */
  readonly url?: string;
  /** Default: $HALLPASS_API_KEY. */
  readonly apiKey?: string | Secret;
  /** For one check. Default: 10 seconds. */
  readonly timeoutMs?: number;
  /** PEM certificates in the stead of the system's roots. */
  readonly ca?: string;
  readonly clock?: Clock;
}

const MAX_ANSWER = 1024 * 1024;

export class RemoteServer {
  private readonly transport: Transport;
  private readonly clock: Clock;
  private readonly timeoutMs: number;
  private readonly url: URL;
  private readonly key: Secret;

  /** Throws a TypeError for an address or a key that cannot be used. */
  constructor({ url, apiKey, timeoutMs = 10_000, ca, clock = systemClock }: RemoteOptions = {}) {
    this.url = checkUrl(url ?? (process.env.HALLPASS_URL || "http://localhost:8080"));
    this.key = keyOf(apiKey);
    if (!(timeoutMs > 0)) throw new TypeError("timeoutMs must be more than 0");
    this.timeoutMs = timeoutMs;
    this.clock = clock;
    const tls = ca === undefined ? {} : { ca };
    this.transport = new Transport({ clock, log: silent, timeoutMs, tls, proxies: proxyRules(process.env) });
  }

  async ask(question: Question): Promise<Decision> {
    try {
      const call = new Call(this.clock, false, this.clock.ticks() + this.timeoutMs);
      // A check changes nothing, so it may be tried again: a server that restarts loses none.
      const sent = this.transport.send({ make: async () => await this.request(question), isIdempotent: true }, call);
      return read((await call.wait(sent)).reply);
    } catch (error) {
      const isKey = error instanceof Stop && error.finding.code === "credential_rejected";
      const isLate = error instanceof Stop && error.finding.code === "upstream_timeout";
      if (isKey) return failed("the API key is not set or could not be read");
      return failed(isLate ? "the server did not answer in time" : "the server could not be reached");
    }
  }

  close(): void {
    this.transport.close();
  }

  private async request(question: Question): Promise<Outgoing> {
    const { user, groups, connection, action, resource, fresh } = question;
    // Servers from before `fresh` refuse the field, so it is only sent when it says something (§1.6).
    const body = { user, ...(groups ? { groups } : {}), connection, action, resource, ...(fresh ? { fresh } : {}) };
    const headers = {
      authorization: `Bearer ${await this.key.read()}`,
      "content-type": "application/json",
      accept: "application/json",
      "user-agent": USER_AGENT,
    };
    const path = `${this.url.pathname.replace(/\/+$/, "")}/check`;
    return { method: "POST", url: this.url, path, headers, body: Buffer.from(JSON.stringify(body)) };
  }
}

function read({ status, body }: Reply): Decision {
  if (status >= 300 && status < 400) return failed("the server answered with a redirect", status);
  if (body.length > MAX_ANSWER) return failed("the server's answer is too large", status);
  const { decision, reason } = fieldsOf(body);
  if (typeof decision !== "string" || typeof reason !== "string")
    return failed("the server's answer is not a decision", status);
  const [, code = "", text = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(reason) ?? [];
  if (!isCode(code) || outcomeOf(code) !== decision) return failed("the server's answer is not a decision", status);
  if (decision === "allow" && status !== 200) return failed("the server allows with a status that denies it", status);
  return decisionOf({ code, text }, status, false);
}

function fieldsOf(body: Buffer): Record<string, unknown> {
  try {
    const value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)) as unknown;
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function failed(text: string, status = 0): Decision {
  const finding = unknown("client_error", text);
  return { ...decisionOf(finding, status, false), reason: reasonOf(finding) };
}

function checkUrl(raw: string): URL {
  try {
    return readUrl(raw);
  } catch (error) {
    throw new TypeError(`the server's address ${(error as Error).message}`, { cause: error });
  }
}

function keyOf(apiKey: string | Secret | undefined): Secret {
  if (typeof apiKey === "object") return apiKey;
  const isSet = apiKey === undefined ? process.env.HALLPASS_API_KEY : apiKey;
  if (!isSet) throw new TypeError("an API key is needed: apiKey, or the variable HALLPASS_API_KEY");
  return apiKey === undefined ? env("HALLPASS_API_KEY") : literal(apiKey);
}
