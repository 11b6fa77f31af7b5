/**
 * `[a]` on a request that an `ask` rule raised replaces that rule. Without it other rules may allow what it asked about,
 * so that more would be granted than was shown: then only the rule's own target can be allowed always.
 */
import { Tier, type PlacedRule } from "../policy/rule.ts";
import type { Wider } from "./judge.ts";
import type { PendingCall } from "./request.ts";
import type { Turn } from "./turn.ts";

/** The ask rule of a call, while it is in force. */
export function askRuleOf(turn: Turn, call: PendingCall): PlacedRule | undefined {
  if (call.askRule === undefined) return undefined;
  return turn.state.rules.find((rule) => rule.id === call.askRule && rule.action === "ask" && rule.tier === Tier.ask);
}

/** What may be allowed, with the rule's own target among it; that one is proposed where nothing else is exact. */
export function widerWithRule(turn: Turn, call: PendingCall, wider: Wider): Wider {
  const rule = askRuleOf(turn, call);
  if (!rule || !turn.judge.mayOffer(rule.category, rule.target)) return wider;
  const targets = wider.targets.includes(rule.target) ? wider.targets : [...wider.targets, rule.target];
  return { targets, index: exposes(turn, rule) ? targets.indexOf(rule.target) : wider.index };
}

/** Why `target` cannot be allowed always in the place of the rule. */
export function whyNotReplace(turn: Turn, call: PendingCall, target: string): string | undefined {
  const rule = askRuleOf(turn, call);
  if (!rule || rule.target === target || !exposes(turn, rule)) return undefined;
  return `always would end "${turn.judge.format(rule)}", and other rules would then allow more than this: allow ${rule.target} always, or this for a time`;
}

/** Whether another rule may allow something that this one asks about; told from the beginnings of their targets. */
function exposes(turn: Turn, asks: PlacedRule): boolean {
  const begins = beginnings(asks);
  return turn.state.rules.some((rule) => {
    if (rule.action !== "allow" || rule.category !== asks.category) return false;
    if (asks.category === "connect") return true;
    return beginnings(rule).some((one) => begins.some((other) => one.startsWith(other) || other.startsWith(one)));
  });
}

/** The targets up to their first glob character. */
function beginnings({ target, patterns }: PlacedRule): string[] {
  return (patterns ?? [target]).map((one) => one.replace(/[*?[{\\].*$/s, ""));
}
