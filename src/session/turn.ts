/** One step of a session: the state, the time it happens at, and the effects gathered so far. */
import type { Decision, SessionEvent } from "../control/messages.ts";
import type { Effect } from "./event.ts";
import type { Judge } from "./judge.ts";
import type { PendingCall, ProcessClaim } from "./request.ts";
import { HISTORY_LENGTH, trim, type SessionState } from "./state.ts";

const DEEDS_LENGTH = 20_000;

export class Turn {
  readonly effects: Effect[] = [];

  constructor(
    readonly state: SessionState,
    readonly judge: Judge,
    readonly now: number,
  ) {}

  add(effect: Effect): void {
    this.effects.push(effect);
  }

  emit(event: SessionEvent): void {
    this.effects.push({ type: "emit", event });
  }

  /** Records a decision: in the log, in the history, in the count of what its process did. */
  record(decision: Decision): void {
    const { recent } = this.state;
    recent.push(decision);
    if (recent.length > HISTORY_LENGTH) recent.shift();
    this.count(decision);
    this.add({ type: "log", decision });
    this.emit({ type: "decision", decision });
  }

  private count(decision: Decision): void {
    const { deeds } = this.state;
    const of = deeds.get(decision.pid) ?? { writes: 0, runs: 0, connects: 0, denials: 0 };
    if (decision.decision === "deny") of.denials++;
    else if (decision.dest !== undefined) of.connects++;
    else if (decision.syscall.startsWith("execve")) of.runs++;
    else of.writes++;
    deeds.set(decision.pid, of);
    trim(deeds, DEEDS_LENGTH);
  }
}

/** The fields of a decision that come from the call, in the log's order (SPEC §5). */
export function decisionOf(
  call: PendingCall,
  now: number,
  outcome: Pick<Decision, "decision" | "reason"> &
    Partial<Pick<Decision, "rule" | "client" | "waited_ms" | "request" | "by">>,
): Decision {
  return {
    time: new Date(now).toISOString(),
    pid: call.pid,
    exe: call.exe,
    syscall: call.syscall,
    ...(call.category === "connect" ? { dest: call.target } : { path: call.target }),
    decision: outcome.decision,
    reason: outcome.reason,
    op: call.operation,
    ...(call.to === undefined ? {} : { to: call.to }),
    ...(outcome.rule === undefined ? {} : { rule: outcome.rule }),
    ...(outcome.client === undefined ? {} : { client: outcome.client }),
    ...(outcome.waited_ms === undefined ? {} : { waited_ms: outcome.waited_ms }),
    ...(outcome.request === undefined ? {} : { request: outcome.request }),
    ...(outcome.by === undefined ? {} : { by: outcome.by }),
  };
}

const BY_LENGTH = 1024;

/** "npm install ← bash ← copilot", bounded. */
export function byLine(by: readonly ProcessClaim[]): string {
  const line = by.map((one) => one.command.join(" ") || one.name).join(" ← ");
  return line.length > BY_LENGTH ? `${line.slice(0, BY_LENGTH).replace(/[\ud800-\udbff]$/, "")}…` : line;
}
