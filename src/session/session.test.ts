import { describe, expect, test } from "bun:test";
import { Tier } from "../policy/rule.ts";
import { Driven, rule, write } from "./fixture.ts";

describe("a request", () => {
  test("shows once with a count when several processes ask the same", () => {
    const session = new Driven();
    for (let pid = 1; pid <= 3; pid++) session.ask(write("/home/me/x", { pid, tid: pid }));
    expect(session.requests()).toHaveLength(1);
    expect(session.requests()[0]?.count).toBe(3);
    session.answer(1, "once");
    expect(session.replayed()).toEqual(["c1", "c2", "c3"]);
  });

  test("for another operation on the same target is another request", () => {
    const session = new Driven();
    session.ask(write("/home/me/x"));
    session.ask(write("/home/me/x", { operation: "delete", tid: 8, pid: 8 }));
    expect(session.requests()).toHaveLength(2);
    session.answer(1, "once");
    expect(session.replayed()).toEqual(["c1"]);
  });

  test("of a caller that died is gone everywhere at once and is logged as gone", () => {
    const session = new Driven();
    session.take({ type: "gone", id: session.ask(write("/home/me/x")) });
    expect(session.requests()).toEqual([]);
    expect(session.of("emit").map((one) => one.event.type)).toEqual(["request", "decision", "resolved"]);
    expect(session.of("log")[0]?.decision).toMatchObject({ decision: "deny", reason: "gone", request: 1 });
  });

  test("stays when one of two callers dies", () => {
    const session = new Driven();
    const first = session.ask(write("/home/me/x"));
    session.ask(write("/home/me/x", { tid: 8, pid: 8 }));
    session.take({ type: "gone", id: first });
    expect(session.requests()[0]?.count).toBe(1);
    session.answer(1, "once");
    expect(session.replayed()).toEqual(["c2"]);
  });

  test("is still the same one when an interrupted call comes again", () => {
    const session = new Driven();
    session.take({ type: "interrupted", id: session.ask(write("/home/me/x")) });
    session.now += 500;
    const again = session.ask(write("/home/me/x"));
    session.advance(10_000);
    expect(session.requests().map((one) => one.id)).toEqual([1]);
    session.answer(1, "once");
    expect(session.replayed()).toEqual([again]);
  });

  test("ends when the interrupted caller does something else", () => {
    const session = new Driven();
    session.take({ type: "interrupted", id: session.ask(write("/home/me/x")) });
    session.advance(2000);
    expect(session.requests()).toEqual([]);
  });

  test("answered while its caller is in a signal handler holds for the call that comes back, once", () => {
    const session = new Driven();
    session.take({ type: "interrupted", id: session.ask(write("/home/me/x")) });
    expect(session.answer(1, "once")).toBeUndefined();
    expect(session.replayed()).toEqual([]);
    const again = session.ask(write("/home/me/x"));
    expect(session.replayed()).toEqual([again]);
    session.ask(write("/home/me/x"));
    expect(session.requests().map((one) => one.id)).toEqual([2]);
  });

  test("answered in the meantime holds for no other thread and no other target", () => {
    const session = new Driven();
    session.take({ type: "interrupted", id: session.ask(write("/home/me/x")) });
    session.answer(1, "once");
    session.ask(write("/home/me/x", { tid: 8, pid: 8 }));
    session.ask(write("/home/me/y"));
    expect(session.replayed()).toEqual([]);
    expect(session.requests()).toHaveLength(2);
  });

  test("that nobody answers is denied after the time-out and leaves no rule", () => {
    const session = new Driven({ timeout: 5000 });
    session.ask(write("/home/me/x"));
    session.advance(4999);
    expect(session.refused()).toEqual([]);
    session.advance(1);
    expect(session.refused()).toEqual(["c1"]);
    expect(session.of("log")[0]?.decision).toMatchObject({ decision: "deny", reason: "timeout", waited_ms: 5000 });
    expect(session.state.rules).toEqual([]);
  });

  test("never comes up in the modes that ask nobody", () => {
    const denies = new Driven({ prompt: "deny" });
    denies.ask(write("/home/me/x"));
    expect(denies.refused()).toEqual(["c1"]);
    expect(denies.of("log")[0]?.decision).toMatchObject({ decision: "deny", reason: "policy", path: "/home/me/x" });
    const allows = new Driven({ prompt: "allow" });
    allows.ask(write("/home/me/x"));
    const [replay] = allows.of("replay");
    expect(replay?.approved?.target).toBe("/home/me/x");
    allows.take({
      type: "decided",
      decision: {
        pid: 7,
        exe: "/n",
        syscall: "openat",
        path: "/home/me/x",
        decision: "allow",
        reason: "user",
        request: replay?.request ?? 0,
      },
    });
    expect(allows.of("log")[0]?.decision).toMatchObject({ decision: "allow", reason: "audit" });
    expect(allows.of("log")[0]?.decision.request).toBeUndefined();
    expect([...denies.requests(), ...allows.requests()]).toEqual([]);
  });
});

describe("the answer", () => {
  test("once allows exactly the calls that were shown and leaves no rule", () => {
    const session = new Driven();
    session.ask(write("/home/me/x"));
    session.answer(1, "once");
    expect(session.of("replay")[0]).toMatchObject({
      approved: { target: "/home/me/x", operation: "create" },
      request: 1,
    });
    expect(session.state.rules).toEqual([]);
    session.ask(write("/home/me/x"));
    expect(session.requests()).toHaveLength(1);
  });

  test("timed grants the wider target for that time, and what it covers with it", () => {
    const session = new Driven();
    session.ask(write("/home/me/.npm/a"));
    session.ask(write("/home/me/.npm/b", { tid: 8, pid: 8 }));
    session.ask(write("/home/me/c", { tid: 9, pid: 9 }));
    session.answer(1, "timed");
    expect(session.replayed()).toEqual(["c1", "c2"]);
    expect(session.requests().map((one) => one.call.target)).toEqual(["/home/me/c"]);
    expect(session.state.rules[0]).toMatchObject({
      target: "/home/me/.npm/**",
      tier: Tier.grant,
      expiresAt: session.now + 300_000,
    });
    expect(session.of("file")).toEqual([]);
    session.advance(299_999);
    expect(session.state.rules).toHaveLength(1);
    session.advance(1);
    expect(session.state.rules).toEqual([]);
    expect(session.of("publish").at(-1)?.rules).toEqual([]);
  });

  test("timed takes another time, and narrower or wider targets that the request offers, no others", () => {
    const session = new Driven();
    session.ask(write("/home/me/.npm/a"));
    expect(session.answer(1, "timed", { target: "/home/me/**" })).toContain("does not offer");
    expect(session.answer(1, "timed", { duration: 0 })).toContain("duration");
    expect(session.answer(1, "once", { target: "/home/me/.npm/a" })).toContain("does not offer");
    expect(session.answer(1, "timed", { target: "/home/me/.npm/a", duration: 60_000 })).toBeUndefined();
    expect(session.state.rules[0]).toMatchObject({ target: "/home/me/.npm/a", expiresAt: session.now + 60_000 });
  });

  test("always is published before the calls it covers go back, and is saved for the project", () => {
    const session = new Driven();
    session.ask(write("/home/me/.npm/a"));
    session.ask(write("/home/me/.npm/b", { tid: 8, pid: 8 }));
    session.answer(1, "always");
    expect(session.of("file")[0]?.change).toEqual({
      type: "append",
      scope: "project",
      rule: { action: "allow", category: "write", target: "/home/me/.npm/**" },
    });
    expect(session.state.rules[0]).toMatchObject({ tier: Tier.allow, origin: { kind: "project" } });
    const order = session.effects.filter((one) => one.type === "publish" || (one.type === "replay" && !one.approved));
    expect(order.map((one) => one.type)).toEqual(["publish", "replay"]);
  });

  test("always with --save=session touches no file", () => {
    const session = new Driven({ save: "session" });
    session.ask(write("/home/me/.npm/a"));
    session.answer(1, "always");
    expect(session.of("file")).toEqual([]);
    expect(session.state.rules[0]?.origin.kind).toBe("session");
  });

  test("always on a request of an ask rule replaces that rule", () => {
    const asks = rule(Tier.ask, "ask write /home/me/docs/**", { origin: { kind: "project", file: "/f", line: 3 } });
    const session = new Driven({}, [asks]);
    session.ask(write("/home/me/docs/a", { askRule: asks.id }));
    session.answer(1, "always");
    expect(session.state.rules.map((one) => one.action)).toEqual(["allow"]);
    expect(session.of("file").map((one) => one.change.type)).toEqual(["delete", "append"]);
  });

  test("always with an ask rule whose end would let more through takes the rule's own target and no other", () => {
    const asks = rule(Tier.ask, "ask write /p/docs/**");
    const session = new Driven({}, [asks, rule(Tier.implicit, "allow write /p/**")]);
    session.ask(write("/p/docs/sub/a", { askRule: asks.id }));
    expect(session.requests()[0]).toMatchObject({
      wider: ["/p/docs/sub/a", "/p/docs/sub/**", "/p/docs/**"],
      widerIndex: 2,
    });
    expect(session.answer(1, "always", { target: "/p/docs/sub/**" })).toContain("more than this");
    expect(session.state.rules).toHaveLength(2);
    expect(session.answer(1, "always")).toBeUndefined();
    expect(session.state.rules.map((one) => `${one.action} ${one.target}`)).toEqual([
      "allow /p/**",
      "allow /p/docs/**",
    ]);
  });

  test("timed is granted before an ask rule, which stays", () => {
    const asks = rule(Tier.ask, "ask write /p/docs/**");
    const session = new Driven({}, [asks, rule(Tier.implicit, "allow write /p/**")]);
    session.ask(write("/p/docs/a", { askRule: asks.id }));
    session.answer(1, "timed", { target: "/p/docs/a" });
    session.advance(300_000);
    expect(session.state.rules.map((one) => one.id)).toEqual([asks.id, "allow write /p/**"]);
  });

  test("never denies the target itself and every pending request for it", () => {
    const session = new Driven();
    session.ask(write("/home/me/x"));
    session.ask(write("/home/me/x", { operation: "delete", tid: 8, pid: 8 }));
    session.ask(write("/home/me/y", { tid: 9, pid: 9 }));
    session.answer(1, "never");
    expect(session.refused()).toEqual(["c1"]);
    expect(session.replayed()).toEqual(["c2"]);
    expect(session.requests().map((one) => one.call.target)).toEqual(["/home/me/y"]);
    expect(session.state.rules[0]).toMatchObject({ action: "deny", target: "/home/me/x", tier: Tier.deny });
  });

  test("deny and dismiss refuse with EACCES and leave no rule", () => {
    const session = new Driven();
    session.ask(write("/home/me/x"));
    session.ask(write("/home/me/y"));
    session.answer(1, "deny");
    session.answer(2, "dismiss");
    expect(session.of("refuse").map((one) => one.errno)).toEqual([13, 13]);
    expect(session.state.rules).toEqual([]);
    expect(session.of("log").map((one) => one.decision)).toMatchObject([
      { reason: "user", client: "answer (pid 9)", request: 1, by: "npm install" },
      { reason: "user", request: 2 },
    ]);
  });

  test("comes too late for a request that somebody else answered, and says who", () => {
    const session = new Driven();
    session.ask(write("/home/me/x"));
    session.answer(1, "deny");
    expect(session.answer(1, "always")).toBe("request 1 has ended: deny by answer (pid 9)");
    expect(session.answer(44, "once")).toBe("request 44 does not exist");
    expect(session.state.rules).toEqual([]);
  });

  test("cannot allow what a full log could not record", () => {
    const session = new Driven();
    session.ask(write("/home/me/x"));
    session.take({ type: "log-full", full: true, problem: "no space left" });
    session.answer(1, "once");
    expect(session.replayed()).toEqual([]);
    expect(session.refused()).toEqual(["c1"]);
    expect(session.state.info.notice).toBe("no space left");
    session.take({ type: "log-full", full: false });
    expect(session.state.info.notice).toBeUndefined();
  });
});

function filed(target: string, line: number) {
  return { rule: { action: "allow", category: "write", target } as const, file: "/f", line };
}

describe("rules", () => {
  test("added by a client decide what waits, and can be undone", () => {
    const session = new Driven();
    session.ask(write("/home/me/x"));
    session.act({ type: "rule-add", rule: "allow write /home/me/x", scope: "session", ref: 5 });
    expect(session.replayed()).toEqual(["c1"]);
    const reply = session.of("reply")[0]?.event;
    const undo = reply?.type === "reply" ? (reply.result as { undo: Parameters<Driven["act"]>[0][] }).undo : [];
    session.act(undo[0]!);
    expect(session.state.rules).toEqual([]);
  });

  test("with a mistake are refused with the place of it", () => {
    const session = new Driven();
    session.act({ type: "rule-add", rule: "allow nothing", scope: "session", ref: 5 });
    expect(session.of("reply")[0]?.event).toMatchObject({ ref: 5, error: "column 1: not a rule" });
  });

  test("of the command line cannot be deleted by a client", () => {
    const session = new Driven({}, [rule(Tier.deny, "deny write /home/me/x")]);
    session.act({ type: "rule-delete", id: "deny write /home/me/x", ref: 1 });
    expect(session.of("reply")[0]?.event).toMatchObject({
      error: "this rule comes from the command line; it cannot be changed here",
    });
    expect(session.state.rules).toHaveLength(1);
  });

  test("read again from a file keep their names where the line stayed", () => {
    const session = new Driven();
    session.take({ type: "filed", scope: "project", rules: [filed("/a", 1), filed("/b", 2)] });
    const [a, b] = session.state.rules;
    session.take({ type: "filed", scope: "project", rules: [filed("/b", 1), filed("/c", 2)] });
    expect(session.state.rules.map((one) => one.target)).toEqual(["/b", "/c"]);
    expect(session.state.rules[0]?.id).toBe(b!.id);
    expect(session.state.rules[1]?.id).not.toBe(a!.id);
    expect(session.state.rules[0]?.origin.line).toBe(1);
  });

  test("that a change of verdict did not come from do not send a call round in circles", () => {
    const session = new Driven({}, [rule(Tier.allow, "allow exec /p/**")]);
    session.ask(write("/p/tool", { category: "exec", operation: "run", warnings: ["writable-program"] }));
    session.act({ type: "rule-add", rule: "allow write /elsewhere", scope: "session" });
    expect(session.replayed()).toEqual([]);
    expect(session.requests()).toHaveLength(1);
  });

  test("are previewed against the recent decisions before they are kept", () => {
    const session = new Driven();
    const decided = (path: string) =>
      session.take({
        type: "decided",
        decision: { pid: 7, exe: "/n", syscall: "openat", path, decision: "deny", reason: "user" },
      });
    decided("/home/me/a");
    decided("/etc/x");
    session.act({ type: "preview", rule: "allow write /home/me/**", ref: 3 });
    const reply = session.of("reply")[0]?.event;
    expect(reply).toMatchObject({ result: { changed: [{ decision: { path: "/home/me/a" }, verdict: "allow" }] } });
    expect(session.state.rules).toEqual([]);
  });
});

test("ten thousand pending requests are taken, answered and forgotten in good time", () => {
  const session = new Driven();
  const start = performance.now();
  for (let n = 0; n < 10_000; n++) session.ask(write(`/home/me/.npm/${n}`, { pid: n, tid: n }));
  expect(session.requests()).toHaveLength(10_000);
  session.answer(1, "always");
  expect(session.requests()).toEqual([]);
  expect(session.replayed()).toHaveLength(10_000);
  expect(performance.now() - start).toBeLessThan(5000);
});
