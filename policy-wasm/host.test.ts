import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { HallpassError } from "../src/errors.ts";
import { compilePolicy } from "../src/policy/compile.ts";
import { rulesOf, seeded } from "../src/policy/fixture.ts";
import * as layout from "../src/policy/layout.ts";
import { Tier, type PlacedRule } from "../src/policy/rule.ts";
import { indexOfVerdict, NO_RULE, packVerdict, verdictOf } from "../src/policy/verdict.ts";
import { ask, matcherOf } from "./testing/fixture.ts";
import { HEADER, Matcher, PolicyChannel } from "./host.ts";

const module = new WebAssembly.Module(readFileSync(new URL("../build/policy.wasm", import.meta.url)));

describe("the module", () => {
  const text = readFileSync(new URL("../build/policy.wat", import.meta.url), "utf8");

  test("imports nothing and has no runtime", () => {
    expect(WebAssembly.Module.imports(module)).toEqual([]);
    expect(text).not.toContain("(import");
    expect(text).not.toContain("~lib/rt");
    expect(text).toMatch(/\(memory \$0 384 384\)/);
    expect(text).not.toContain("memory.grow");
  });

  test("has the layout that the tables are laid out with", () => {
    const exported = new WebAssembly.Instance(module).exports;
    const value = (name: string) => (exported[name] as WebAssembly.Global).value as number;
    const { Header, Node, Entry, Group, Edge, Port } = layout;
    const words = {
      STRINGS: "strings",
      ALL: "all",
      LENGTHS: "lengths",
      PORTS: "ports",
      PROGRAMS: "programs",
      EDGES: "edges",
      GROUPS: "groups",
      ENTRIES: "entries",
      ENTRY_COUNT: "entryCount",
      NODES: "nodes",
      NODE_COUNT: "nodeCount",
      ROOTS: "roots",
    } as const;
    for (const [name, field] of Object.entries(words))
      expect([name, value(`HEADER_${name}`)]).toEqual([name, Header[field] * 4]);
    const bytes = {
      NODE_SIZE: layout.NODE_SIZE,
      NODE_HERE: Node.here,
      NODE_NAME: Node.name,
      NODE_BELOW: Node.below,
      NODE_BENEATH: Node.beneath,
      NODE_STAR: Node.star,
      NODE_GROUP: Node.group,
      NODE_GROUP_COUNT: Node.groupCount,
      NODE_LOOP: Node.loop,
      ENTRY_SIZE: layout.ENTRY_SIZE,
      ENTRY_VALUE: Entry.value,
      ENTRY_STRING: Entry.string,
      GROUP_SIZE: layout.GROUP_SIZE,
      GROUP_EDGE: Group.edge,
      GROUP_INNER: Group.innerLow,
      EDGE_SIZE: layout.EDGE_SIZE,
      EDGE_CHILD: Edge.child,
      PORT_SIZE: layout.PORT_SIZE,
      PORT_VERDICT: Port.verdict,
    };
    for (const [name, offset] of Object.entries(bytes)) expect([name, value(name)]).toEqual([name, offset]);
  });

  test("the host reads the words of the header that the layout names", () => {
    for (const [name, word] of Object.entries(HEADER))
      expect([name, word]).toEqual([name, layout.Header[name as keyof typeof HEADER]]);
  });

  test("does not grow in a million matches", () => {
    const matcher = matcherOf(rulesOf("allow write /p/**", "ask write /p/**/.git/hooks/*", "deny write /p/*.secret"));
    const before = matcher.pathBytes.buffer.byteLength;
    const path = new TextEncoder().encode("/p/one/two/three/file.c");
    matcher.pathBytes.set(path);
    let sum = 0;
    for (let count = 0; count < 1_000_000; count++) sum += matcher.match(0, path.length) >>> 28;
    expect(sum).toBe(1_000_000 * Tier.allow);
    expect(matcher.pathBytes.buffer.byteLength).toBe(before);
  }, 60_000);
});

describe("the channel", () => {
  test("before anything is published every question is an error", () => {
    const matcher = new Matcher(PolicyChannel.create().shared);
    expect(verdictOf(ask(matcher, "write", "/a"))).toBe("deny");
    expect(matcher.refresh()).toBe(false);
  });

  test("what is published reaches a matcher at its next refresh, with the rules", () => {
    const channel = PolicyChannel.create();
    const matcher = new Matcher(channel.shared);
    for (const path of ["/a", "/b", "/c"]) {
      const rules = rulesOf(`allow write ${path}`);
      channel.publish(compilePolicy(rules).tables);
      expect(matcher.refresh()).toBe(true);
      expect(matcher.refresh()).toBe(false);
      expect(matcher.ruleAt(indexOfVerdict(ask(matcher, "write", path)))).toEqual(rules[0]);
      expect(ask(matcher, "write", "/other")).toBe(NO_RULE);
    }
  });

  test("tables that do not fit are refused and the old ones stay", () => {
    const channel = PolicyChannel.create(16_384);
    channel.publish(compilePolicy(rulesOf("allow write /a")).tables);
    const many = rulesOf(...Array.from({ length: 500 }, (_, index) => `allow write /a/${index}`));
    expect(() => channel.publish(compilePolicy(many).tables)).toThrow(HallpassError);
    expect(verdictOf(ask(new Matcher(channel.shared), "write", "/a"))).toBe("allow");
  });

  test("says when the first rule ends", () => {
    const channel = PolicyChannel.create();
    const matcher = new Matcher(channel.shared);
    expect(matcher.expiresAt).toBe(Infinity);
    const [rule] = rulesOf("allow write /a for 1h");
    channel.publish(compilePolicy([{ ...rule!, expiresAt: 1_800_000_000_123 }]).tables);
    matcher.refresh();
    expect(matcher.expiresAt).toBe(1_800_000_000_123);
  });

  test("a worker that reads while thousands of policies are published never sees half a policy", async () => {
    const channel = PolicyChannel.create(1 << 20);
    const policies = [1, 40].map(
      (size) => compilePolicy(rulesOf(...Array.from({ length: size }, (_, index) => `allow write /p${index}`))).tables,
    );
    channel.publish(policies[0]!);
    const worker = new Worker(new URL("./testing/refresh-worker.ts", import.meta.url));
    const reports: unknown[] = [];
    worker.addEventListener("message", (event) => reports.push(event.data));
    worker.postMessage({ shared: channel.shared, refreshes: 2_000 });
    for (let count = 0; reports.length === 0; count++) {
      channel.publish(policies[count % 2]!);
      if (count % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    worker.terminate();
    expect(reports).toEqual([{ wrong: 0, seen: 2_000 }]);
  }, 60_000);
});

function manyRules(count: number): PlacedRule[] {
  const random = seeded(count);
  return Array.from({ length: count }, (_, index): PlacedRule => {
    const target = [
      "/home/me/dir%/**",
      "/srv/%/x/file",
      "/home/me/*.e%",
      "/home/me/p%*",
      "/var/**/name%",
      "/home/me/dir%/*.c",
    ][index % 6]!.replace("%", String(random(1e9)));
    return {
      action: "allow",
      category: "write",
      target,
      id: `r${index}`,
      tier: Tier.allow,
      origin: { kind: "session" },
    };
  });
}

describe("many rules", () => {
  /** Nanoseconds a match of each, the best of many short rounds taken in turn: other work on the machine slows both. */
  function costs(matchers: readonly Matcher[]): number[] {
    const path = new TextEncoder().encode("/home/me/projects/app/src/deep/file.c");
    const best = matchers.map(() => Infinity);
    for (let round = 0; round < 60; round++) {
      matchers.forEach((matcher, index) => {
        matcher.pathBytes.set(path);
        const start = Bun.nanoseconds();
        for (let count = 0; count < 3_000; count++) matcher.match(0, path.length);
        best[index] = Math.min(best[index]!, (Bun.nanoseconds() - start) / 3_000);
      });
    }
    return best;
  }

  test("10,000 rules load and cost a match what 10 do", () => {
    const few = matcherOf([...manyRules(10), ...rulesOf("allow write /home/me/projects/**")]);
    const rules = [...manyRules(10_000), ...rulesOf("allow write /home/me/projects/**")];
    const many = matcherOf(rules);
    expect(ask(many, "write", "/home/me/projects/x")).toBe(packVerdict(Tier.allow, 0, 10_000));
    for (const index of [0, 1, 2, 3, 4, 5, 9_995]) {
      const path = rules[index]!.target.replace("**", "q").replace("*", "");
      expect([path, verdictOf(ask(many, "write", path))]).toEqual([path, "allow"]);
    }
    const [costOfFew, costOfMany] = costs([few, many]);
    expect(costOfMany!).toBeLessThan(costOfFew! * 2.5);
  }, 60_000);
});
