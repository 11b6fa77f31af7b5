import { describe, expect, test } from "bun:test";
import { PolicyError, type PolicyMistake } from "../errors.ts";
import { compilePolicy } from "./compile.ts";
import { PLACES, seeded } from "./fixture.ts";
import { formatRule } from "./format.ts";
import { escapeGlob } from "./glob.ts";
import { Tier } from "./rule.ts";
import { makeRule, parseRuleLine, parseRules } from "./parse.ts";

function mistakesOf(text: string): readonly PolicyMistake[] {
  try {
    parseRules(text, { ...PLACES, file: "rules" });
  } catch (error) {
    if (error instanceof PolicyError) return error.mistakes;
    throw error;
  }
  return [];
}

describe("rule lines", () => {
  test("the examples of the contract are read", () => {
    const lines = [
      "allow write ~/.cache/go-build/** for 1h   # go test fills the build cache",
      "deny  write ~/.bashrc",
      "ask   exec  /usr/bin/curl",
      "allow exec  @coreutils",
      "allow connect tcp:140.82.112.0/20:443",
      "deny  connect unix:/run/docker.sock",
    ];
    expect(lines.map((line) => parseRuleLine(line, PLACES))).toEqual([
      {
        action: "allow",
        category: "write",
        target: "/home/me/.cache/go-build/**",
        duration: 3_600_000,
        note: "go test fills the build cache",
      },
      { action: "deny", category: "write", target: "/home/me/.bashrc" },
      { action: "ask", category: "exec", target: "/usr/bin/curl" },
      { action: "allow", category: "exec", target: "@coreutils" },
      { action: "allow", category: "connect", target: "tcp:140.82.112.0/20:443" },
      { action: "deny", category: "connect", target: "unix:/run/docker.sock" },
    ]);
  });

  const targets: readonly [line: string, target: string][] = [
    ["allow write build", "/work/app/build"],
    ["allow write ./a/../b//c/", "/work/app/b/c"],
    ["allow write ../other/**", "/work/other/**"],
    ["allow write ~", "/home/me"],
    ['allow write "~/a b/**" for 5m', "/home/me/a b/**"],
    ['allow write "/a # b"', "/a # b"],
    ['allow write "/a\\"b"', '/a"b'],
    ["allow write /a\\ b", "/a b"],
    ["allow write /a\\x20b", "/a b"],
    ["allow write /a\\xff\\xc3\\xa9", "/a\udcffé"],
    ["allow write /a\\x2ab", "/a\\*b"],
    ["allow write /a\\*b\\\\c", "/a\\*b\\\\c"],
    ["allow exec npm", "npm"],
    ["allow exec ./configure", "/work/app/configure"],
    ["allow exec python3.*", "python3.*"],
    ["allow connect [2001:DB8::1]:443", "[2001:db8::1]:443"],
    ["allow connect 10.1.2.3/8", "10.0.0.0/8"],
    ["allow connect unix:~/x.sock", "unix:/home/me/x.sock"],
    ["ask read @secrets", "@secrets"],
  ];
  for (const [line, target] of targets) {
    test(`${line} stands for ${JSON.stringify(target)}`, () => expect(parseRuleLine(line, PLACES).target).toBe(target));
  }

  test("blank lines and comments are no rules, and lines are counted with them", () => {
    expect(parseRules("# a\n\n  \nallow write /a\r\n", PLACES).map(({ line, rule }) => [line, rule.target])).toEqual([
      [4, "/a"],
    ]);
  });

  test("a flag's target is taken whole", () => {
    expect(makeRule("allow", "write", "/a b # c", PLACES).target).toBe("/a b # c");
    expect(() => makeRule("deny", "exec", "@nothing", PLACES)).toThrow(PolicyError);
  });
});

describe("mistakes", () => {
  test("every one of a file is reported with its line, its column and the line itself", () => {
    const text = "permit write /a\nallow write /ok\nallow   wrote /a\nallow write\nallow write /a for 5x\n";
    expect(mistakesOf(text).map(({ file, line, column, text: shown }) => [file, line, column, shown])).toEqual([
      ["rules", 1, 1, "permit write /a"],
      ["rules", 3, 9, "allow   wrote /a"],
      ["rules", 4, 12, "allow write"],
      ["rules", 5, 16, "allow write /a for 5x"],
    ]);
  });

  const wrong: readonly [line: string, column: number, message: RegExp][] = [
    ["allow write /a b", 16, /quotes/],
    ["allow write /a#b", 15, /quotes/],
    ['allow write "/a b', 13, /never closed/],
    ['allow write "/a"b', 17, /after its closing quote/],
    ['allow write /a"b"', 15, /quote/],
    ["allow write /a\\q", 15, /no escape/],
    ["allow write /a\\x4", 15, /hexadecimal/],
    ["allow write /a\\x2fb", 15, /slash/],
    ["allow write /a\\x00", 13, /NUL/],
    ["allow write ~root/a", 13, /your own home/],
    ["allow write /a*/../b", 17, /cannot follow a glob/],
    ["allow write /a/[b-a]", 16, /wrong way round/],
    ["allow write /a/[[:nope:]]", 16, /no class/],
    ["allow write b/[b-a]", 15, /wrong way round/],
    ["allow connect unix:~/[b-a]", 22, /wrong way round/],
    ["allow write /{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", 13, /more than 256/],
    ["allow write @coreutils", 13, /group of exec rules/],
    ["allow exec @nothing", 12, /no group/],
    ["allow exec **", 12, /\/\*\*/],
    ["allow connect example.com:443", 15, /no address/],
    ["allow connect 010.0.0.1", 15, /no address/],
    ["allow connect 1.2.3.4/33", 15, /prefix length/],
    ["allow connect 1.2.3.4:70000", 15, /no port/],
    ["allow connect 1.2.3.4:90-80", 15, /no port/],
    ["allow connect 2001:db8::1", 15, /in brackets/],
    ["allow connect [fe80::1%eth0]", 15, /no IPv6/],
    ["allow connect unix:@a*b", 22, /its end only/],
    ["allow write /a for", 16, /duration/],
    ["allow write /a for 0s", 16, /duration/],
  ];
  for (const [line, column, message] of wrong) {
    test(`${line} is refused at column ${column}`, () => {
      const [mistake] = mistakesOf(line);
      expect(mistake?.message).toMatch(message);
      expect(mistake?.column).toBe(column);
    });
  }
});

test("whatever a line holds, it is a rule that can be compiled or a mistake with its place", () => {
  const random = seeded(3);
  const pieces = [
    "allow",
    "deny",
    "ask",
    " ",
    " ",
    "write",
    "exec",
    "connect",
    "read",
    "/",
    "~",
    "*",
    "**",
    "?",
    "[",
    "]",
    "[a-",
    "{",
    "}",
    ",",
    "\\",
    "\\x",
    "\\xff",
    '"',
    "#",
    "@",
    "common",
    "unix:",
    "tcp:",
    "1.2.3.4",
    "/8",
    ":80",
    "[::1]",
    "all",
    " for ",
    "1h",
    "é",
    "\udcff",
    "\0",
    "\n",
    "..",
    "a",
  ];
  let rules = 0;
  for (let count = 0; count < 20_000; count++) {
    const start =
      random(2) === 0
        ? `${["allow", "deny", "ask"][random(3)]} ${["write", "exec", "connect", "read"][random(4)]} `
        : "";
    const line = start + Array.from({ length: random(8) }, () => pieces[random(pieces.length)]!).join("");
    try {
      const parsed = parseRules(line, PLACES).map(({ rule }, index) => ({
        ...rule,
        id: `r${index}`,
        tier: Tier.allow,
        origin: { kind: "session" } as const,
      }));
      rules += parsed.length;
      compilePolicy(parsed);
    } catch (error) {
      if (!(error instanceof PolicyError)) throw new Error(JSON.stringify(line), { cause: error });
      for (const { column, text } of error.mistakes) expect(column).toBeWithin(1, text.length + 2);
    }
  }
  expect(rules).toBeGreaterThan(1_000);
});

describe("formatting", () => {
  test("is the inverse of reading, for any path", () => {
    const random = seeded(5);
    const characters = [
      "a",
      "b",
      "/",
      " ",
      "#",
      '"',
      "\\",
      "*",
      "?",
      "[",
      "]",
      "{",
      "}",
      ",",
      "-",
      "!",
      "~",
      "@",
      ":",
      "é",
      "\n",
      "\t",
      "\x1b",
      "\u202e",
      "\u200b",
      "\udcff",
      "\udcc3",
      "\u0301",
      "𝒳",
      "(",
      "x2",
    ];
    for (let count = 0; count < 5_000; count++) {
      const path = `/${Array.from({ length: random(12) }, () => characters[random(characters.length)]!).join("")}`;
      const tidy = path.replace(/\/+/g, "/").replace(/(?!^)\/$/, "");
      if (/(^|\/)\.{1,2}(\/|$)/.test(tidy)) continue;
      const rule = { action: "deny", category: "write", target: escapeGlob(tidy) } as const;
      const line = formatRule(rule);
      expect(line).toMatch(/^[^\p{C}]*$/u);
      const again = parseRuleLine(line, PLACES);
      expect(formatRule(again)).toBe(line);
      expect(again.target.replace(/\\([-!^])/g, "$1")).toBe(rule.target.replace(/\\([-!^])/g, "$1"));
    }
  });

  test("keeps the time and the note", () => {
    const line = "allow write /a for 1h30m  # why: because";
    expect(formatRule(parseRuleLine(line, PLACES))).toBe(line);
  });

  test("a note cannot begin a second line or reorder the first", () => {
    const line = formatRule({ action: "deny", category: "write", target: "/a", note: "x\nallow write /**\u202e" });
    expect(line).toBe("deny write /a  # x allow write /**\\u{202e}");
  });
});
