import { expect, test } from "bun:test";
import { Tier } from "../policy/rule.ts";
import type { Advance } from "./advance-reply.ts";
import { Driven, rule, write } from "./fixture.ts";

const ask = (over: Partial<Advance> = {}): Advance => ({
  action: "ask",
  category: "write",
  target: "/home/me/.npm/**",
  ...over,
});

function advance(session: Driven, one: Advance, id = "a1", tid = 7): void {
  session.take({
    type: "advance",
    id,
    advance: one,
    call: write(one.target, { operation: "write", syscall: "execve", tid, pid: tid }),
    by: [],
  });
}

const replies = (session: Driven): number[] => session.of("refuse").map((effect) => effect.errno);

test("once grants exactly what was asked for, for as long as was asked for", () => {
  const session = new Driven();
  session.ask(write("/home/me/.npm/a", { tid: 9, pid: 9 }));
  advance(session, ask({ duration: 60_000, reason: "npm needs it" }));
  expect(session.requests()[1]).toMatchObject({ advance: { duration: 60_000, reason: "npm needs it" }, widerIndex: 0 });
  expect(session.requests()[1]?.wider[0]).toBe("/home/me/.npm/**");
  session.answer(2, "once");
  expect(replies(session)).toEqual([114]);
  expect(session.state.rules[0]).toMatchObject({
    target: "/home/me/.npm/**",
    tier: Tier.grant,
    origin: { kind: "request" },
  });
  expect(session.replayed()).toEqual(["c1"]);
  session.advance(60_000);
  expect(session.state.rules).toEqual([]);
});

test("without a duration the grant lasts for the session, and is saved nowhere", () => {
  const session = new Driven();
  advance(session, ask());
  session.answer(1, "once");
  session.advance(10 ** 9);
  expect(session.state.rules).toHaveLength(1);
  expect(session.of("file")).toEqual([]);
});

test.each([
  ["deny", 1],
  ["dismiss", 1],
  ["never", 1],
] as const)("%s replies EPERM and grants nothing", (kind, errno) => {
  const session = new Driven();
  advance(session, ask());
  session.answer(1, kind);
  expect(replies(session)).toEqual([errno]);
  expect(session.state.rules.filter((one) => one.action === "allow")).toEqual([]);
});

test("what is allowed or denied already is said without asking anybody", () => {
  const allowed = new Driven({}, [rule(Tier.allow, "allow write /home/me/**")]);
  advance(allowed, ask());
  const denied = new Driven({}, [
    rule(Tier.allow, "allow write /home/me/**"),
    rule(Tier.deny, "deny write /home/me/.npm/secret"),
  ]);
  advance(denied, ask());
  expect([replies(allowed), replies(denied)]).toEqual([[17], [1]]);
  expect([...allowed.requests(), ...denied.requests()]).toEqual([]);
});

test("check asks nobody", () => {
  const session = new Driven();
  advance(session, ask({ action: "check" }));
  expect(replies(session)).toEqual([42]);
  expect(session.requests()).toEqual([]);
});

test("release takes back what requests were granted for exactly that target, and no other rule", () => {
  const session = new Driven({}, [
    rule(Tier.allow, "allow write /home/me/.npm/**", { origin: { kind: "project" }, tier: Tier.allow }),
  ]);
  advance(session, ask({ action: "release" }));
  advance(session, ask({ target: "/home/me/x" }), "a2");
  session.answer(1, "once");
  advance(session, ask({ action: "release", target: "/home/me/**" }), "a3");
  advance(session, ask({ action: "release", target: "/home/me/x" }), "a4");
  expect(replies(session)).toEqual([3, 114, 3, 125]);
  expect(session.state.rules).toHaveLength(1);
});

test("nobody's answer in time is ETIMEDOUT, a rule that comes in the meantime is an answer", () => {
  const late = new Driven({ timeout: 5000 });
  advance(late, ask());
  late.advance(5000);
  const ruled = new Driven();
  advance(ruled, ask());
  ruled.act({ type: "rule-add", rule: "allow write /home/me/.npm/**", scope: "session" });
  expect([replies(late), replies(ruled)]).toEqual([[110], [114]]);
});

test("the modes that ask nobody deny, or grant as audited", () => {
  const denies = new Driven({ prompt: "deny" });
  advance(denies, ask());
  const allows = new Driven({ prompt: "allow" });
  advance(allows, ask());
  expect([replies(denies), replies(allows)]).toEqual([[1], [114]]);
  expect(allows.of("log")[0]?.decision).toMatchObject({ decision: "allow", reason: "audit" });
  expect(allows.state.rules).toHaveLength(1);
});

test("another reason or duration is another request; the same one shows once", () => {
  const session = new Driven();
  advance(session, ask(), "a1", 1);
  advance(session, ask(), "a2", 2);
  advance(session, ask({ reason: "because" }), "a3", 3);
  expect(session.requests().map((one) => one.count)).toEqual([2, 1]);
  session.answer(1, "once");
  expect(replies(session)).toEqual([114, 114, 114]);
});
