import { describe, expect, test } from "bun:test";
import { compilePolicy } from "../src/policy/compile.ts";
import { destBytes, inetBytes } from "../src/policy/dest-bytes.ts";
import { parseDest } from "../src/policy/dest.ts";
import { rulesOf, seeded } from "../src/policy/fixture.ts";
import { referenceConnect } from "../src/policy/reference.ts";
import { Tier } from "../src/policy/rule.ts";
import { NO_RULE, verdictOf } from "../src/policy/verdict.ts";
import { askBytes, matcherOf } from "./testing/fixture.ts";
import { Matcher, PolicyChannel } from "./host.ts";

function bytesOf(dest: string): Uint8Array {
  return destBytes(parseDest(dest, (path) => path))!;
}

const CASES: readonly { rule: string; yes: readonly string[]; no: readonly string[] }[] = [
  {
    rule: "tcp:140.82.112.0/20:443",
    yes: ["tcp:140.82.112.4:443", "tcp:140.82.127.255:443"],
    no: ["tcp:140.82.128.1:443", "udp:140.82.112.4:443", "tcp:140.82.112.4:80", "tcp:[::1]:443"],
  },
  {
    rule: "10.0.0.0/8",
    yes: ["tcp:10.1.2.3:1", "udp:10.255.255.255:65535", "tcp:[::ffff:10.1.2.3]:1"],
    no: ["tcp:11.0.0.1:1"],
  },
  { rule: "*:53", yes: ["udp:8.8.8.8:53", "tcp:[2001:db8::1]:53"], no: ["udp:8.8.8.8:54"] },
  {
    rule: "*:8000-8999",
    yes: ["tcp:127.0.0.1:8000", "tcp:127.0.0.1:8999"],
    no: ["tcp:127.0.0.1:7999", "tcp:127.0.0.1:9000"],
  },
  {
    rule: "[2001:db8::]/33:443",
    yes: ["tcp:[2001:db8:7fff::1]:443"],
    no: ["tcp:[2001:db8:8000::1]:443", "tcp:1.2.3.4:443"],
  },
  { rule: "[::]/0", yes: ["tcp:[2001:db8::1]:1"], no: ["tcp:1.2.3.4:1", "tcp:[::ffff:1.2.3.4]:1"] },
  { rule: "[::ffff:1.2.3.4]", yes: ["tcp:1.2.3.4:9"], no: ["tcp:1.2.3.5:9"] },
  { rule: "127.0.0.1", yes: ["tcp:127.0.0.1:1", "tcp:0.0.0.0:1"], no: ["tcp:127.0.0.2:1"] },
  { rule: "0.0.0.0", yes: ["tcp:127.0.0.1:1", "tcp:0.0.0.0:1"], no: ["tcp:1.1.1.1:1"] },
  { rule: "[::1]:80", yes: ["tcp:[::1]:80", "tcp:[::]:80"], no: ["tcp:[::2]:80"] },
  {
    rule: "unix:/run/docker.sock",
    yes: ["unix:/run/docker.sock"],
    no: ["unix:/run/docker.sock2", "unix:@/run/docker.sock", "tcp:1.1.1.1:1"],
  },
  { rule: "unix:/run/user/*/bus", yes: ["unix:/run/user/1000/bus"], no: ["unix:/run/user/bus"] },
  { rule: "unix:/tmp/.X11-unix/**", yes: ["unix:/tmp/.X11-unix/X0"], no: ["unix:/tmp/X0"] },
  { rule: "unix:@name", yes: ["unix:@name"], no: ["unix:@name2", "unix:@nam", "unix:/name"] },
  {
    rule: "unix:@/tmp/dbus-*",
    yes: ["unix:@/tmp/dbus-x1", "unix:@/tmp/dbus-"],
    no: ["unix:@/tmp/dbus", "unix:/tmp/dbus-x"],
  },
  { rule: "unix:@*", yes: ["unix:@a"], no: ["unix:/a"] },
  { rule: "unix:@a\\*", yes: ["unix:@a\\*"], no: ["unix:@ab"] },
  { rule: "all", yes: ["tcp:1.1.1.1:1", "tcp:[::1]:1", "unix:/x", "unix:@x", "all"], no: [] },
];

describe("one table of destinations", () => {
  for (const { rule, yes, no } of CASES) {
    const rules = rulesOf(`allow connect ${rule}`);
    const matcher = matcherOf(rules);
    const answers = (dest: string) =>
      [askBytes(matcher, "connect", bytesOf(dest)), referenceConnect(rules, bytesOf(dest))].map(verdictOf);
    test(`${rule} covers what it should, by the reference and the WASM`, () => {
      expect(yes.map((dest) => [dest, ...answers(dest)])).toEqual(yes.map((dest) => [dest, "allow", "allow"]));
      expect(no.map((dest) => [dest, ...answers(dest)])).toEqual(no.map((dest) => [dest, "ask", "ask"]));
    });
  }

  test("what is no address is an error", () => {
    const matcher = matcherOf(rulesOf("allow connect all"));
    for (const bytes of [[], [0], [1, 1], [2], [2, 97], [9, 9]]) {
      expect([bytes, verdictOf(askBytes(matcher, "connect", Uint8Array.from(bytes)))]).toEqual([bytes, "deny"]);
    }
    expect(verdictOf(askBytes(matcher, "connect", Uint8Array.of(4)))).toBe("allow");
  });
});

describe("random destinations", () => {
  test("random sets of rules get one verdict from the reference and the WASM", () => {
    const random = seeded(99);
    const octet = () => [0, 1, 10, 127, 255][random(5)]!;
    const four = () => `${octet()}.${octet()}.${octet()}.${octet()}`;
    const six = () => `[${["::", "::1", "2001:db8::1", "2001:db8::", "fe80::1", "::ffff:10.1.1.1"][random(6)]}]`;
    const port = () => ["", ":80", ":443", ":80-443", ":0-65535", ":443-444"][random(6)]!;
    const network = () => [`${four()}/${random(33)}`, `${six()}/${random(129)}`, four(), six(), "*"][random(5)]!;
    const proto = () => ["", "tcp:", "udp:"][random(3)]!;
    const channel = PolicyChannel.create(1 << 20);
    const matcher = new Matcher(channel.shared);
    const differing: unknown[] = [];
    let matched = 0;
    for (let set = 0; set < 60; set++) {
      const rules = rulesOf(
        ...Array.from(
          { length: 1 + random(20) },
          () => `${["allow", "deny", "ask"][random(3)]} connect ${proto()}${network()}${port()}`,
        ),
      );
      channel.publish(compilePolicy(rules).tables);
      matcher.refresh();
      for (let count = 0; count < 200; count++) {
        const address = random(2) === 0 ? [octet(), octet(), octet(), octet()] : bytesOf(`tcp:${six()}:1`).slice(4);
        const bytes = inetBytes(
          [undefined, "tcp" as const, "udp" as const][random(3)],
          address,
          [80, 81, 443, 444, 0, 65535][random(6)]!,
        );
        const [wasm, reference] = [askBytes(matcher, "connect", bytes), referenceConnect(rules, bytes)];
        if (wasm !== reference)
          differing.push({ bytes: [...bytes], wasm, reference, rules: rules.map((rule) => rule.target) });
        if (wasm !== NO_RULE) matched++;
      }
    }
    expect(differing).toEqual([]);
    expect(matched).toBeGreaterThan(1_000);
  });

  test("ten thousand ports of one address are decided", () => {
    const rules = rulesOf(...Array.from({ length: 10_000 }, (_, index) => `allow connect tcp:10.0.0.1:${index * 2}`));
    const matcher = matcherOf(rules);
    for (const port of [0, 2, 9_998, 19_998]) {
      expect(askBytes(matcher, "connect", inetBytes("tcp", [10, 0, 0, 1], port))).toBe((Tier.allow << 28) + port / 2);
      expect(askBytes(matcher, "connect", inetBytes("tcp", [10, 0, 0, 1], port + 1))).toBe(NO_RULE);
    }
  });
});
