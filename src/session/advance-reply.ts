/** A request in advance as the session has it, and what its answers are (SPEC §6). */
import type { Category, Rule } from "../policy/rule.ts";

/** What the errno of the magic path's execve says. */
export const Reply = {
  denied: 1,
  noGrant: 3,
  alreadyAllowed: 17,
  malformed: 22,
  notMediated: 38,
  wouldAsk: 42,
  timedOut: 110,
  granted: 114,
  released: 125,
} as const;

/** A request in advance whose target has been looked at. */
export interface Advance {
  readonly action: "ask" | "check" | "release";
  readonly category: Category;
  /** A rule TARGET: exactly this is granted. */
  readonly target: string;
  readonly duration?: number;
  readonly reason?: string;
}

/** What is granted: what was asked for, for as long as was asked for. */
export function grantOf({ category, target, duration }: Advance): Rule {
  return { action: "allow", category, target, ...(duration === undefined ? {} : { duration }) };
}
