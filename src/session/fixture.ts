/** For tests: a session with a clock that is moved by hand, and a record of everything it did. */
import type { SessionEvent, SessionInfo } from "../control/messages.ts";
import { PolicyError } from "../errors.ts";
import { CATEGORIES, type PlacedRule, type Rule, type RuleAction, type Tier } from "../policy/rule.ts";
import type { Effect } from "./event.ts";
import type { Judge } from "./judge.ts";
import { reduce } from "./reduce.ts";
import type { AnswerKind, PendingCall, Request } from "./request.ts";
import { createState, type SessionConfig, type SessionState } from "./state.ts";

export const INFO: SessionInfo = {
  pid: 100,
  command: ["bash"],
  project: "/p",
  started: 0,
  mode: "lite",
  prompt: "answer",
  mediate: ["write", "exec"],
};

/** Reads targets that are a path or `DIR/**`; enough to see what the session does with verdicts. */
export const plainJudge: Judge = {
  parse(line: string): Rule {
    const [action, category, target] = line.split(" ");
    if (!CATEGORIES.some((one) => one === category) || target === undefined) {
      throw new PolicyError([{ file: "", line: 1, column: 1, message: "not a rule", text: line }]);
    }
    return { action: action as RuleAction, category: category as Rule["category"], target };
  },
  format: ({ action, category, target }) => `${action} ${category} ${target}`,
  settle: (settled) => settled,
  judge(rules, call) {
    let best: PlacedRule | undefined;
    for (const one of rules) {
      const applies = one.category === call.category && covers(one.target, call.target);
      if (applies && one.tier < (best?.tier ?? 9)) best = one;
    }
    return best ? { verdict: best.action, rule: best } : { verdict: "ask" };
  },
  judgeTarget(rules, category, target) {
    const folder = target.replace(/\/\*\*$/, "");
    const denied = rules.find(
      (one) => one.action === "deny" && one.category === category && one.target.startsWith(folder),
    );
    if (denied) return { verdict: "deny", rule: denied };
    return plainJudge.judge(rules, { category, operation: "write", target: folder });
  },
  wider: ({ target }) => ({ targets: [target, `${target.slice(0, target.lastIndexOf("/"))}/**`], index: 1 }),
  mayOffer: (_, target) => target !== "/**",
  exact: ({ target }) => target,
};

function covers(target: string, path: string): boolean {
  const folder = target.endsWith("/**") ? target.slice(0, -3) : target;
  return path === folder || path.startsWith(`${folder}/`);
}

export function write(target: string, over: Partial<PendingCall> = {}): PendingCall {
  return {
    category: "write",
    operation: "create",
    target,
    syscall: "openat",
    tid: 7,
    pid: 7,
    exe: "/usr/bin/node",
    warnings: [],
    ...over,
  };
}

export function rule(tier: Tier, line: string, over: Partial<PlacedRule> = {}): PlacedRule {
  return { ...plainJudge.parse(line), id: line, tier, origin: { kind: "flag" }, ...over };
}

/** A session driven by hand. */
export class Driven {
  now = 1_000_000;
  readonly state: SessionState;
  readonly effects: Effect[] = [];
  readonly replies: SessionEvent[] = [];
  private calls = 0;

  constructor(config: Partial<SessionConfig> = {}, rules: readonly PlacedRule[] = []) {
    this.state = createState({ prompt: "answer", save: "project", ...config }, INFO, rules);
  }

  take(input: Parameters<typeof reduce>[2]): Effect[] {
    const effects = reduce(this.state, plainJudge, input, this.now);
    this.effects.push(...effects);
    return [...effects];
  }

  ask(call: PendingCall): string {
    const id = `c${++this.calls}`;
    this.take({ type: "asked", id, call, by: [{ pid: call.pid, name: "node", command: ["npm", "install"] }] });
    return id;
  }

  answer(request: number, kind: AnswerKind, more: { duration?: number; target?: string } = {}): string | undefined {
    this.act({ type: "answer", answer: { request, kind, ...more }, ref: 1 });
    const last = this.of("reply").at(-1)?.event;
    return last?.type === "reply" ? last.error : undefined;
  }

  act(action: Extract<Parameters<typeof reduce>[2], { type: "action" }>["action"]): void {
    this.take({
      type: "action",
      action,
      sender: { label: "answer (pid 9)", reply: (event) => this.replies.push(event) },
    });
  }

  advance(milliseconds: number): void {
    this.now += milliseconds;
    this.take({ type: "tick" });
  }

  of<Type extends Effect["type"]>(type: Type): Extract<Effect, { type: Type }>[] {
    return this.effects.filter((effect): effect is Extract<Effect, { type: Type }> => effect.type === type);
  }

  requests(): Request[] {
    return [...this.state.requests.values()].map((pending) => pending.request);
  }

  replayed(): string[] {
    return this.of("replay").map((effect) => effect.id);
  }

  refused(): string[] {
    return this.of("refuse").map((effect) => effect.id);
  }
}
