/** From a question to a decision: validate, find, look in the cache, identify, decide; whatever fails is an unknown (CHECKS §1). */
import { build, only, type Built, type Surroundings } from "./build.ts";
import { Cache } from "./cache.ts";
import { Call } from "./call.ts";
import { systemClock, type Clock } from "./clock.ts";
import { Crash, settle, Stop, stop, type Finding } from "./codes.ts";
import type { Config } from "./config/config.ts";
import { decisionOf, logLine, type Decision } from "./decision.ts";
import { openDecisionLog, type DecisionLog } from "./decision-log.ts";
import type { Action, ProbeReport } from "./integration.ts";
import { logCrash, silent, type Logger } from "./logger.ts";
import { readQuestion, type Question, type Resource, type Subject } from "./question.ts";

export interface EngineOptions {
  readonly clock?: Clock;
  readonly log?: Logger;
  /** In the stead of the configuration's `decision_log`. */
  readonly decisionLog?: DecisionLog;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Builds only this connection and those it links to. */
  readonly connection?: string;
  /** Tests only (http/transport.ts). */
  readonly dial?: (origin: string) => string | undefined;
}

export interface CheckOptions {
  /** Ends the waiting; what was begun goes on for others. `check` then rejects with its reason. */
  readonly signal?: AbortSignal;
  /** Who asked: an address, or `in-process`. */
  readonly remote?: string;
}

export interface Probed {
  readonly id: string;
  readonly ok: boolean;
  /** What the probe found, or the reason of its failure. */
  readonly summary: string;
  readonly warnings: readonly string[];
}

interface Found {
  readonly finding: Finding;
  readonly status: number;
  readonly cached: boolean;
  readonly built?: Built;
}

export class Engine {
  private readonly clock: Clock;
  private readonly log: Logger;
  private readonly decisionLog: DecisionLog;
  private readonly built: ReadonlyMap<string, Built>;
  private readonly decisions: Cache<Finding>;

  /** Builds every connection; no network. Throws ConfigError. */
  constructor(config: Config, options: EngineOptions = {}) {
    this.clock = options.clock ?? systemClock;
    this.log = options.log ?? silent;
    const configs =
      options.connection === undefined ? config.connections : only(config.connections, options.connection);
    this.built = build(configs, surroundings(config, options, this.clock, this.log));
    this.decisionLog = options.decisionLog ?? openDecisionLog(config.decisionLog);
    const ttl = (finding: Finding): number => (isKept(finding) ? config.decisionCacheSeconds * 1000 : 0);
    this.decisions = new Cache({ name: "decision", clock: this.clock, log: this.log, ttl });
  }

  get connections(): readonly string[] {
    return [...this.built.keys()];
  }

  /** How many decisions are held. */
  get cachedDecisions(): number {
    return this.decisions.size;
  }

  /** One decision. Rejects only where `signal` is aborted; every failure is an unknown. */
  async check(question: Question, { signal, remote = "in-process" }: CheckOptions = {}): Promise<Decision> {
    const began = this.clock.ticks();
    const time = this.clock.now();
    const call = new Call(this.clock, question.fresh ?? false, Infinity);
    const { finding, status, cached, built } = await abandonable(this.find(question, call), signal);
    const decision = decisionOf(finding, status, cached);
    const durationMs = this.clock.ticks() - began;
    this.write(
      logLine({ question, decision, finding, trace: call.trace, base: built?.base, remote, time, durationMs }),
    );
    return decision;
  }

  /** Asks each system with our own credential, in turn; the budget of each is twice its timeout (§1.4). */
  async probe(id?: string): Promise<Probed[]> {
    const wanted = [...this.built.values()].filter((built) => id === undefined || built.id === id);
    return await Promise.all(wanted.map(async (built) => await this.probeOne(built)));
  }

  close(): void {
    for (const built of this.built.values()) built.close();
    this.decisionLog.close();
  }

  private async probeOne(built: Built): Promise<Probed> {
    const call = this.callFor(built, true, 2);
    try {
      const report: ProbeReport = await call.wait(built.raw.probe(call));
      return { id: built.id, ok: true, ...report };
    } catch (error) {
      return { id: built.id, ok: false, summary: this.asFinding(error, built.id).text, warnings: [] };
    }
  }

  /** The part in which a question can be off (status 400); nothing is looked up before all of it has passed. */
  private async find(question: Question, call: Call): Promise<Found> {
    try {
      const { subject, resource } = readQuestion(question);
      const built = this.built.get(question.connection);
      if (built === undefined) throw stop("unknown_connection", "there is no connection of this name");
      const action = built.action(question.action);
      if (action === undefined) throw stop("unknown_action", `${built.integration.name} has no such action`);
      return await this.evaluate(question, built, { action, subject, resource }, call);
    } catch (error) {
      return { finding: this.asFinding(error, "question"), status: 400, cached: false };
    }
  }

  private async evaluate(question: Question, built: Built, parts: Asked, call: Call): Promise<Found> {
    try {
      const key = JSON.stringify([
        question.connection,
        question.user,
        question.groups ?? [],
        question.action,
        question.resource,
      ]);
      const ask = prepare(built, parts);
      const timed = this.callFor(built, call.fresh, 1, call);
      const { value, cached } = await this.decisions.get(
        key,
        timed,
        async (inner) => await this.decide(built, parts.subject, ask, inner),
      );
      return { finding: value, status: 200, cached, built };
    } catch (error) {
      return { finding: this.asFinding(error, built.id), status: 200, cached: false, built };
    }
  }

  private async decide(built: Built, subject: Subject, ask: unknown, call: Call): Promise<Finding> {
    const identity = await built.identify(subject, call);
    return settle(await built.decide(identity, ask, call));
  }

  private callFor(built: Built, fresh: boolean, factor: number, outer?: Call): Call {
    return new Call(this.clock, fresh, this.clock.ticks() + factor * built.timeoutMs, outer?.trace);
  }

  /** Fails closed: what is no Stop is a bug, and a bug is an unknown. */
  private asFinding(error: unknown, where: string): Finding {
    if (error instanceof Stop) return settle(error.finding);
    logCrash(this.log, where, error);
    return new Crash().finding;
  }

  private write(line: string): void {
    try {
      this.decisionLog.write(line);
    } catch (error) {
      logCrash(this.log, "decision log", error);
    }
  }
}

interface Asked {
  readonly action: Action;
  readonly subject: Subject;
  readonly resource: Resource;
}

function prepare(built: Built, { action, resource, subject }: Asked): unknown {
  if (!action.resources.includes(resource.type)) {
    throw stop(
      "invalid_request",
      `${action.name} is asked on ${action.resources.join(", ")}, not on this type of resource`,
    );
  }
  return built.prepare(action, resource, subject);
}

/** An unknown is asked anew every time. */
function isKept({ code }: Finding): boolean {
  return code === "allowed" || code === "denied" || code === "user_not_found";
}

function surroundings(config: Config, options: EngineOptions, clock: Clock, log: Logger): Surroundings {
  const { env = process.env, dial } = options;
  return {
    clock,
    log,
    identityCacheSeconds: config.identityCacheSeconds,
    env,
    ...(dial === undefined ? {} : { dial }),
  };
}

async function abandonable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  signal.throwIfAborted();
  let forget = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", onAbort, { once: true });
    forget = () => signal.removeEventListener("abort", onAbort);
  });
  return await Promise.race([work, aborted]).finally(forget);
}
