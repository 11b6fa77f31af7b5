import { expect, test } from "bun:test";
import type { Decision } from "../control/messages.ts";
import { proposeRules } from "./log-rules.ts";

const context = { home: "/home/me", cwd: "/home/me/app", env: {} };

function one(path: string, over: Partial<Decision> = {}): Decision {
  return {
    time: "2026-01-02T03:04:05.678Z",
    pid: 7,
    exe: "/usr/bin/npm",
    syscall: "openat",
    path,
    decision: "deny",
    reason: "policy",
    ...over,
  };
}

test("one rule for a tool's cache, the file itself where only one was wanted, nothing that was refused", () => {
  const rules = proposeRules(
    [
      one("/home/me/.npm/_cacache/a"),
      one("/home/me/.npm/_cacache/b", { reason: "audit", decision: "allow" }),
      one("/home/me/notes/[a].txt", { reason: "user", decision: "allow" }),
      one("/usr/bin/curl", { syscall: "execve" }),
      one("/home/me/.bashrc", { reason: "user" }),
      one("/home/me/.ssh/config", { rule: "deny write /home/me/.ssh/**" }),
      one("/home/me/.config/hallpass/rules", { reason: "builtin" }),
      one("/home/me/app/x", { decision: "allow", reason: "implicit" }),
    ],
    context,
  );
  expect(rules).toBe(
    String.raw`allow write /home/me/.npm/**  # 2 decisions
allow write /home/me/notes/\[a\].txt  # 1 decision
allow exec /usr/bin/curl  # 1 decision
`,
  );
});
