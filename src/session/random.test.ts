/** Thousands of random requests, answers, signals and deaths: what was shown is what was granted, and every call is answered once. */
import { expect, test } from "bun:test";
import type { AnswerKind, Request } from "./request.ts";
import { Driven, write } from "./fixture.ts";

/** Mulberry32: the same numbers for the same seed. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const KINDS: AnswerKind[] = ["once", "timed", "always", "deny", "never", "dismiss"];
const OPERATIONS = ["create", "append", "delete"] as const;
const ALLOWS = new Set<AnswerKind>(["once", "timed", "always"]);

class Run {
  readonly session = new Driven({ timeout: 60_000 });
  /** Calls that nobody has answered yet. */
  readonly open = new Set<string>();
  private calls = 0;
  private readonly pick: (below: number) => number;

  constructor(seed: number) {
    this.pick = random(seed);
  }

  step(): void {
    const before = this.session.effects.length;
    const what = this.pick(10);
    if (what < 5) this.ask();
    else if (what < 8) this.answer();
    else if (what === 8) this.leave();
    else this.session.advance(this.pick(20_000));
    for (const effect of this.session.effects.slice(before)) {
      if (effect.type !== "replay" && effect.type !== "refuse") continue;
      expect(this.open.delete(effect.id)).toBe(true);
    }
  }

  private ask(): void {
    const tid = this.pick(8);
    const call = write(`/home/me/${this.pick(3)}/${this.pick(4)}`, {
      tid,
      pid: tid,
      operation: OPERATIONS[this.pick(3)]!,
    });
    const id = `r${this.calls++}`;
    this.open.add(id);
    this.session.take({ type: "asked", id, call, by: [] });
  }

  private leave(): void {
    const id = [...this.open][this.pick(Math.max(1, this.open.size))];
    if (id === undefined) return;
    this.open.delete(id);
    this.session.take({ type: this.pick(2) === 0 ? "gone" : "interrupted", id });
  }

  private answer(): void {
    const requests = this.session.requests();
    const request = requests[this.pick(Math.max(1, requests.length))];
    if (!request) return;
    const kind = KINDS[this.pick(KINDS.length)]!;
    const target = ALLOWS.has(kind) && kind !== "once" ? request.wider[this.pick(request.wider.length)]! : undefined;
    const rules = new Set(this.session.state.rules.map((rule) => rule.id));
    const before = this.session.effects.length;
    expect(this.session.answer(request.id, kind, target === undefined ? {} : { target })).toBeUndefined();
    this.check(request, kind, target, before);
    const made = this.session.state.rules.filter((rule) => !rules.has(rule.id));
    const granted = kind === "never" ? request.call.target : target;
    expect(made.map((rule) => rule.target)).toEqual(granted === undefined ? [] : [granted]);
    expect(made.every((rule) => (rule.expiresAt !== undefined) === (kind === "timed"))).toBe(true);
  }

  /** Only calls that are just what the request showed are let through as approved. */
  private check(request: Request, kind: AnswerKind, target: string | undefined, before: number): void {
    for (const effect of this.session.effects.slice(before)) {
      if (effect.type !== "replay" || !effect.approved) continue;
      expect(ALLOWS.has(kind)).toBe(true);
      const { category, operation, target: path } = request.call;
      expect(effect.approved).toMatchObject({ category, operation, target: path });
      if (target !== undefined) expect(path.startsWith(target.replace(/\*\*$/, ""))).toBe(true);
    }
  }
}

test.each([1, 2, 3, 4, 5, 6, 7, 8])("seed %d", (seed) => {
  const run = new Run(seed);
  for (let step = 0; step < 2000; step++) run.step();
  run.session.take({ type: "end", left: 0 });
  for (const effect of run.session.of("refuse")) run.open.delete(effect.id);
  expect([...run.open]).toEqual([]);
  expect(run.session.requests()).toEqual([]);
  expect(run.session.state.requestOfKey.size).toBe(0);
  expect(run.session.state.requestOfCall.size).toBe(0);
});
