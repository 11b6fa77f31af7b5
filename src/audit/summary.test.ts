import { expect, test } from "bun:test";
import type { Decision } from "../control/messages.ts";
import { summarize } from "./summary.ts";

const one = (second: number, over: Partial<Decision>): Decision => ({
  time: new Date(Date.UTC(2026, 0, 2, 3, 0, second)).toISOString(),
  pid: 7,
  exe: "/usr/bin/npm",
  syscall: "openat",
  path: "/home/me/.npm/a",
  decision: "allow",
  reason: "policy",
  ...over,
});

test("counts a request that many calls waited for as one question", () => {
  const user = { reason: "user", request: 1, waited_ms: 1500 } as const;
  const summary = summarize([
    one(0, user),
    one(1, user),
    one(2, { reason: "user", request: 2, waited_ms: 500, decision: "deny", path: "/etc/x" }),
    one(3, { reason: "audit" }),
    one(1800, { dest: "tcp:1.2.3.4:5", path: undefined! }),
  ]);
  expect(summary.prompts).toEqual({ asked: 2, accepted: 1, perHour: 4, medianWaitMs: 1500 });
  expect(summary.deniedTargets).toEqual([{ name: "/etc/x", count: 1 }]);
  expect(summary.places[0]).toEqual({ name: "/home/me/.npm", count: 3 });
  expect(summary.allowed).toEqual([
    { name: "user", count: 2 },
    { name: "audit", count: 1 },
    { name: "policy", count: 1 },
  ]);
});

test("says that nothing happened in an empty log", () => {
  expect(summarize([])).toMatchObject({ decisions: 0, prompts: { asked: 0, perHour: undefined }, places: [] });
});
