/** The groups that ship, as rules. */
import { GROUP_FILES, groupCategory } from "./group-files.ts";
import { parseRules, type RuleLine } from "./parse.ts";
import type { Places } from "./paths.ts";
import type { Category, PlacedRule, RuleOrigin, Tier } from "./rule.ts";
import { settle, type SettleContext } from "./settle.ts";

export interface Group {
  readonly name: string;
  readonly category: Category;
  /** The rule file as it ships, comments included. */
  readonly text: string;
}

/** Every group, by name. */
export function groups(): Group[] {
  return Object.entries(GROUP_FILES).map(([name, text]) => ({ name, category: groupCategory(name)!, text }));
}

export function groupLines(name: string, places: Places): RuleLine[] {
  return parseRules(GROUP_FILES[name] ?? "", { ...places, file: `${name}.rules` });
}

export interface GroupPlacing extends SettleContext {
  readonly tier: Tier;
  readonly kind: RuleOrigin["kind"];
}

/** The lines of a group as rules in force, each with its own note. */
export function groupRules(name: string, placing: GroupPlacing): PlacedRule[] {
  return groupLines(name, placing).map(({ rule, line }) =>
    settle(
      {
        ...rule,
        id: `${name}:${line}@${placing.cwd}`,
        tier: placing.tier,
        origin: { kind: placing.kind, file: `${name}.rules`, line, group: name },
      },
      placing,
    ),
  );
}
