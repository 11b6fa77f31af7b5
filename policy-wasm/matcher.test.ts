import { describe, expect, test } from "bun:test";
import { expandBraces } from "../src/policy/braces.ts";
import { compilePolicy } from "../src/policy/compile.ts";
import { rulesOf, seeded } from "../src/policy/fixture.ts";
import { formatTarget } from "../src/policy/format.ts";
import { referenceMatch } from "../src/policy/reference.ts";
import { Tier, type PlacedRule } from "../src/policy/rule.ts";
import { NO_RULE, packVerdict, verdictOf } from "../src/policy/verdict.ts";
import { PATH_CASES } from "./testing/cases.ts";
import { ask, matcherOf, minimatchPath } from "./testing/fixture.ts";
import { Matcher, PolicyChannel } from "./host.ts";

const ALLOWED = packVerdict(Tier.allow, 0, 0);

describe("one table of cases", () => {
  for (const { pattern, yes, no } of PATH_CASES) {
    const rules = rulesOf(`allow write ${formatTarget(pattern)}`);
    const matcher = matcherOf(rules);
    const alternatives = expandBraces(pattern)!;
    const answers = (path: string) => [
      ask(matcher, "write", path) === ALLOWED,
      referenceMatch(rules, "write", path) === ALLOWED,
      minimatchPath(alternatives, path),
    ];
    test(`${pattern} matches what it should, by all three`, () => {
      expect(yes.map((path) => [path, ...answers(path)])).toEqual(yes.map((path) => [path, true, true, true]));
      expect(no.map((path) => [path, ...answers(path)])).toEqual(no.map((path) => [path, false, false, false]));
    });
  }
});

/** Few letters, so that patterns and paths meet often. */
const PIECES = [
  "a",
  "b",
  "ab",
  ".a",
  "é",
  "𝒳",
  "\udcff",
  "x",
  "a.b",
  "*",
  "*",
  "?",
  "**",
  "**",
  "[ab]",
  "[!a]",
  "[a-c]",
  "{a,b}",
  "\\*",
  "\\[",
  "\\{",
  "a*",
  "*b",
  "a?",
];
const NAMES = ["a", "a", "b", "b", "ab", "ba", ".a", "é", "𝒳", "\udcff", "x", "a.b", "*", "[", "{", "aa", "abb", "c"];

type Random = (below: number) => number;

function oneOf<T>(random: Random, choices: readonly T[]): T {
  return choices[random(choices.length)]!;
}

function randomPattern(random: Random): string {
  const segment = () =>
    Array.from({ length: 1 + (random(4) === 0 ? 1 : 0) }, () => oneOf(random, PIECES))
      .join("")
      .replace(/\*{3,}/g, "**");
  return `/${Array.from({ length: 1 + random(4) }, segment).join("/")}`;
}

/** Half of the paths are made from the pattern, so that they nearly match. */
function randomPath(random: Random, pattern: string): string {
  const name = () => Array.from({ length: 1 + (random(4) === 0 ? 1 : 0) }, () => oneOf(random, NAMES)).join("");
  const names = Array.from({ length: random(5) }, name);
  if (random(2) === 0) return `/${names.join("/")}`;
  const like = pattern.split("/").flatMap((part) => {
    if (part === "") return [];
    return part === "**" ? names.slice(0, random(3)) : [/[*?[{\\]/.test(part) ? oneOf(random, [...NAMES, part]) : part];
  });
  return `/${[...like, ...names.slice(0, random(2))].join("/")}`;
}

describe("seeded random pairs", () => {
  test("100,000 pairs of a pattern and a path get one answer from minimatch, the reference and the WASM", () => {
    const random = seeded(20_240_607);
    const channel = PolicyChannel.create(1 << 20);
    const matcher = new Matcher(channel.shared);
    const differing: unknown[] = [];
    let matched = 0;
    for (let pattern = 0; pattern < 2_000; pattern++) {
      const target = randomPattern(random);
      const rules = rulesOf(`allow write ${formatTarget(target)}`);
      channel.publish(compilePolicy(rules).tables);
      matcher.refresh();
      const alternatives = expandBraces(target)!;
      for (let count = 0; count < 50; count++) {
        const path = randomPath(random, target);
        const wasm = ask(matcher, "write", path) === ALLOWED;
        const reference = referenceMatch(rules, "write", path) === ALLOWED;
        const oracle = minimatchPath(alternatives, path);
        if (wasm !== reference || wasm !== oracle) differing.push({ target, path, wasm, reference, oracle });
        if (wasm) matched++;
      }
    }
    expect(differing).toEqual([]);
    expect(matched).toBeGreaterThan(10_000);
  }, 120_000);

  test("sets of rules of every tier get one verdict from the reference and the WASM, for paths and for names", () => {
    const random = seeded(7);
    const differing: unknown[] = [];
    for (let set = 0; set < 300; set++) {
      const rules = Array.from({ length: 1 + random(30) }, (_, index): PlacedRule => {
        const tier = random(7) as Tier;
        const action =
          tier === Tier.builtin || tier === Tier.deny
            ? "deny"
            : tier === Tier.ask || tier === Tier.askedByDefault
              ? "ask"
              : "allow";
        return { ...rulesOf(`${action} write ${formatTarget(randomPattern(random))}`)[0]!, id: `r${index}`, tier };
      });
      const matcher = matcherOf(rules);
      for (let count = 0; count < 60; count++) {
        const path = randomPath(random, oneOf(random, rules).target.replace("/work/app", ""));
        for (const isName of [false, true]) {
          const wasm = ask(matcher, "write", path, isName ? "matchName" : "match");
          const reference = referenceMatch(rules, "write", path, isName);
          if (wasm !== reference)
            differing.push({ path, isName, wasm, reference, rules: rules.map((rule) => rule.target) });
        }
      }
    }
    expect(differing).toEqual([]);
  }, 120_000);
});

describe("below a folder", () => {
  const rules = rulesOf(
    "allow write /p/**",
    "ask write /p/**/.git/hooks/*",
    "deny write /p/secret",
    "allow write /free/**",
    "allow write /p/open",
  );
  const guarded = [...rules.slice(0, 4), { ...rules[1]!, tier: Tier.askedByDefault, target: "/free/x/y" }, rules[4]!];
  const matcher = matcherOf(guarded);
  const tier = (path: string, question: "matchBelow" | "matchLink") => {
    const verdict = ask(matcher, "write", path, question);
    return verdict === NO_RULE ? undefined : verdict >>> 28;
  };

  test("names the strictest rule that something below could meet", () => {
    expect(tier("/p", "matchBelow")).toBe(Tier.deny);
    expect(tier("/p/secret", "matchBelow")).toBe(Tier.deny);
    expect(tier("/p/any", "matchBelow")).toBe(Tier.ask);
    expect(tier("/", "matchBelow")).toBe(Tier.deny);
    expect(tier("/elsewhere", "matchBelow")).toBeUndefined();
  });

  test("leaves out a rule that a better one on the whole folder takes away", () => {
    expect(tier("/free", "matchBelow")).toBeUndefined();
    expect(tier("/free/x", "matchBelow")).toBeUndefined();
  });

  test("for a link counts only rules that name the link's own name", () => {
    expect(tier("/p/any", "matchLink")).toBeUndefined();
    expect(tier("/p/.git", "matchLink")).toBe(Tier.ask);
    expect(tier("/p/sub/.git/hooks", "matchLink")).toBe(Tier.ask);
    expect(tier("/p/secret", "matchLink")).toBe(Tier.deny);
  });
});

describe("a link in the place of a path", () => {
  const matcher = matcherOf(
    rulesOf("allow write /home/me/file", "allow write /home/me/tree/**", "deny write /home/me/no"),
  );
  const asks = (path: string) =>
    verdictOf(ask(matcher, "write", path, "matchLink")) !== "ask" ||
    ask(matcher, "write", path, "matchLink") !== NO_RULE;

  test("is not covered by a rule for that very path, but by one on the folder", () => {
    expect(asks("/home/me/file")).toBe(true);
    expect(verdictOf(ask(matcher, "write", "/home/me/file", "matchLink"))).toBe("ask");
    expect(asks("/home/me/tree/file")).toBe(false);
    expect(asks("/home/me/file/below")).toBe(false);
    expect(verdictOf(ask(matcher, "write", "/home/me/no", "matchLink"))).toBe("deny");
    expect(asks("/elsewhere")).toBe(false);
  });
});

describe("what is no path", () => {
  const matcher = matcherOf(rulesOf("allow write /**"));
  test("gets an error, which is a denial", () => {
    for (const path of ["", "a", "/a/../b", "/a/.", "/a\0b"])
      expect([path, ask(matcher, "write", path)]).toEqual([path, -22]);
    expect(matcher.match(0, matcher.pathCapacity + 1)).toBe(-36);
    expect(matcher.match(4 as 0, 1)).toBe(-22);
  });

  test("a path as long as the scratch is decided", () => {
    const path = `/${"a".repeat(200)}`.repeat(600);
    expect(ask(matcher, "write", path)).toBe(ALLOWED);
  });
});
