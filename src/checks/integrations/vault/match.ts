/** Which stanza of all policies decides on a path, as Vault's own ACL has it (CHECKS §4.18). */
import type { Stanza } from "./policy.ts";

/** A stanza with its templates filled; `opaque` when one could not be: it may stand for anything that begins like it. */
export interface Rule extends Stanza {
  readonly isOpaque: boolean;
}

export interface Winner {
  readonly path: string;
  readonly capabilities: ReadonlySet<string>;
  readonly isConditional: boolean;
  readonly isExact: boolean;
}

/** The winner with the capabilities of all stanzas of its path together; undefined when none matches. */
export function winnerFor(path: string, rules: readonly Rule[]): Winner | undefined {
  const matching = rules.filter((rule) => !rule.isOpaque && matches(rule.path, path));
  const [first] = matching.toSorted((a, b) => priority(b.path, a.path));
  if (first === undefined) return undefined;
  const same = matching.filter((rule) => rule.path === first.path);
  return {
    path: first.path,
    capabilities: new Set(same.flatMap((rule) => [...rule.capabilities])),
    isConditional: same.some((rule) => rule.isConditional),
    isExact: isExact(first.path),
  };
}

export function mayBeHit(path: string, rules: readonly Rule[]): boolean {
  return rules.some((rule) => rule.isOpaque && path.startsWith(rule.path));
}

/** `+` is one whole segment, which may be empty; `*` counts only at the end. */
export function matches(pattern: string, path: string): boolean {
  const isPrefix = pattern.endsWith("*");
  const bare = isPrefix ? pattern.slice(0, -1) : pattern;
  if (!hasSegments(pattern)) return isPrefix ? path.startsWith(bare) : path === bare;
  const wanted = bare.split("/");
  const given = path.split("/");
  if (given.length < wanted.length || (!isPrefix && given.length > wanted.length)) return false;
  return wanted.every((part, index) => {
    const segment = given[index] ?? "";
    return part === "+" || part === segment || (isPrefix && index === wanted.length - 1 && segment.startsWith(part));
  });
}

/** Positive when `a` goes before `b`: an exact path first of all, then the later first wildcard, no glob, fewer `+`, longer, greater. */
export function priority(a: string, b: string): number {
  return (
    Number(isExact(a)) - Number(isExact(b)) ||
    firstWildcard(a) - firstWildcard(b) ||
    Number(b.endsWith("*")) - Number(a.endsWith("*")) ||
    segments(b) - segments(a) ||
    a.length - b.length ||
    (a === b ? 0 : a > b ? 1 : -1)
  );
}

function hasSegments(pattern: string): boolean {
  return pattern.replace(/\*$/, "").split("/").includes("+");
}

function segments(pattern: string): number {
  return pattern.split("/").filter((part) => part === "+").length;
}

function isExact(pattern: string): boolean {
  return !pattern.endsWith("*") && !hasSegments(pattern);
}

function firstWildcard(pattern: string): number {
  const plus = /(?:^|\/)\+(?=\/|$)/.exec(pattern);
  if (plus !== null) return plus.index + (plus[0].length - 1);
  return pattern.endsWith("*") ? pattern.length - 1 : Infinity;
}
