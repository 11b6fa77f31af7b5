/** Rules settled with regard to each other: what one allows to be replaced, another must not follow as a link. */
import { explain } from "./explain.ts";
import type { PlacedRule } from "./rule.ts";
import { settle, type SettleContext } from "./settle.ts";

/**
 * Rules as they are loaded or made, `inForce` those that hold already (the implicit ones among them). A link whose name
 * any of them lets the sandbox replace may be the work of an earlier session, so no allowing rule follows it.
 */
export function settleTogether(
  rules: readonly PlacedRule[],
  context: SettleContext,
  inForce: readonly PlacedRule[] = [],
): PlacedRule[] {
  const first = rules.map((rule) => settle(rule, context));
  const all = [...inForce, ...first];
  const known = new Map<string, boolean>();
  const mayReplace = (path: string): boolean => {
    if (context.disk.readlink(path) === undefined) return false;
    const answer = known.get(path) ?? explain(all, "write", path, true).verdict === "allow";
    known.set(path, answer);
    return answer;
  };
  return rules.map((rule, index) =>
    rule.action === "allow" ? settle(rule, { ...context, mayReplace }) : first[index]!,
  );
}
