/** `hallpass rules`: the saved rules; the groups and profiles that ship. */
import { HallpassError, UsageError } from "../errors.ts";
import { formatRule, groups } from "../policy/index.ts";
import type { Flags } from "./argv.ts";
import type { Context } from "./context.ts";
import { originText, print } from "./sessions.ts";

export async function rules(flags: Flags, words: readonly string[], context: Context): Promise<number> {
  const [what, name] = words;
  if (what === "groups") return showGroups(name, flags.has("json"));
  if (what === "profiles") throw new HallpassError("profiles are not built yet");
  if (what !== undefined) throw new UsageError("usage: hallpass rules [groups [NAME]|profiles]");
  const { savedRules } = await import("./run/rules-here.ts");
  const saved = await savedRules(context);
  if (flags.has("json")) for (const rule of saved) print(JSON.stringify(rule));
  else if (saved.length === 0) print("no rules are saved for this project or for every project");
  else for (const rule of saved) print(`${formatRule(rule)}  (${originText(rule)})`);
  return 0;
}

/** The names, or one group's file as it ships. */
function showGroups(name: string | undefined, isJson: boolean): number {
  const all = groups();
  if (name === undefined) {
    for (const group of all) print(isJson ? JSON.stringify(group) : `@${group.name}  (${group.category})`);
    return 0;
  }
  const group = all.find((one) => one.name === name.replace(/^@/, ""));
  if (!group) throw new UsageError(`there is no group ${name}; hallpass rules groups lists them`);
  process.stdout.write(isJson ? `${JSON.stringify(group)}\n` : group.text);
  return 0;
}
