/** Which categories a session mediates: those asked for, and those that a rule would be broken promises without. */
import type { Category, PlacedRule } from "../../policy/index.ts";

/** A rule of the command line about connections, or any that forbids or asks, turns the category on. */
export function mediatedBy(rules: readonly PlacedRule[], asked: ReadonlySet<Category>): Set<Category> {
  const mediated = new Set(asked);
  for (const rule of rules) {
    if (rule.category === "read" && rule.action !== "allow") mediated.add("read");
    if (rule.category === "connect" && turnsOn(rule)) mediated.add("connect");
  }
  return mediated;
}

/** Sockets of services are looked at in any case; what hallpass itself says of them turns nothing on. */
function turnsOn({ target, action, origin: { kind } }: PlacedRule): boolean {
  if (target.startsWith("unix:") || target.startsWith("@")) return false;
  if (kind === "flag" || kind === "file") return true;
  return action !== "allow" && (kind === "project" || kind === "everywhere" || kind === "profile");
}
