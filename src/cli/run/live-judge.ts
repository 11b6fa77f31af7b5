/** The session's judge, on the matcher that the workers use too. */
import { Matcher, PolicyChannel } from "../../../policy-wasm/host.ts";
import {
  CategoryCode,
  compilePolicy,
  destBytes,
  encodePath,
  escapeGlob,
  holdsKeys,
  isWithin,
  literalPath,
  NO_RULE,
  type Category,
  formatRule,
  type PlacedRule,
  parseRuleLine,
  settle,
  type SettleContext,
  indexOfVerdict,
  verdictOf,
} from "../../policy/index.ts";
import { parseDest } from "../../policy/dest.ts";
import type { Judge, Judgement, Wider } from "../../session/judge.ts";
import type { Operation, PendingCall } from "../../session/request.ts";

type Question = Parameters<Judge["judge"]>[1];

/** What changes a file that is there; everything else makes, removes or replaces a name. */
const CHANGES_CONTENT = new Set<Operation>([
  "overwrite",
  "append",
  "write",
  "truncate",
  "change mode",
  "change owner",
  "change times",
  "change attributes",
  "change flags",
]);

/** Two sets of rules are compared at a time: the ones before a change and the ones after. */
const KEPT = 2;

export class LiveJudge implements Judge {
  private readonly compiled = new Map<readonly PlacedRule[], Judging>();

  /** `context` is made anew for each rule: links are followed as they are then. */
  constructor(
    private readonly context: () => SettleContext,
    private readonly widen: (call: PendingCall) => Wider,
  ) {}

  parse(line: string) {
    const { home, cwd } = this.context();
    return parseRuleLine(line, { home, cwd });
  }

  readonly format = formatRule;

  settle(rule: Parameters<Judge["settle"]>[0]) {
    return rule.patterns === undefined ? settle(rule, this.context()) : rule;
  }

  judge(rules: readonly PlacedRule[], call: Question): Judgement {
    return this.judging(rules).judge(call);
  }

  judgeTarget(rules: readonly PlacedRule[], category: Category, target: string): Judgement {
    return this.judging(rules).judgeTarget(category, target);
  }

  /** Takes the tables of these rules from somebody who has compiled them. */
  know(rules: readonly PlacedRule[], tables: Uint8Array): void {
    this.compiled.set(rules, new Judging(rules, tables));
  }

  /** The tables of these rules, for the workers. */
  tables(rules: readonly PlacedRule[]): Uint8Array {
    return this.judging(rules).tables;
  }

  wider(call: PendingCall): Wider {
    return this.widen(call);
  }

  mayOffer(category: Category, target: string): boolean {
    if (category === "connect" || !target.startsWith("/")) return true;
    const folder = target.replace(/\/?[^/]*[*?[{].*$/s, "") || "/";
    const { home } = this.context();
    return folder !== "/" && !isWithin(home, folder) && !holdsKeys(folder, home);
  }

  exact({ category, target }: PendingCall): string {
    return category === "connect" ? target : escapeGlob(target);
  }

  private judging(rules: readonly PlacedRule[]): Judging {
    const known = this.compiled.get(rules);
    if (known) return known;
    const made = new Judging(rules);
    this.compiled.set(rules, made);
    for (const old of this.compiled.keys()) {
      if (this.compiled.size <= KEPT) break;
      this.compiled.delete(old);
    }
    return made;
  }
}

/** One set of rules, compiled; the matcher is made when the first question comes. */
class Judging {
  readonly tables: Uint8Array;
  private matcher: Matcher | undefined;

  constructor(
    private readonly rules: readonly PlacedRule[],
    tables = compilePolicy(rules).tables,
  ) {
    this.tables = tables;
  }

  judge({ category, operation, target, to }: Question): Judgement {
    const packed = [target, ...(to === undefined || category === "connect" ? [] : [to])].map((one) =>
      this.match(category, operation, one),
    );
    return this.worstOf(packed, category);
  }

  private worstOf(packed: readonly number[], category: Category): Judgement {
    const worst = packed.reduce((one, other) => (severity(one) >= severity(other) ? one : other));
    const rule = this.rules[indexOfVerdict(worst)];
    const isUntouchedRead = rule === undefined && category === "read";
    return { verdict: isUntouchedRead ? "allow" : verdictOf(worst), ...(rule ? { rule } : {}) };
  }

  judgeTarget(category: Category, target: string): Judgement {
    if (category === "connect") return this.worstOf([this.match(category, "connect", target)], category);
    const isTree = target.endsWith("/**");
    const path = literalPath(isTree ? target.slice(0, -3) || "/" : target);
    if (path === undefined) return { verdict: "deny" };
    const below = isTree ? this.below(category, path) : NO_RULE;
    return this.worstOf([this.match(category, "write", path), ...(below === NO_RULE ? [] : [below])], category);
  }

  /** The strictest rule that restricts something below the folder. */
  private below(category: Category, folder: string): number {
    const matcher = (this.matcher ??= this.start());
    const bytes = encodePath(folder);
    if (bytes.length > matcher.pathCapacity) return -1;
    matcher.pathBytes.set(bytes);
    return matcher.matchBelow(CategoryCode[category], bytes.length);
  }

  private match(category: Question["category"], operation: Operation, target: string): number {
    const matcher = (this.matcher ??= this.start());
    const bytes = category === "connect" ? destBytes(parseDest(target, (path) => path)) : encodePath(target);
    if (bytes === undefined || bytes.length > matcher.pathCapacity) return -1;
    matcher.pathBytes.set(bytes);
    const isName = category === "write" && !CHANGES_CONTENT.has(operation);
    const code = CategoryCode[category];
    return isName ? matcher.matchName(code, bytes.length) : matcher.match(code, bytes.length);
  }

  private start(): Matcher {
    const channel = PolicyChannel.create(this.tables.length + 64);
    channel.publish(this.tables);
    return new Matcher(channel.shared);
  }
}

function severity(packed: number): number {
  const verdict = verdictOf(packed);
  return verdict === "deny" ? 2 : verdict === "ask" ? 1 : 0;
}
