/** Every rule that is in force when a session starts, from the command line, the files and hallpass itself. */
import { readFileSync } from "node:fs";
import { HallpassError, PolicyError, type PolicyMistake } from "../../errors.ts";
import {
  builtinRules,
  implicitRules,
  makeRule,
  parseRuleLine,
  parseRules,
  type PlacedRule,
  type Rule,
  type RuleOrigin,
  settle,
  type SettleContext,
  Tier,
} from "../../policy/index.ts";
import type { BuiltinContext, ImplicitContext } from "../../policy/index.ts";
import type { FlagRule, RunOptions } from "../run-options.ts";

export interface RuleSources {
  readonly options: RunOptions;
  readonly context: SettleContext;
  readonly own: BuiltinContext["own"];
  readonly implicit: Omit<ImplicitContext, keyof SettleContext>;
}

/** The rules of the command line and of hallpass; those of rule files come later, they may change. Throws PolicyError. */
export function startRules({ options, context, own, implicit }: RuleSources): PlacedRule[] {
  const flags = readFlagRules(options.rules, context);
  return [
    ...builtinRules({ ...context, own, denyPaths: flags.forever }),
    ...flags.rules.map((one, at) => placeFlagRule(one, at, context)),
    ...implicitRules({ ...context, ...implicit }),
  ];
}

interface FlagRuleRead {
  readonly rule: Rule;
  readonly origin: RuleOrigin;
}

/** All mistakes of all flags are reported together. */
function readFlagRules(
  given: readonly FlagRule[],
  context: SettleContext,
): { forever: string[]; rules: FlagRuleRead[] } {
  const forever: string[] = [];
  const rules: FlagRuleRead[] = [];
  const mistakes: PolicyMistake[] = [];
  for (const one of given) {
    try {
      const read = readFlagRule(one, context);
      if (one.type === "target" && one.isForever) forever.push(...read.map(({ rule }) => rule.target));
      else rules.push(...read);
    } catch (error) {
      if (!(error instanceof PolicyError)) throw error;
      mistakes.push(...error.mistakes);
    }
  }
  if (mistakes.length > 0) throw new PolicyError(mistakes);
  return { forever, rules };
}

function readFlagRule(one: FlagRule, { home, cwd }: SettleContext): FlagRuleRead[] {
  if (one.type === "target") {
    const rule = makeRule(one.action, one.category, one.target, { home, cwd, file: one.flag });
    return [{ rule, origin: { kind: "flag" } }];
  }
  if (one.type === "line")
    return [{ rule: parseRuleLine(one.line, { home, cwd, file: "--rule" }), origin: { kind: "flag" } }];
  return parseRules(readRuleFile(one.file, cwd), { home, cwd, file: one.file }).map(({ rule, line }) => ({
    rule,
    origin: { kind: "file", file: one.file, line },
  }));
}

function readRuleFile(file: string, cwd: string): string {
  try {
    return readFileSync(file.startsWith("/") ? file : `${cwd}/${file}`, "utf8");
  } catch (error) {
    throw new HallpassError(`cannot read the rules in ${file}: ${(error as Error).message}`);
  }
}

function placeFlagRule({ rule, origin }: FlagRuleRead, at: number, context: SettleContext): PlacedRule {
  const expiresAt = rule.duration === undefined ? {} : { expiresAt: Date.now() + rule.duration };
  return settle({ ...rule, id: `f${at + 1}`, tier: tierOf(rule), origin, ...expiresAt }, context);
}

function tierOf(rule: Rule): Tier {
  if (rule.action === "deny") return Tier.deny;
  if (rule.action === "ask") return Tier.ask;
  return rule.duration === undefined ? Tier.allow : Tier.grant;
}
