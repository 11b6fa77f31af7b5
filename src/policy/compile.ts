/** Rules to the flat tables that the WASM matcher reads. */
import { HallpassError } from "../errors.ts";
import { parseDest, type Dest } from "./dest.ts";
import { parsePatterns } from "./glob.ts";
import { CategoryCode } from "./layout.ts";
import { Networks } from "./networks.ts";
import { isNamed } from "./parse.ts";
import type { PlacedRule } from "./rule.ts";
import { layTables } from "./tables.ts";
import { TrieNode, insert } from "./trie.ts";
import { FLAG_CONTENT, FLAG_NAMED, INDEX_MASK, NO_RULE, packVerdict } from "./verdict.ts";

export interface CompiledPolicy {
  /** For PolicyChannel.publish. */
  readonly tables: Uint8Array;
  /** What the index in a verdict means. */
  readonly rules: readonly PlacedRule[];
}

/** What the rules say, sorted by what can be looked up. */
export interface Collected {
  /** By CategoryCode; `connect` has the unix paths. */
  readonly roots: readonly TrieNode[];
  readonly networks: Networks;
  /** Files that names and groups stand for, by path: by far the most of what is looked up to run. */
  readonly programs: Map<string, number>;
  readonly abstract: Map<string, number>;
  readonly abstractPrefixes: Map<string, number>;
  all: number;
}

/** Lays the tables. An index beyond the rules cannot be; more rules than an index can name are refused. */
export function compilePolicy(rules: readonly PlacedRule[]): CompiledPolicy {
  if (rules.length >= INDEX_MASK) throw new HallpassError(`${rules.length} rules are more than hallpass can hold`);
  const collected: Collected = {
    roots: Object.values(CategoryCode).map(() => new TrieNode()),
    networks: new Networks(),
    programs: new Map(),
    abstract: new Map(),
    abstractPrefixes: new Map(),
    all: NO_RULE,
  };
  rules.forEach((rule, index) => collect(collected, rule, verdictFor(rule, index)));
  return { tables: layTables(collected, rules), rules };
}

/** The number that a match of this rule gives. */
export function verdictFor(rule: PlacedRule, index: number): number {
  const named = isNamed(rule) ? FLAG_NAMED : 0;
  const content = rule.origin.group === "git-config" ? FLAG_CONTENT : 0;
  return packVerdict(rule.tier, named | content, index);
}

/** The TARGETs that a rule stands for: paths, or DESTs. */
export function patternsOf(rule: PlacedRule): readonly string[] {
  if (rule.patterns !== undefined) return rule.patterns;
  return rule.target.startsWith("/") || rule.category === "connect" ? [rule.target] : [];
}

export function destOf(target: string): Dest {
  return parseDest(target, (path) => path);
}

function collect(collected: Collected, rule: PlacedRule, verdict: number): void {
  const root = collected.roots[CategoryCode[rule.category]]!;
  const named = isNamed(rule);
  for (const target of patternsOf(rule)) {
    if (rule.category === "connect") collectDest(collected, destOf(target), verdict);
    else if (named && isPlainPath(target)) lowest(collected.programs, target, verdict);
    else for (const pattern of parsePatterns(target)) insert(root, pattern, verdict);
  }
}

/** A name stands for a file: not for what is below it, should it be a folder. */
export function isPlainPath(target: string): boolean {
  return !/[*?[{\\]/.test(target);
}

function lowest(verdicts: Map<string, number>, key: string, verdict: number): void {
  verdicts.set(key, Math.min(verdicts.get(key) ?? NO_RULE, verdict));
}

function collectDest(collected: Collected, dest: Dest, verdict: number): void {
  switch (dest.kind) {
    case "all":
      collected.all = Math.min(collected.all, verdict);
      break;
    case "inet":
      collected.networks.add(dest, verdict);
      break;
    case "unix": {
      const root = collected.roots[CategoryCode.connect]!;
      for (const pattern of parsePatterns(dest.glob)) insert(root, pattern, verdict);
      break;
    }
    case "abstract": {
      lowest(dest.isPrefix ? collected.abstractPrefixes : collected.abstract, dest.name, verdict);
    }
  }
}
