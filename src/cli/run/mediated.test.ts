import { expect, test } from "bun:test";
import { makeRule, type PlacedRule, type RuleOrigin, Tier } from "../../policy/index.ts";
import { mediatedBy } from "./mediated.ts";

const rule = (
  action: "allow" | "deny" | "ask",
  category: "read" | "connect",
  target: string,
  kind: RuleOrigin["kind"],
): PlacedRule => ({
  ...makeRule(action, category, target, { home: "/home/me", cwd: "/p" }),
  id: "r",
  tier: Tier.allow,
  origin: { kind },
});
const mediated = (...rules: PlacedRule[]) => [...mediatedBy(rules, new Set(["write"] as const))];

test("a rule that asks about or forbids reading stops reads, one that allows it does not", () => {
  expect(mediated(rule("ask", "read", "/x", "builtin"))).toEqual(["write", "read"]);
  expect(mediated(rule("allow", "read", "/x", "flag"))).toEqual(["write"]);
});

test("a rule about connections on the command line stops them, and a saved one that forbids", () => {
  expect(mediated(rule("allow", "connect", "tcp:10.0.0.1:80", "file"))).toEqual(["write", "connect"]);
  expect(mediated(rule("deny", "connect", "all", "project"))).toEqual(["write", "connect"]);
  expect(mediated(rule("allow", "connect", "tcp:10.0.0.1:80", "project"))).toEqual(["write"]);
  expect(mediated(rule("ask", "connect", "unix:/run/docker.sock", "builtin"))).toEqual(["write"]);
});
