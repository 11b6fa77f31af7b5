/** What a rule is: the words of SPEC §3 as types, shared by every part that shows, keeps or compiles rules. */

export type Category = "write" | "exec" | "connect" | "read";
export const CATEGORIES: readonly Category[] = ["write", "exec", "connect", "read"];

export type RuleAction = "allow" | "deny" | "ask";
export type Verdict = "allow" | "deny" | "ask";

/** The order of SPEC §3: the lowest tier that has a match decides; no match at all is a request. */
export const Tier = {
  builtin: 0,
  deny: 1,
  grant: 2,
  ask: 3,
  allow: 4,
  askedByDefault: 5,
  implicit: 6,
} as const;
export type Tier = (typeof Tier)[keyof typeof Tier];

/** Where a rule came from; `file`, `line` (from 1) and `group` where they apply. */
export interface RuleOrigin {
  readonly kind:
    | "builtin"
    | "flag"
    | "file"
    | "project"
    | "everywhere"
    | "session"
    | "request"
    | "group"
    | "profile"
    | "implicit";
  readonly file?: string;
  readonly line?: number;
  readonly group?: string;
}

/** One rule as written, before symlinks in its target are followed. Paths are path text (see path-text.ts). */
export interface Rule {
  readonly action: RuleAction;
  readonly category: Category;
  /** The TARGET of SPEC §3 in canonical spelling (`~` and relative paths made absolute, quotes removed). */
  readonly target: string;
  /** Milliseconds, of `for DURATION`. */
  readonly duration?: number;
  readonly note?: string;
  /**
   * What the target has stood for since the rule was made or loaded (see settle.ts): links followed, names in $PATH and
   * groups looked up; rule TARGETs. Absent: the target itself. Never written to a file.
   */
  readonly patterns?: readonly string[];
}

/** A rule that is in force: with its place in the order, its origin and its end. */
export interface PlacedRule extends Rule {
  /** Unique within a session; how clients name a rule. */
  readonly id: string;
  readonly tier: Tier;
  readonly origin: RuleOrigin;
  /** Milliseconds since the epoch; the rule is gone from then on. */
  readonly expiresAt?: number;
}
