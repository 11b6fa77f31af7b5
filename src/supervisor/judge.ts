/** The verdict on a path, asked of the matcher; what the matcher itself cannot know is not decided here. */
import { CategoryCode } from "../policy/layout.ts";
import type { PlacedRule } from "../policy/rule.ts";
import { indexOfVerdict, isRestricting, verdictOf } from "../policy/verdict.ts";
import { Errno } from "../../ffi/errno.ts";
import type { PathBytes } from "./path-bytes.ts";

/** What the supervisor needs of policy-wasm's Matcher. */
export interface PathMatcher {
  readonly pathBytes: Uint8Array;
  readonly pathCapacity: number;
  refresh(): boolean;
  match(category: CategoryCode, length: number): number;
  matchName(category: CategoryCode, length: number): number;
  matchBelow(category: CategoryCode, length: number): number;
  matchLink(category: CategoryCode, length: number): number;
  ruleAt(index: number): PlacedRule | undefined;
}

type Question = "match" | "matchName" | "matchBelow" | "matchLink";

/** Results are packed verdicts (src/policy/verdict.ts); a path that does not fit is denied. */
export class Judge {
  constructor(private readonly matcher: PathMatcher) {}

  /** True when the rules have changed. */
  refresh(): boolean {
    return this.matcher.refresh();
  }

  /** Changing what is at the path. */
  write(path: PathBytes): number {
    return this.ask("match", CategoryCode.write, path);
  }

  /** Making, removing or replacing the path's name. */
  writeName(path: PathBytes): number {
    return this.ask("matchName", CategoryCode.write, path);
  }

  /** The strictest rule that something below the folder could meet. */
  writeBelow(path: PathBytes): number {
    return this.ask("matchBelow", CategoryCode.write, path);
  }

  /** Making the path lead elsewhere. */
  writeLink(path: PathBytes): number {
    return this.ask("matchLink", CategoryCode.write, path);
  }

  exec(path: PathBytes): number {
    return this.ask("match", CategoryCode.exec, path);
  }

  read(path: PathBytes): number {
    return this.ask("match", CategoryCode.read, path);
  }

  /** An address in the matcher's own form (policy-wasm/assembly/connect.ts). */
  connect(record: Uint8Array): number {
    if (record.length > this.matcher.pathCapacity) return -Errno.ENAMETOOLONG;
    this.matcher.pathBytes.set(record);
    return this.matcher.match(CategoryCode.connect, record.length);
  }

  rule(packed: number): PlacedRule | undefined {
    const index = indexOfVerdict(packed);
    return index < 0 ? undefined : this.matcher.ruleAt(index);
  }

  /** Targets of all rules that forbid or ask for writes. */
  restrictingWrites(): string[] {
    const found: string[] = [];
    for (let index = 0; ; index++) {
      const rule = this.matcher.ruleAt(index);
      if (!rule) return found;
      if (rule.category === "write" && rule.action !== "allow") found.push(...(rule.patterns ?? [rule.target]));
    }
  }

  private ask(question: Question, category: CategoryCode, path: PathBytes): number {
    const { matcher } = this;
    if (path.length > matcher.pathCapacity) return -Errno.ENAMETOOLONG;
    matcher.pathBytes.set(path.bytes.subarray(0, path.length));
    return matcher[question](category, path.length);
  }
}

/** Of two questions about one call: a denial before a request before leave. */
export function stricter(one: number, other: number): number {
  return rank(one) <= rank(other) ? one : other;
}

function rank(packed: number): number {
  const verdict = verdictOf(packed);
  return verdict === "deny" ? 0 : verdict === "ask" ? 1 : 2;
}

export { isRestricting, verdictOf };
