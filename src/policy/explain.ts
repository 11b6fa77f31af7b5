/** Why a target gets the verdict that it gets (`hallpass why`), and the verdict on a call for whoever has the rules. */
import { destBytes } from "./dest-bytes.ts";
import { parseDest } from "./dest.ts";
import { referenceConnect, referenceMatch } from "./reference.ts";
import type { Category, PlacedRule, Verdict } from "./rule.ts";
import { indexOfVerdict, isContentVerdict, isNamedVerdict, verdictOf } from "./verdict.ts";

export interface Explanation {
  readonly verdict: Verdict;
  /** Absent where no rule matches: the call is asked (a read is not touched). */
  readonly rule?: PlacedRule;
  /** Holds unless the sandbox itself can write the program (SPEC §3 exec). */
  readonly isNamed: boolean;
  /** Asks only where the write adds or changes a key that runs something. */
  readonly isContent: boolean;
}

/** The target is a real path as path text; for connect one address as DEST. */
export function explain(rules: readonly PlacedRule[], category: Category, target: string, isName = false): Explanation {
  const packed =
    category === "connect" ? explainConnect(rules, target) : referenceMatch(rules, category, target, isName);
  const rule = rules[indexOfVerdict(packed)];
  const verdict = rule === undefined && category === "read" ? "allow" : verdictOf(packed);
  return { verdict, ...(rule ? { rule } : {}), isNamed: isNamedVerdict(packed), isContent: isContentVerdict(packed) };
}

function explainConnect(rules: readonly PlacedRule[], target: string): number {
  const asked = destBytes(parseDest(target, (path) => path));
  return asked === undefined ? -1 : referenceConnect(rules, asked);
}
