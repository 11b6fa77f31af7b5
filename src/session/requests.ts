/** Requests come, wait together and end; who may decide and what a decision means is in answers.ts. */
import type { Decision } from "../control/messages.ts";
import { type Advance, Reply } from "./advance-reply.ts";
import { widerWithRule } from "./ask-rule.ts";
import type { SessionInput } from "./event.ts";
import type { Wider } from "./judge.ts";
import type { Request } from "./request.ts";
import { type CallId, type Pending, SETTLED_LENGTH, type Settled, trim, type Waiter } from "./state.ts";
import { byLine, decisionOf, type Turn } from "./turn.ts";

export const EACCES = 13;

/** How long an interrupted call may take to come back before its request is taken off the screen. */
export const INTERRUPTED_FOR = 2000;
/** How long after a change of the rules a worker may still ask about a call by the old ones. */
const STALE_FOR = 2000;
const SENT_BACK_LENGTH = 4096;

/** Calls that show as one request: what is granted is the target and the operation, so both must be the same. */
function keyOf({ call, advance }: Waiter): string {
  const what = [call.category, call.operation, call.target, call.to ?? ""];
  return [...what, ...(advance ? ["in advance", advance.duration, advance.reason] : [])].join("\0");
}

/** A call waits for somebody to decide. */
export function asked(turn: Turn, { id, call, by }: Extract<SessionInput, { type: "asked" }>): void {
  const { state, now } = turn;
  const waiter: Waiter = { id, call, by, since: now };
  if (state.config.prompt === "deny") return refuse(turn, waiter, { reason: "policy" });
  if (state.config.prompt === "allow") return allowUnasked(turn, waiter);
  if (!coveredSince(turn, waiter)) wait(turn, waiter);
}

/** Until somebody answers; with those that ask the same. */
export function wait(turn: Turn, waiter: Waiter): void {
  if (answeredEarly(turn, waiter)) return;
  const { state } = turn;
  const known = state.requests.get(state.requestOfKey.get(keyOf(waiter)) ?? -1);
  if (known) join(turn, known, waiter);
  else open(turn, waiter);
}

function allowUnasked(turn: Turn, waiter: Waiter): void {
  const request = turn.state.nextRequest++;
  settle(turn, request, { answer: "audit", since: waiter.since, by: waiter.by });
  allow(turn, waiter, { reason: "audit", request });
}

/** The answer came while a signal handler had the caller away. */
function answeredEarly(turn: Turn, waiter: Waiter): boolean {
  const { early } = turn.state;
  const answer = early.get(waiter.call.tid);
  if (!answer) return false;
  early.delete(waiter.call.tid);
  if (answer.key !== keyOf(waiter) || answer.expiresAt < turn.now) return false;
  const settled = turn.state.settled.get(answer.request);
  const why: Why = { reason: "user", request: answer.request, ...(settled?.client ? { client: settled.client } : {}) };
  if (answer.allow) allow(turn, waiter, why);
  else refuse(turn, waiter, why);
  return true;
}

/** A rule that is younger than the worker's question decides it. */
function coveredSince(turn: Turn, waiter: Waiter): boolean {
  const { state, now, judge } = turn;
  if (now - state.rulesChangedAt > STALE_FOR || state.sentBack.has(waiter.id)) return false;
  if (judge.judge(state.rules, waiter.call).verdict === "ask") return false;
  state.sentBack.add(waiter.id);
  trim(state.sentBack, SENT_BACK_LENGTH);
  turn.add({ type: "replay", id: waiter.id });
  return true;
}

function open(turn: Turn, waiter: Waiter): void {
  const { state, now } = turn;
  const wider = widerOf(turn, waiter);
  const request: Request = {
    id: state.nextRequest++,
    call: waiter.call,
    by: waiter.by,
    wider: wider.targets,
    widerIndex: wider.index,
    since: now,
    count: 1,
    ...(waiter.advance ? { advance: shownOf(waiter.advance) } : {}),
  };
  const key = keyOf(waiter);
  state.requests.set(request.id, {
    request,
    key,
    waiters: new Map([[waiter.id, waiter]]),
    interrupted: new Set(),
    ...(waiter.advance ? { advance: waiter.advance } : {}),
  });
  state.requestOfKey.set(key, request.id);
  state.requestOfCall.set(waiter.id, request.id);
  turn.emit({ type: "request", request });
}

/** What was asked for in advance is proposed as it is; what it might be widened to comes after. */
function widerOf(turn: Turn, { call, advance }: Waiter): Wider {
  const wider = turn.judge.wider(call);
  if (!advance) return widerWithRule(turn, call, wider);
  return { targets: [advance.target, ...wider.targets.filter((target) => target !== advance.target)], index: 0 };
}

function shownOf({ reason, duration }: Advance): NonNullable<Request["advance"]> {
  return { ...(reason === undefined ? {} : { reason }), ...(duration === undefined ? {} : { duration }) };
}

function join(turn: Turn, pending: Pending, waiter: Waiter): void {
  pending.waiters.set(waiter.id, waiter);
  pending.interrupted.delete(waiter.call.tid);
  delete pending.lapsesAt;
  turn.state.requestOfCall.set(waiter.id, pending.request.id);
  recount(turn, pending);
}

function recount(turn: Turn, pending: Pending): void {
  const count = Math.max(1, pending.waiters.size);
  if (count === pending.request.count) return;
  pending.request = { ...pending.request, count };
  turn.emit({ type: "changed", request: pending.request });
}

/** The caller died: its request is gone everywhere at once when nobody else waits for it. */
export function gone(turn: Turn, id: CallId): void {
  const pending = waitingFor(turn, id);
  const waiter = pending && leave(turn, pending, id);
  if (!pending || !waiter) return;
  turn.record(
    decisionOf(waiter.call, turn.now, { decision: "deny", reason: "gone", ...told(turn, pending.request.id, waiter) }),
  );
  if (pending.waiters.size > 0) return recount(turn, pending);
  if (pending.interrupted.size > 0) pending.lapsesAt = turn.now + INTERRUPTED_FOR;
  else close(turn, pending, { answer: "gone", since: pending.request.since, by: pending.request.by });
}

/** A signal handler runs in the caller: keep the request a little, the same call is likely to come again. */
export function interrupted(turn: Turn, id: CallId): void {
  const pending = waitingFor(turn, id);
  const waiter = pending && leave(turn, pending, id);
  if (!pending || !waiter) return;
  pending.interrupted.add(waiter.call.tid);
  if (pending.waiters.size > 0) return recount(turn, pending);
  pending.lapsesAt = turn.now + INTERRUPTED_FOR;
}

function waitingFor(turn: Turn, id: CallId): Pending | undefined {
  return turn.state.requests.get(turn.state.requestOfCall.get(id) ?? -1);
}

function leave(turn: Turn, pending: Pending, id: CallId): Waiter | undefined {
  const waiter = pending.waiters.get(id);
  pending.waiters.delete(id);
  turn.state.requestOfCall.delete(id);
  return waiter;
}

/** Takes a request off every screen. */
export function close(turn: Turn, pending: Pending, how: Settled): void {
  const { state } = turn;
  state.requests.delete(pending.request.id);
  state.requestOfKey.delete(pending.key);
  for (const id of pending.waiters.keys()) state.requestOfCall.delete(id);
  settle(turn, pending.request.id, how);
  turn.emit({
    type: "resolved",
    request: pending.request.id,
    answer: how.answer === "audit" ? "rule" : how.answer,
    ...(how.client === undefined ? {} : { client: how.client }),
  });
}

export function settle(turn: Turn, request: number, how: Settled): void {
  turn.state.settled.set(request, how);
  trim(turn.state.settled, SETTLED_LENGTH);
}

type Why = Pick<Decision, "reason"> & Partial<Pick<Decision, "request" | "client" | "rule">>;

/** Lets exactly this call through; a full log turns it into a denial, for it could not be written down. */
export function allow(turn: Turn, waiter: Waiter, why: Why): void {
  const { request, client } = why;
  if (turn.state.logFull) return refuse(turn, waiter, { ...why, reason: "error" });
  if (waiter.advance) return grant(turn, waiter, why);
  turn.add({
    type: "replay",
    id: waiter.id,
    approved: waiter.call,
    ...(request === undefined ? {} : { request }),
    ...(client === undefined ? {} : { client }),
  });
}

function grant(turn: Turn, waiter: Waiter, why: Why): void {
  turn.add({ type: "refuse", id: waiter.id, errno: Reply.granted });
  record(turn, waiter, "allow", why);
}

export function refuse(turn: Turn, waiter: Waiter, why: Why): void {
  turn.add({ type: "refuse", id: waiter.id, errno: waiter.advance ? refusal(why) : EACCES });
  record(turn, waiter, "deny", why);
}

function refusal({ reason }: Why): number {
  return reason === "timeout" ? Reply.timedOut : Reply.denied;
}

function record(turn: Turn, waiter: Waiter, decision: Decision["decision"], { request, ...why }: Why): void {
  const rest = request === undefined ? { by: byLine(waiter.by) } : told(turn, request, waiter);
  turn.record(decisionOf(waiter.call, turn.now, { decision, ...why, ...rest }));
}

function told(turn: Turn, request: number, waiter: Waiter): Pick<Decision, "request" | "by" | "waited_ms"> {
  return { request, by: byLine(waiter.by), waited_ms: turn.now - waiter.since };
}
