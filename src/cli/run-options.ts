/** The flags of a run to what they mean; every contradiction is found before anything starts. */
import { UsageError } from "../errors.ts";
import { parseDuration } from "../policy/duration.ts";
import type { Category, RuleAction } from "../policy/rule.ts";
import type { PromptMode } from "../session/state.ts";
import type { Flags } from "./argv.ts";
import { nearest } from "./nearest.ts";

/** A rule of the command line, as it was written. */
export type FlagRule =
  | {
      readonly type: "target";
      readonly action: RuleAction;
      readonly category: Category;
      readonly target: string;
      readonly flag: string;
      readonly isForever: boolean;
    }
  | { readonly type: "line"; readonly line: string }
  | { readonly type: "file"; readonly file: string };

export interface RunOptions {
  readonly rules: readonly FlagRule[];
  readonly mediate: ReadonlySet<Category>;
  readonly implicit: boolean;
  readonly allowTty: boolean;
  /** Undefined: what fits the place. */
  readonly prompt: PromptMode | undefined;
  readonly timeout: number | undefined;
  /** `file` undefined: a file in the state folder. */
  readonly log: { readonly file: string | undefined } | undefined;
  readonly logAll: boolean;
  readonly wait: boolean;
  readonly mode: "lite" | "strict";
  readonly profile: string | undefined;
  readonly secrets: boolean;
  readonly fence: "auto" | "on" | "off";
  readonly save: "project" | "session";
  readonly checks: string | undefined;
  readonly as: string | undefined;
}

const TARGET_FLAG = /^(allow|deny)-(path|exec|connect)$/;

export function readRunOptions(flags: Flags): RunOptions {
  const rules = flags.given.flatMap(readRule);
  const mediate = readMediate(flags.text("mediate"));
  if (rules.some((rule) => rule.type === "target" && rule.category === "connect")) mediate.add("connect");
  if (flags.has("allow-tty") && !flags.has("no-implicit"))
    throw new UsageError("--allow-tty goes with --no-implicit; without it the terminal is writable");
  if (flags.has("as") && !flags.has("checks")) throw new UsageError("--as goes with --checks");
  const log = flags.value("log");
  return {
    rules,
    mediate,
    implicit: !flags.has("no-implicit"),
    allowTty: flags.has("allow-tty"),
    prompt: flags.text("prompt") as PromptMode | undefined,
    timeout: readTimeout(flags.text("timeout")),
    log: log === undefined ? undefined : { file: log === true ? undefined : log },
    logAll: flags.has("log-all"),
    wait: flags.has("wait"),
    mode: (flags.text("mode") ?? "lite") as RunOptions["mode"],
    profile: flags.text("profile"),
    secrets: flags.has("secrets"),
    fence: (flags.text("fence") ?? "auto") as RunOptions["fence"],
    save: (flags.text("save") ?? "project") as RunOptions["save"],
    checks: flags.text("checks"),
    as: flags.text("as"),
  };
}

function readRule({ name, value }: Flags["given"][number]): FlagRule[] {
  if (value === true) return [];
  if (name === "rule") return [{ type: "line", line: value }];
  if (name === "rules") return [{ type: "file", file: value }];
  const match = TARGET_FLAG.exec(name);
  if (!match) return [];
  const action = match[1] as RuleAction;
  const category = match[2] === "path" ? "write" : (match[2] as Category);
  return [{ type: "target", action, category, target: value, flag: `--${name}`, isForever: name === "deny-path" }];
}

const MEDIATED: readonly Category[] = ["write", "exec", "connect"];

function readMediate(list: string | undefined): Set<Category> {
  if (list === undefined) return new Set(["write", "exec"]);
  if (list === "none") return new Set();
  return new Set(list.split(",").map(readCategory));
}

function readCategory(word: string): Category {
  const found = MEDIATED.find((one) => one === word);
  if (found) return found;
  const near = nearest(word, [...MEDIATED, "none"]);
  throw new UsageError(
    `--mediate: ${word || "nothing"} is no category: any of write,exec,connect, or none${near ? `; did you mean ${near}?` : ""}`,
  );
}

function readTimeout(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const duration = parseDuration(text);
  if (duration === undefined) throw new UsageError(`--timeout: ${text} is no duration; write 90s, 10m, 2h or 1h30m`);
  return duration;
}
