/** Rule lines (SPEC §3) to rules. Every mistake of a file is reported, with its line and column. */
import { PolicyError, type PolicyMistake } from "../errors.ts";
import { formatDest, parseDest } from "./dest.ts";
import { parseDuration } from "./duration.ts";
import { GlobMistake, parsePatterns } from "./glob.ts";
import { groupCategory } from "./group-files.ts";
import { LineMistake, readWhole, readWord, type Word } from "./lex.ts";
import { absoluteGlob, hasGlob, type Places } from "./paths.ts";
import { CATEGORIES, type Category, type Rule, type RuleAction } from "./rule.ts";

/** What a line is read with: where it stands, and what `~` and relative paths are. */
export interface RuleContext extends Places {
  /** As messages name it; "rule" where absent. */
  readonly file?: string;
}

export interface RuleLine {
  readonly rule: Rule;
  /** From 1. */
  readonly line: number;
}

const ACTIONS: readonly RuleAction[] = ["allow", "deny", "ask"];

/** The rules of a file's text. Throws one PolicyError with all its mistakes. */
export function parseRules(text: string, context: RuleContext): RuleLine[] {
  const rules: RuleLine[] = [];
  const mistakes: PolicyMistake[] = [];
  text.split("\n").forEach((line, index) => {
    if (isBlank(line)) return;
    const read = readRule(line, index + 1, context);
    if ("message" in read) mistakes.push(read);
    else rules.push({ rule: read, line: index + 1 });
  });
  if (mistakes.length > 0) throw new PolicyError(mistakes);
  return rules;
}

/** One rule line. Throws PolicyError, for an empty line too. */
export function parseRuleLine(line: string, context: RuleContext): Rule {
  const read = readRule(line, 1, context);
  if ("message" in read) throw new PolicyError([read]);
  return read;
}

/** A rule from its parts, as flags give them: the target is the whole text. Throws PolicyError. */
export function makeRule(action: RuleAction, category: Category, target: string, context: RuleContext): Rule {
  const read = report(target, 1, context, () => ({
    action,
    category,
    target: canonicalTarget(category, readWhole(target), context),
  }));
  if ("message" in read) throw new PolicyError([read]);
  return read;
}

/** Whether a line of a rule file holds no rule: nothing, or a comment. */
export function isBlank(line: string): boolean {
  return /^\s*(?:#.*)?$/s.test(line);
}

function readRule(text: string, line: number, context: RuleContext): Rule | PolicyMistake {
  return report(text, line, context, () => readParts(text.replace(/\r$/, ""), context));
}

function report(text: string, line: number, context: RuleContext, read: () => Rule): Rule | PolicyMistake {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof LineMistake)) throw error;
    return { file: context.file ?? "rule", line, column: error.at + 1, message: error.message, text };
  }
}

/** Most lines: nothing quoted, escaped or timed. */
const PLAIN_LINE = /^(allow|deny|ask) (write|exec|connect|read) ([^\s"\\#\0]+)(?:\s+#\s*([^]*))?$/;

function readPlain(line: string, context: RuleContext): Rule | undefined {
  const [, action, category, glob, note = ""] = PLAIN_LINE.exec(line) ?? [];
  if (glob === undefined) return undefined;
  const start = action!.length + category!.length + 2;
  const word: Word = { glob, column: (offset) => start + offset, start, end: start + glob.length };
  const target = canonicalTarget(category as Category, word, context);
  const said = note.trim();
  return {
    action: action as RuleAction,
    category: category as Category,
    target,
    ...(said === "" ? {} : { note: said }),
  };
}

function readParts(line: string, context: RuleContext): Rule {
  const plain = readPlain(line, context);
  if (plain !== undefined) return plain;
  const action = readChoice(line, 0, ACTIONS, "allow, deny or ask");
  const category = readChoice(line, action.end, CATEGORIES, "write, exec, connect or read");
  const start = skipSpace(line, category.end);
  if (start >= line.length) throw new LineMistake("the target is missing", start);
  const word = readWord(line, start);
  const target = canonicalTarget(category.value, word, context);
  return { action: action.value, category: category.value, target, ...readTail(line, word.end) };
}

function readChoice<T extends string>(line: string, from: number, choices: readonly T[], expected: string) {
  const start = skipSpace(line, from);
  const word = /^\S*/.exec(line.slice(start))![0];
  const value = choices.find((choice) => choice === word);
  if (value === undefined)
    throw new LineMistake(word === "" ? `expected ${expected}` : `expected ${expected}, not "${word}"`, start);
  return { value, end: start + word.length };
}

function readTail(line: string, from: number): Pick<Rule, "duration" | "note"> {
  let at = skipSpace(line, from);
  let duration: number | undefined;
  const timed = /^for(?:\s+([^\s#]+))?/.exec(line.slice(at));
  if (timed) {
    duration = parseDuration(timed[1] ?? "");
    if (duration === undefined) throw new LineMistake("for wants a duration such as 90s, 10m, 2h or 1h30m", at);
    at = skipSpace(line, at + timed[0].length);
  }
  if (at < line.length && line[at] !== "#") {
    throw new LineMistake(
      'expected "for DURATION", "# note" or the end (a target with spaces is written in quotes)',
      at,
    );
  }
  const note = line.slice(at + 1).trim();
  return { ...(duration === undefined ? {} : { duration }), ...(note === "" ? {} : { note }) };
}

function skipSpace(line: string, at: number): number {
  return at + /^\s*/.exec(line.slice(at))![0].length;
}

function canonicalTarget(category: Category, word: Word, context: RuleContext): string {
  if (word.glob === "") throw new LineMistake("the target is empty", word.start);
  try {
    if (word.glob.startsWith("@")) return groupTarget(category, word.glob);
    if (category === "connect") return formatDest(parseDest(word.glob, (path) => checkedPath(path, context)));
    if (category === "exec" && isBareName(word.glob)) return checkedName(word.glob);
    return checkedPath(word.glob, context);
  } catch (error) {
    if (!(error instanceof GlobMistake)) throw error;
    throw new LineMistake(error.message, word.column(error.offset));
  }
}

function isBareName(glob: string): boolean {
  return !glob.includes("/") && !glob.startsWith("~") && glob !== "." && glob !== "..";
}

function checkedName(name: string): string {
  if (/^\*+$/.test(name)) throw new GlobMistake("every program is written /**", 0);
  parsePatterns(`/${name}`);
  return name;
}

function checkedPath(glob: string, context: RuleContext): string {
  if (glob === "") throw new GlobMistake("the path is missing", 0);
  const absolute = absoluteGlob(glob, context);
  if (absolute.includes("\0")) throw new GlobMistake("no path has a NUL in it", 0);
  checkGlob(absolute, glob);
  return absolute;
}

/** Throws a mistake at its place in what was written, of which the absolute glob is longer by what was put before it. */
function checkGlob(absolute: string, written: string): void {
  try {
    parsePatterns(absolute);
  } catch (error) {
    if (!(error instanceof GlobMistake)) throw error;
    const offset = error.offset - (absolute.length - written.length);
    throw new GlobMistake(error.message, Math.max(0, Math.min(offset, written.length - 1)));
  }
}

function groupTarget(category: Category, target: string): string {
  const name = target.slice(1);
  const known = groupCategory(name);
  if (known === undefined) throw new GlobMistake(`there is no group ${target} (hallpass rules groups lists them)`, 0);
  if (known !== category) throw new GlobMistake(`${target} is a group of ${known} rules, not of ${category} rules`, 0);
  return target;
}

/** Whether a rule's target is looked up: a group, or a name in $PATH. */
export function isNamed(rule: Pick<Rule, "category" | "target">): boolean {
  return rule.category === "exec" && (rule.target.startsWith("@") || !rule.target.includes("/"));
}

/** Whether a target can match more than one path. */
export function isGlob(rule: Pick<Rule, "category" | "target">): boolean {
  return rule.target.startsWith("@") || hasGlob(rule.target);
}
