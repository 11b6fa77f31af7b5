/** The routes: check, batch, health, metrics (CHECKS §3.2; batch and metrics are ours). */
import type { Clock } from "../clock.ts";
import { systemClock } from "../clock.ts";
import type { Engine } from "../engine.ts";
import { logCrash, type Logger } from "../logger.ts";
import type { Question } from "../question.ts";
import { BodyError, readBatchBody, readQuestionBody } from "./body.ts";
import { keyOf, type ApiKey } from "./keys.ts";
import { Metrics } from "./metrics.ts";
import { RateLimit } from "./rate.ts";
import type { Request } from "./request.ts";
import { json, plain, refusal, type Response } from "./response.ts";

export interface ServiceOptions {
  readonly keys: readonly ApiKey[];
  /** Questions a second for each key; 0 is no limit. */
  readonly rateLimit: number;
  readonly metrics: "key" | "open" | "off";
  readonly log: Logger;
  readonly clock?: Clock;
}

interface Answered {
  readonly status: number;
  readonly body: { readonly decision: string; readonly reason: string };
}

const BODY_LIMIT = 64 * 1024;
const BATCH_LIMIT = 1024 * 1024;
/** Questions of one batch that are asked at a time. */
const AT_A_TIME = 16;

const ROUTES: Readonly<Record<string, readonly string[]>> = {
  "/check": ["POST"],
  "/check/batch": ["POST"],
  "/healthz": ["GET", "HEAD"],
  "/metrics": ["GET", "HEAD"],
};

export function bodyLimit(path: string): number {
  return path === "/check/batch" ? BATCH_LIMIT : BODY_LIMIT;
}

export class Service {
  readonly metrics = new Metrics();
  private readonly clock: Clock;
  private readonly rate: RateLimit;
  private inFlight = 0;

  constructor(
    private readonly engine: Engine,
    private readonly options: ServiceOptions,
  ) {
    this.clock = options.clock ?? systemClock;
    this.rate = new RateLimit(options.rateLimit, this.clock);
  }

  /** Never rejects: a bug is a 500 in the form of an unknown. */
  async answer(request: Request, remote: string): Promise<Response> {
    const began = this.clock.ticks();
    this.inFlight++;
    const response = await this.route(request, remote).catch((error: unknown) => {
      logCrash(this.options.log, "server", error);
      return refusal(500, "upstream_error", "hallpass failed inside; see its log");
    });
    this.inFlight--;
    this.note(request.method, request.path, response.status, remote, this.clock.ticks() - began);
    return response;
  }

  /** One line and one count for a request, also for those that could not be read. */
  note(method: string, path: string, status: number, remote: string, ms: number): void {
    const route = Object.hasOwn(ROUTES, path) ? path : "other";
    this.metrics.request(route, status);
    this.options.log.info("request", {
      method: method.slice(0, 16),
      route,
      status,
      remote,
      duration_ms: Math.round(ms),
    });
  }

  private async route(request: Request, remote: string): Promise<Response> {
    const { path, method } = request;
    const methods = Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined;
    if (methods === undefined || (path === "/metrics" && this.options.metrics === "off"))
      return plain(404, "not found\n");
    if (!methods.includes(method))
      return refusal(405, "invalid_request", `this path takes ${methods.join(" and ")}`, { allow: methods.join(", ") });
    if (path === "/healthz") return json(200, { status: "ok" });
    if (path === "/metrics" && this.options.metrics === "open") return this.metricsPage();
    const key = await keyOf(request.headers.get("authorization"), this.options.keys);
    if (key === undefined)
      return refusal(401, "unauthorized", "the API key is missing or wrong", {
        "www-authenticate": 'Bearer realm="hallpass"',
      });
    if (path === "/metrics") return this.metricsPage();
    return await this.questions(request, key, remote);
  }

  private async questions({ path, body }: Request, key: string, remote: string): Promise<Response> {
    try {
      const isBatch = path === "/check/batch";
      const questions = isBatch ? readBatchBody(body) : [readQuestionBody(body)];
      const wait = this.rate.take(key, questions.length);
      if (wait > 0) return this.tooMany(key, wait);
      const answers = await this.askAll(questions, remote);
      const [first] = answers;
      if (isBatch || first === undefined) return json(200, { decisions: answers.map((one) => one.body) });
      return json(first.status, first.body);
    } catch (error) {
      if (error instanceof BodyError) return refusal(400, "invalid_request", error.message);
      throw error;
    }
  }

  private async askAll(questions: readonly Question[], remote: string): Promise<Answered[]> {
    const answers: Answered[] = [];
    const next = questions.entries();
    const work = async (): Promise<void> => {
      for (const [index, question] of next) answers[index] = await this.ask(question, remote);
    };
    await Promise.all(Array.from({ length: Math.min(AT_A_TIME, questions.length) }, work));
    return answers;
  }

  private async ask(question: Question, remote: string): Promise<Answered> {
    const began = this.clock.ticks();
    const decision = await this.engine.check(question, { remote });
    const connection = this.engine.connections.includes(question.connection) ? question.connection : "";
    this.metrics.check(connection, decision, (this.clock.ticks() - began) / 1000);
    return { status: decision.status, body: { decision: decision.decision, reason: decision.reason } };
  }

  private tooMany(key: string, wait: number): Response {
    this.metrics.rateLimited(key);
    const text = "this API key asks more than the server's rate limit lets it";
    return refusal(429, "upstream_rate_limited", text, { "retry-after": String(wait) });
  }

  private metricsPage(): Response {
    const { inFlight, engine } = this;
    const text = this.metrics.text({ inFlight, cachedDecisions: engine.cachedDecisions });
    return plain(200, text, "text/plain; version=0.0.4; charset=utf-8");
  }
}
