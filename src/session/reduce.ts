/** The session as a machine: state and input in, effects out; no clock, no files, no processes of its own. */
import type { Decision } from "../control/messages.ts";
import { advanced } from "./advance.ts";
import { act } from "./actions.ts";
import type { Effect, SessionInput } from "./event.ts";
import type { Judge } from "./judge.ts";
import { asked, close, gone, interrupted, refuse } from "./requests.ts";
import { expire, setFiled } from "./rules.ts";
import type { Pending, SessionState } from "./state.ts";
import { byLine, Turn } from "./turn.ts";

/** Changes `state` in place (ten thousand calls may wait in it) and returns what has to be done, in order. */
export function reduce(state: SessionState, judge: Judge, input: SessionInput, now: number): readonly Effect[] {
  const turn = new Turn(state, judge, now);
  apply(turn, input);
  return turn.effects;
}

function apply(turn: Turn, input: SessionInput): void {
  switch (input.type) {
    case "asked":
      return asked(turn, input);
    case "advance":
      return advanced(turn, input);
    case "gone":
      return gone(turn, input.id);
    case "interrupted":
      return interrupted(turn, input.id);
    case "decided":
      return turn.record(complete(turn, input.decision));
    case "action":
      return act(turn, input.action, input.sender);
    case "filed":
      return setFiled(turn, input.scope, input.rules);
    case "log-full":
      return logFull(turn, input.full, input.problem);
    case "info":
      return setInfo(turn, input.info);
    case "tick":
      return tick(turn);
    case "end":
      return end(turn, input.left);
  }
}

/** Adds what only the session knows: who answered, how long it took, what the answer left behind. */
function complete(turn: Turn, decision: Omit<Decision, "time">): Decision {
  const { time, ...known } = { time: new Date(turn.now).toISOString(), ...decision };
  const settled = decision.request === undefined ? undefined : turn.state.settled.get(decision.request);
  if (!settled) return { time, ...known };
  const { request, ...rest } = known;
  const by = settled.by.length > 0 ? { by: byLine(settled.by) } : {};
  if (settled.answer === "audit") return { time, ...rest, reason: "audit", ...by };
  if (settled.answer === "rule") return { time, ...rest, waited_ms: turn.now - settled.since, ...by };
  const isAnswered = settled.answer !== "gone" && settled.answer !== "timeout";
  return {
    time,
    ...rest,
    // A rule that the answer made may have let the call through: it was the answer all the same.
    ...(isAnswered && decision.decision === "allow" ? { reason: "user" as const } : {}),
    ...(settled.rule === undefined ? {} : { rule: settled.rule }),
    ...(settled.client === undefined ? {} : { client: settled.client }),
    waited_ms: turn.now - settled.since,
    ...(request === undefined ? {} : { request }),
    ...by,
  };
}

function logFull(turn: Turn, full: boolean, problem: string | undefined): void {
  turn.state.logFull = full;
  const { notice: _, ...info } = turn.state.info;
  setInfo(turn, full ? { ...info, notice: problem ?? "the log cannot be written" } : info);
}

function setInfo(turn: Turn, info: SessionState["info"]): void {
  turn.state.info = info;
  turn.emit({ type: "session", session: info });
}

/** Time went on: rules end, requests that nobody answered or whose caller stayed away end. */
function tick(turn: Turn): void {
  const { state, now } = turn;
  expire(turn);
  for (const pending of state.requests.values()) {
    if (pending.lapsesAt !== undefined && pending.lapsesAt <= now) closeAs(turn, pending, "gone");
    else if (isOverdue(state, pending, now)) timeOut(turn, pending);
  }
  for (const [tid, answer] of state.early) if (answer.expiresAt <= now) state.early.delete(tid);
}

function isOverdue({ config }: SessionState, { request }: Pending, now: number): boolean {
  return config.timeout !== undefined && request.since + config.timeout <= now;
}

function timeOut(turn: Turn, pending: Pending): void {
  closeAs(turn, pending, "timeout");
  for (const waiter of pending.waiters.values())
    refuse(turn, waiter, { reason: "timeout", request: pending.request.id });
}

function end(turn: Turn, left: number): void {
  for (const pending of turn.state.requests.values()) {
    closeAs(turn, pending, "gone");
    for (const waiter of pending.waiters.values())
      refuse(turn, waiter, { reason: left === 0 ? "gone" : "error", request: pending.request.id });
  }
}

function closeAs(turn: Turn, pending: Pending, answer: "gone" | "timeout"): void {
  close(turn, pending, { answer, since: pending.request.since, by: pending.request.by });
}

/** When `tick` is due next; undefined where nothing waits for time to pass. */
export function nextTick({ rules, requests, early, config }: SessionState): number | undefined {
  let next = Infinity;
  for (const rule of rules) next = Math.min(next, rule.expiresAt ?? Infinity);
  for (const { lapsesAt, request } of requests.values()) {
    next = Math.min(
      next,
      lapsesAt ?? Infinity,
      config.timeout === undefined ? Infinity : request.since + config.timeout,
    );
  }
  for (const { expiresAt } of early.values()) next = Math.min(next, expiresAt);
  return next === Infinity ? undefined : next;
}
