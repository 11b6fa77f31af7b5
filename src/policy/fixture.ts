/** What tests of the policy share: rules from lines, a disk from a list, a seeded random. */
import type { Disk } from "./links.ts";
import { parseRuleLine } from "./parse.ts";
import { Tier, type PlacedRule } from "./rule.ts";

export const PLACES = { home: "/home/me", cwd: "/work/app" };

const TIERS = { allow: Tier.allow, deny: Tier.deny, ask: Tier.ask } as const;

/** Rules in force, from rule lines. */
export function rulesOf(...lines: readonly string[]): PlacedRule[] {
  return lines.map((line, index) => {
    const rule = parseRuleLine(line, PLACES);
    return { ...rule, id: `r${index}`, tier: TIERS[rule.action], origin: { kind: "session" } };
  });
}

/** A disk with these paths; `path -> text` is a link. */
export function diskOf(...entries: readonly string[]): Disk {
  const links = new Map<string, string>();
  const names = new Map<string, Set<string>>();
  for (const entry of entries) {
    const [path, leadsTo] = entry.split(" -> ");
    if (leadsTo !== undefined) links.set(path!, leadsTo);
    const slash = path!.lastIndexOf("/");
    const folder = path!.slice(0, slash) || "/";
    names.set(folder, (names.get(folder) ?? new Set()).add(path!.slice(slash + 1)));
  }
  return { readlink: (path) => links.get(path), names: (folder) => names.get(folder) ?? new Set() };
}

/** mulberry32: the same numbers for the same seed. */
export function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
