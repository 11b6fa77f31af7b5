/** `hallpass why CATEGORY TARGET [PID]`: the verdict, and the rule that gives it; in a session, or as one would begin here. */
import { sessionFolder } from "../control/folder.ts";
import { findSessions } from "../control/find.ts";
import { UsageError } from "../errors.ts";
import {
  CATEGORIES,
  type Category,
  explain,
  follow,
  formatRule,
  openDisk,
  type PlacedRule,
  show,
  type Verdict,
} from "../policy/index.ts";
import { parseDest, formatDest } from "../policy/dest.ts";
import type { Flags } from "./argv.ts";
import type { Context } from "./context.ts";
import { nearest } from "./nearest.ts";
import { attach, heard, originText, print } from "./sessions.ts";

interface Answer {
  readonly verdict: Verdict;
  readonly rule?: PlacedRule;
}

export async function why(flags: Flags, words: readonly string[], context: Context): Promise<number> {
  const [word = "", named = "", pid] = words;
  const category = CATEGORIES.find((one) => one === word);
  if (!category)
    throw new UsageError(
      `${word} is no category${nearest(word, CATEGORIES) ? `; did you mean ${nearest(word, CATEGORIES)}?` : `: ${CATEGORIES.join(", ")}`}`,
    );
  const target = realTarget(category, named, context);
  const hasSession = pid !== undefined || (await findSessions(sessionFolder(context))).length > 0;
  const answer = hasSession
    ? await askSession(category, target, pid, context)
    : await askHere(category, target, context);
  if (flags.has("json")) print(JSON.stringify({ category, target, ...answer }));
  else for (const line of lines(category, target, answer, hasSession)) print(line);
  return 0;
}

/** The target as a call that names it would reach it. */
function realTarget(category: Category, named: string, context: Context): string {
  if (category === "connect") return readDest(named);
  if (category === "exec" && !named.includes("/")) return follow(lookUp(named, context), openDisk()).path;
  const path = named.startsWith("~") ? context.home + named.slice(1) : named;
  return follow(path.startsWith("/") ? path : `${context.cwd}/${path}`, openDisk()).path;
}

function readDest(named: string): string {
  try {
    return formatDest(parseDest(named, (path) => path));
  } catch (error) {
    throw new UsageError(`${named}: ${(error as Error).message}`);
  }
}

function lookUp(name: string, { env }: Context): string {
  const found = Bun.which(name, { PATH: env.PATH ?? "" });
  if (found === null) throw new UsageError(`${name} is not in $PATH`);
  return found;
}

async function askSession(
  category: Category,
  target: string,
  pid: string | undefined,
  context: Context,
): Promise<Answer> {
  const connection = await attach(pid, "why", context);
  const reply = heard(connection, "reply");
  connection.send({ type: "why", category, target, ref: 1 });
  const { error, result } = await reply;
  connection.close();
  if (error !== undefined) throw new UsageError(error);
  return result as Answer;
}

/** As a session without flags would begin in this folder. */
async function askHere(category: Category, target: string, context: Context): Promise<Answer> {
  const { rulesHere } = await import("./run/rules-here.ts");
  const { verdict, rule } = explain(await rulesHere(context), category, target);
  return { verdict, ...(rule ? { rule } : {}) };
}

const MEANS: Record<Verdict, string> = { allow: "allowed", deny: "denied", ask: "asked" };

function lines(category: Category, target: string, { verdict, rule }: Answer, hasSession: boolean): string[] {
  return [
    `${category} ${show(target)} is ${MEANS[verdict]}`,
    rule ? `  by: ${formatRule(rule)}  (${originText(rule)})` : "  no rule says anything about it",
    ...(hasSession ? [] : ["  (no session runs: this is how one without flags would begin here)"]),
  ];
}
