/** What a session needs to know of the policy; the running program gives it the compiled one. */
import type { Category, PlacedRule, Rule, Verdict } from "../policy/rule.ts";
import type { PendingCall } from "./request.ts";

export interface Judgement {
  readonly verdict: Verdict;
  readonly rule?: PlacedRule;
}

export interface Wider {
  /** Rule TARGETs, narrowest first. */
  readonly targets: readonly string[];
  /** The one proposed. */
  readonly index: number;
}

export interface Judge {
  /** A rule line of SPEC §3; throws PolicyError. */
  parse(line: string): Rule;
  format(rule: Rule): string;
  /** What the rule's target stands for from now on: links followed, names looked up. */
  settle(rule: Rule): Rule;
  judge(rules: readonly PlacedRule[], call: Pick<PendingCall, "category" | "operation" | "target" | "to">): Judgement;
  /** On all that a rule TARGET (a path, `DIR/**`, a program, one DEST) stands for: deny where a rule denies part of it. */
  judgeTarget(rules: readonly PlacedRule[], category: Category, target: string): Judgement;
  wider(call: PendingCall): Wider;
  /** Whether an answer may open this target: never the root, the home, a folder that holds keys. */
  mayOffer(category: Category, target: string): boolean;
  /** The call's target itself as a rule TARGET, glob characters escaped. */
  exact(call: PendingCall): string;
}
