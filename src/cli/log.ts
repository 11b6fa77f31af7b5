/** `hallpass log FILE`: a summary of a log, or the rules that would allow what was asked in it. */
import { readFileSync } from "node:fs";
import { parseDecision } from "../audit/line.ts";
import { summarize, type Summary, type Tally } from "../audit/summary.ts";
import type { Decision } from "../control/messages.ts";
import { HallpassError } from "../errors.ts";
import { formatDuration } from "../policy/duration.ts";
import { show } from "../policy/show.ts";
import type { Flags } from "./argv.ts";
import type { Context } from "./context.ts";

export async function log(flags: Flags, file: string, context: Context): Promise<number> {
  const { decisions, broken } = readLog(file, context.cwd);
  if (broken > 0) process.stderr.write(`hallpass: ${broken} lines of ${file} are no decisions and are left out\n`);
  if (flags.has("rules")) {
    const { proposeRules } = await import("./log-rules.ts");
    process.stdout.write(proposeRules(decisions, context));
  } else {
    const summary = summarize(decisions);
    process.stdout.write(flags.has("json") ? `${JSON.stringify(summary)}\n` : summaryText(summary));
  }
  return 0;
}

function readLog(file: string, cwd: string): { decisions: Decision[]; broken: number } {
  let text: string;
  try {
    text = readFileSync(file.startsWith("/") ? file : `${cwd}/${file}`, "utf8");
  } catch (error) {
    throw new HallpassError(`cannot read the log ${file}: ${(error as Error).message}`);
  }
  const lines = text.split("\n").filter((line) => line !== "");
  const decisions = lines.flatMap((line) => parseDecision(line) ?? []);
  return { decisions, broken: lines.length - decisions.length };
}

export function summaryText(summary: Summary): string {
  const { prompts } = summary;
  const asked =
    prompts.asked === 0
      ? "nobody was asked"
      : `asked ${prompts.asked} times${prompts.perHour === undefined ? "" : `, ${prompts.perHour.toFixed(1)} an hour`}; ${Math.round((100 * prompts.accepted) / prompts.asked)} % allowed${
          prompts.medianWaitMs === undefined ? "" : `; half the answers within ${formatDuration(prompts.medianWaitMs)}`
        }`;
  return [
    `${summary.decisions} decisions${summary.first === undefined ? "" : ` from ${summary.first} to ${summary.last}`}`,
    reasons("allowed", summary.allowed),
    reasons("denied", summary.denied),
    asked,
    ...section("denied most", summary.deniedTargets),
    ...section("where", summary.places),
    ...section("by", summary.programs),
    "",
  ].join("\n");
}

function reasons(word: string, tallies: readonly Tally[]): string {
  const count = tallies.reduce((sum, one) => sum + one.count, 0);
  const why = tallies.map((one) => `${one.name} ${one.count}`).join(", ");
  return `${word} ${count}${why === "" ? "" : `: ${why}`}`;
}

function section(title: string, tallies: readonly Tally[]): string[] {
  if (tallies.length === 0) return [];
  return ["", `${title}:`, ...tallies.map((one) => `${String(one.count).padStart(8)}  ${show(one.name)}`)];
}
