/** What a check answers, and the line that the decision log keeps of it (CHECKS §1.1, §1.8). */
import type { Code, Outcome, Finding } from "./codes.ts";
import { outcomeOf, reasonOf } from "./codes.ts";
import type { Question } from "./question.ts";
import type { Trace, UpstreamCall } from "./trace.ts";

export interface Decision {
  readonly decision: Outcome;
  /** `<code>: <text>`, or the bare code. */
  readonly reason: string;
  readonly code: Code;
  readonly allowed: boolean;
  /** As HTTP would say it: 200, or 400 where the question itself is off; 0 where none was. */
  readonly status: number;
  /** True when it came from the decision cache. */
  readonly cached: boolean;
}

/** The outcome is worked out from the code here, and nowhere else (§1.2). */
export function decisionOf(finding: Finding, status: number, cached: boolean): Decision {
  const decision = outcomeOf(finding.code);
  return { decision, reason: reasonOf(finding), code: finding.code, allowed: decision === "allow", status, cached };
}

export interface Answered {
  readonly question: Question;
  readonly decision: Decision;
  readonly finding: Finding;
  readonly trace: Trace;
  /** The connection's own address; calls that went elsewhere name their host. */
  readonly base: URL | undefined;
  readonly remote: string;
  readonly time: number;
  readonly durationMs: number;
}

/** One JSON line, without its newline. */
export function logLine(answered: Answered): string {
  const { question, decision, finding, time, durationMs, remote } = answered;
  const { user, groups = [], connection, action, resource, fresh } = question;
  return JSON.stringify({
    time: new Date(time).toISOString(),
    connection,
    user,
    ...(groups.length > 0 ? { groups } : {}),
    action,
    resource,
    decision: decision.decision,
    code: finding.code,
    reason: finding.text,
    cached: decision.cached,
    ...(fresh ? { fresh: true } : {}),
    duration_ms: Math.round(durationMs),
    status: decision.status,
    remote,
    ...evidence(answered),
  });
}

function evidence({ trace, base }: Answered): { evidence?: object } {
  if (trace.calls.length === 0) return {};
  const upstream = trace.calls.map((call) => entry(call, base));
  return { evidence: { upstream, ...(trace.truncated ? { truncated: true } : {}) } };
}

function entry({ origin, method, path, ...rest }: UpstreamCall, base: URL | undefined): object {
  return { method, path, ...(origin === base?.origin ? {} : { host: new URL(origin).host }), ...rest };
}
