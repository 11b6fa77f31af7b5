/** The six answers of SPEC §2, to the letter: what each allows, for how long, and which rule it leaves behind. */
import type { PlacedRule, Rule } from "../policy/rule.ts";
import { grantOf } from "./advance-reply.ts";
import { askRuleOf, whyNotReplace } from "./ask-rule.ts";
import type { Answer, AnswerKind, PendingCall, Request } from "./request.ts";
import { allow, close, INTERRUPTED_FOR, refuse } from "./requests.ts";
import { isEditable, place, setRules } from "./rules.ts";
import type { Pending, Settled } from "./state.ts";
import type { Turn } from "./turn.ts";

export const TIMED_DEFAULT = 300_000;
const TIMED_LONGEST = 366 * 24 * 3_600_000;
const KINDS: readonly AnswerKind[] = ["once", "timed", "always", "deny", "never", "dismiss"];

/** Gives an answer; what comes back says why it cannot be given. */
export function give(turn: Turn, answer: Answer, client: string): string | undefined {
  const pending = turn.state.requests.get(answer.request);
  if (!pending) return missing(turn, answer.request);
  const problem = check(answer, pending.request);
  if (problem !== undefined) return problem;
  const rule = ruleOf(turn, answer, pending);
  const conflict =
    answer.kind === "always" && rule ? whyNotReplace(turn, pending.request.call, rule.target) : undefined;
  if (conflict !== undefined) return conflict;
  const placed = rule && keep(turn, answer.kind, rule, pending.request);
  end(turn, pending, answer.kind, client, rule && turn.judge.format(rule));
  if (placed) setRules(turn, placed);
  return undefined;
}

function missing(turn: Turn, id: number): string {
  const settled = turn.state.settled.get(id);
  if (!settled) return `request ${id} does not exist`;
  return `request ${id} has ended: ${settled.answer}${settled.client === undefined ? "" : ` by ${settled.client}`}`;
}

/** What is granted must be what was shown: one of the targets of this request, a lifetime that can be shown. */
function check(answer: Answer, request: Request): string | undefined {
  if (!KINDS.includes(answer.kind)) return `no such answer: ${String(answer.kind)}`;
  const { target, duration } = answer;
  const widens = answer.kind === "timed" || answer.kind === "always";
  if (target !== undefined && !(widens && request.wider.includes(target)))
    return "the request does not offer that target";
  if (widens && request.wider.length === 0) return "the request has no wider target: allow it once";
  if (duration === undefined) return undefined;
  const fits = Number.isInteger(duration) && duration >= 1000 && duration <= TIMED_LONGEST;
  return answer.kind === "timed" && fits ? undefined : "the duration must be from 1s to a year, for a timed answer";
}

function ruleOf(turn: Turn, answer: Answer, { request, advance }: Pending): Rule | undefined {
  const { category } = request.call;
  if (answer.kind === "once" && advance) return grantOf(advance);
  const wider = answer.target ?? request.wider[request.widerIndex]!;
  if (answer.kind === "timed")
    return { action: "allow", category, target: wider, duration: answer.duration ?? TIMED_DEFAULT };
  if (answer.kind === "always") return { action: "allow", category, target: wider };
  if (answer.kind === "never") return { action: "deny", category, target: turn.judge.exact(request.call) };
  return undefined;
}

/** The rules as they are with the answer's rule in force; a lasting one also goes into the project's file. */
function keep(turn: Turn, kind: AnswerKind, rule: Rule, request: Request): PlacedRule[] {
  const { state } = turn;
  const lasting = (kind === "always" || kind === "never") && state.config.save === "project";
  const rules = [...state.rules];
  if (kind === "always") dropAskRule(turn, rules, request.call);
  if (lasting) turn.add({ type: "file", change: { type: "append", scope: "project", rule } });
  const isRequested = request.advance !== undefined && (kind === "once" || kind === "timed");
  rules.push(place(turn, rule, lasting ? "project" : "session", isRequested ? { kind: "request" } : undefined));
  return rules;
}

/** In its file too, where it is one of ours; what is asked by default stays, for an allowance goes before it. */
function dropAskRule(turn: Turn, rules: PlacedRule[], call: PendingCall): void {
  const dropped = askRuleOf(turn, call);
  if (!dropped) return;
  rules.splice(rules.indexOf(dropped), 1);
  if (isEditable(dropped) && dropped.origin.file !== undefined) {
    turn.add({ type: "file", change: { type: "delete", before: dropped } });
  }
}

function end(turn: Turn, pending: Pending, kind: AnswerKind, client: string, rule: string | undefined): void {
  const { request } = pending;
  const how: Settled = {
    answer: kind,
    client,
    since: request.since,
    by: request.by,
    ...(rule === undefined ? {} : { rule }),
  };
  const allows = kind === "once" || kind === "timed" || kind === "always";
  close(turn, pending, how);
  for (const waiter of pending.waiters.values()) {
    if (allows)
      allow(turn, waiter, { reason: "user", request: request.id, client, ...(rule === undefined ? {} : { rule }) });
    else refuse(turn, waiter, { reason: "user", request: request.id, client, ...(rule === undefined ? {} : { rule }) });
  }
  for (const tid of pending.interrupted) {
    turn.state.early.set(tid, {
      key: pending.key,
      request: request.id,
      allow: allows,
      expiresAt: turn.now + INTERRUPTED_FOR,
    });
  }
}
