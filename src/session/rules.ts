/** The rules of a session: adding, replacing and ending them, and what a change means for the calls that wait. */
import type { PlacedRule, Rule, RuleOrigin, Verdict } from "../policy/rule.ts";
import { Tier } from "../policy/rule.ts";
import type { RuleScope } from "../control/messages.ts";
import type { FiledRule } from "./event.ts";
import { allow, close, refuse } from "./requests.ts";
import type { Pending, Waiter } from "./state.ts";
import type { Turn } from "./turn.ts";

/** Where a rule of a client stands in the order of SPEC §3. */
export function tierOf(rule: Rule, scope: RuleScope): Tier {
  if (rule.action === "deny") return Tier.deny;
  if (rule.action === "ask") return Tier.ask;
  return scope === "session" || rule.duration !== undefined ? Tier.grant : Tier.allow;
}

/** Gives a rule its name, place and end. */
export function place(turn: Turn, rule: Rule, scope: RuleScope, origin: RuleOrigin = { kind: scope }): PlacedRule {
  return {
    ...turn.judge.settle(rule),
    id: `s${turn.state.nextRule++}`,
    tier: tierOf(rule, scope),
    origin,
    ...(rule.duration === undefined ? {} : { expiresAt: turn.now + rule.duration }),
  };
}

/** Puts other rules in force: the supervisor first, then the calls that they decide, then the clients. */
export function setRules(turn: Turn, rules: readonly PlacedRule[]): void {
  const { state } = turn;
  const before = state.rules;
  state.rules = rules;
  state.rulesChangedAt = turn.now;
  turn.add({ type: "publish", rules });
  for (const pending of state.requests.values()) resolveCovered(turn, pending, before);
  turn.emit({ type: "rules", rules });
}

/**
 * A request that the change decides goes back to the supervisor, which sees the new rules. Only a verdict that the
 * change made counts: the supervisor may know more of a call than its target (a program that the sandbox can write).
 */
function resolveCovered(turn: Turn, pending: Pending, before: readonly PlacedRule[]): void {
  const { state } = turn;
  const now = verdictOn(turn, pending, state.rules);
  if (now === "ask" || verdictOn(turn, pending, before) === now) return;
  close(turn, pending, { answer: "rule", since: pending.request.since, by: pending.request.by });
  for (const waiter of pending.waiters.values()) settleByRule(turn, waiter, pending.request.id, now);
}

function verdictOn({ judge }: Turn, { request, advance }: Pending, rules: readonly PlacedRule[]): Verdict {
  if (advance) return judge.judgeTarget(rules, advance.category, advance.target).verdict;
  return judge.judge(rules, request.call).verdict;
}

function settleByRule(turn: Turn, waiter: Waiter, request: number, verdict: Verdict): void {
  if (!waiter.advance) turn.add({ type: "replay", id: waiter.id, request });
  else if (verdict === "allow") allow(turn, waiter, { reason: "policy", request });
  else refuse(turn, waiter, { reason: "policy", request });
}

/** Rules whose time is over are gone. */
export function expire(turn: Turn): void {
  const left = turn.state.rules.filter((rule) => rule.expiresAt === undefined || rule.expiresAt > turn.now);
  if (left.length !== turn.state.rules.length) setRules(turn, left);
}

/** A rule file was read again: its rules replace those it had; a line that stayed keeps its name and its end. */
export function setFiled(turn: Turn, scope: "project" | "everywhere", filed: readonly FiledRule[]): void {
  const { state, judge } = turn;
  const kept = Map.groupBy(
    state.rules.filter((rule) => rule.origin.kind === scope),
    (rule) => judge.format(rule),
  );
  const rules = filed.map(({ rule, file, line }) => {
    const same = kept.get(judge.format(rule))?.shift();
    const origin: RuleOrigin = { kind: scope, file, line };
    return same ? { ...same, origin } : place(turn, rule, scope, origin);
  });
  const others = state.rules.filter((rule) => rule.origin.kind !== scope);
  const next = [...others, ...rules];
  if (!sameRules(state.rules, next)) setRules(turn, next);
  else state.rules = next;
}

function sameRules(one: readonly PlacedRule[], other: readonly PlacedRule[]): boolean {
  const ids = new Set(one.map((rule) => rule.id));
  return one.length === other.length && other.every((rule) => ids.has(rule.id));
}

/** Whether a client may change this rule; the others belong to the command line or to hallpass. */

export function isEditable(rule: PlacedRule): boolean {
  return (
    rule.origin.kind === "session" ||
    rule.origin.kind === "project" ||
    rule.origin.kind === "everywhere" ||
    rule.origin.kind === "request"
  );
}
