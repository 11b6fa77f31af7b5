/** `hallpass log FILE --rules`: the smallest sensible rules that would have allowed what was asked. */
import type { Decision } from "../control/messages.ts";
import { type Category, escapeGlob, formatRule, type Rule, widerTargets } from "../policy/index.ts";
import type { Context } from "./context.ts";

/** Asked and not refused by a person or a rule; denied in the modes that ask nobody. */
function wasOpen({ decision, reason, rule }: Decision): boolean {
  if (reason === "audit" || reason === "timeout") return true;
  if (reason === "user") return decision === "allow";
  return reason === "policy" && decision === "deny" && rule === undefined;
}

interface Wanted {
  readonly category: Category;
  readonly target: string;
}

/** Rule lines, each with how many decisions it covers. */
export function proposeRules(decisions: readonly Decision[], context: Pick<Context, "home" | "cwd" | "env">): string {
  const wanted = decisions.filter(wasOpen).map(wantedOf);
  const counts = new Map<string, { rule: Rule; count: number; only: Set<string> }>();
  for (const one of wanted) {
    const rule = ruleFor(one, context);
    const key = formatRule(rule);
    const known = counts.get(key) ?? { rule, count: 0, only: new Set<string>() };
    known.count++;
    known.only.add(one.target);
    counts.set(key, known);
  }
  return [...counts.values()]
    .toSorted((a, b) => b.count - a.count)
    .map(
      ({ rule, count, only }) =>
        `${formatRule(narrowed(rule, only))}  # ${count} ${count === 1 ? "decision" : "decisions"}\n`,
    )
    .join("");
}

function wantedOf({ path, dest, syscall, op }: Decision): Wanted {
  if (dest !== undefined) return { category: "connect", target: dest };
  const category = syscall.startsWith("execve") ? "exec" : op === "read" ? "read" : "write";
  return { category, target: path ?? "" };
}

function ruleFor({ category, target }: Wanted, { home, cwd, env }: Pick<Context, "home" | "cwd" | "env">): Rule {
  const { targets, index } = widerTargets(category, target, { home, project: cwd, variables: env });
  return { action: "allow", category, target: targets[index] ?? target };
}

/** A folder that only one target of was wanted is not opened as a whole. */
function narrowed(rule: Rule, only: ReadonlySet<string>): Rule {
  const [target] = only;
  if (only.size !== 1 || target === undefined || rule.category === "connect") return rule;
  return { ...rule, target: escapeGlob(target) };
}
