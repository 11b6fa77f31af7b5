/** The rules of a session that would begin here without flags, saved ones included. */
import type { FiledRule } from "../../session/event.ts";
import { type PlacedRule, settle } from "../../policy/index.ts";
import { tierOf } from "../../session/rules.ts";
import { Flags } from "../argv.ts";
import type { Context } from "../context.ts";
import { readRunOptions } from "../run-options.ts";
import { RuleFiles } from "./rule-files.ts";
import { settingFor } from "./setting.ts";

export async function rulesHere(context: Context): Promise<PlacedRule[]> {
  const program = { path: "/bin/sh", runs: [] };
  const setting = settingFor({ options: readRunOptions(new Flags([])), context, program }, "/tmp", undefined);
  return [...setting.rules, ...(await savedRules(context)).map((rule) => settle(rule, setting.settleContext()))];
}

/** The rules in the files of this project and of every project, named by their lines. */
export async function savedRules({ home, cwd }: Context): Promise<PlacedRule[]> {
  const saved: PlacedRule[] = [];
  const add = (scope: "project" | "everywhere", rules: readonly FiledRule[]): void => {
    for (const { rule, file, line } of rules) {
      saved.push({ ...rule, id: `${scope}:${line}`, tier: tierOf(rule, scope), origin: { kind: scope, file, line } });
    }
  };
  const broken = (): void => undefined;
  await new RuleFiles(`${home}/.config/hallpass`, cwd, { home, cwd }, { filed: add, broken }).start();
  return saved;
}
