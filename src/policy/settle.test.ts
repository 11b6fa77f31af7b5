import { describe, expect, test } from "bun:test";
import { diskOf, PLACES, rulesOf } from "./fixture.ts";
import { groupTargets } from "./group-targets.ts";
import { groups } from "./groups.ts";
import { parseRules } from "./parse.ts";
import { referenceMatch } from "./reference.ts";
import { settleTogether } from "./settle-together.ts";
import { settle } from "./settle.ts";
import { NO_RULE, verdictOf } from "./verdict.ts";

const disk = diskOf(
  "/home/me/link -> work/real",
  "/home/me/.bashrc -> dotfiles/bashrc",
  "/home/me/loop -> loop",
  "/home/me/up -> ../me/work",
  "/home/me/gone -> /nowhere/at/all",
  "/bin -> usr/bin",
  "/usr/bin/vim -> /etc/alternatives/vim",
  "/etc/alternatives/vim -> /usr/bin/vim.basic",
  "/usr/bin/vim.basic",
  "/usr/bin/curl",
  "/usr/bin/python3 -> python3.11",
  "/usr/bin/python3.11",
  "/usr/bin/x86_64-linux-gnu-gcc-12",
  "/usr/bin/gcc -> gcc-12",
  "/usr/bin/gcc-12 -> x86_64-linux-gnu-gcc-12",
  "/opt/tools/curl",
);
const context = { ...PLACES, disk, path: ["/opt/tools", "/bin", "relative"] };

function patternsOf(line: string): readonly string[] {
  const [rule] = rulesOf(line).map((each) => settle(each, context));
  return rule!.patterns ?? [rule!.target];
}

describe("links", () => {
  const cases: readonly [line: string, patterns: readonly string[]][] = [
    ["allow write ~/link/**", ["/home/me/work/real/**"]],
    ["allow write ~/link/a*/b", ["/home/me/work/real/a*/b"]],
    ["allow write ~/up/x", ["/home/me/work/x"]],
    ["allow write ~/gone", ["/nowhere/at/all"]],
    ["allow write ~/loop/x", ["/home/me/loop/x"]],
    ["allow write ~/{link,other}/x", ["/home/me/work/real/x", "/home/me/other/x"]],
    ["allow write ~/a\\*b", ["/home/me/a\\*b"]],
    ["deny write ~/.bashrc", ["/home/me/dotfiles/bashrc", "/home/me/.bashrc"]],
    ["deny write ~/link/x", ["/home/me/work/real/x", "/home/me/link"]],
    ["allow connect unix:~/link/s.sock", ["unix:/home/me/work/real/s.sock"]],
    ["allow connect tcp:10.0.0.1", ["tcp:10.0.0.1"]],
  ];
  for (const [line, patterns] of cases) {
    test(`${line} stands for ${patterns.join(" and ")}`, () => expect(patternsOf(line)).toEqual(patterns));
  }
});

describe("links that a sandbox may have made", () => {
  const inForce = rulesOf("allow write /work/app/**", "allow write ~/.cache/**");
  const planted = diskOf(
    "/work/app/build -> /home/me/.ssh",
    "/home/me/.cache/pip -> /home/me/.ssh",
    "/home/me/.bashrc -> dotfiles/bashrc",
    "/work/app/bin/git -> /usr/bin/curl",
    "/usr/bin/curl",
    "/usr/bin/git",
  );
  const here = { ...context, disk: planted, path: ["/work/app/bin", "/usr/bin"] };
  const verdict = (category: "write" | "exec", path: string, ...lines: readonly string[]) =>
    verdictOf(referenceMatch(settleTogether(rulesOf(...lines), here, inForce), category, path));

  test("are followed by no rule that allows", () => {
    expect(verdict("write", "/home/me/.ssh/id", "allow write ./build/**")).toBe("ask");
    expect(verdict("write", "/home/me/.ssh/id", "allow write ~/.cache/pip/**")).toBe("ask");
    expect(verdict("exec", "/usr/bin/curl", "allow exec git")).toBe("ask");
    expect(verdict("exec", "/usr/bin/git", "allow exec git")).toBe("allow");
    expect(verdict("exec", "/usr/bin/curl", "allow exec ./bin/git")).toBe("ask");
  });

  test("are followed where the rules themselves open the folder that they are in, neither", () => {
    const lines = ["allow write /home/me/**", "allow write ~/.cache/pip/**"];
    expect(settleTogether(rulesOf(...lines), here).map((rule) => rule.patterns)).toEqual([undefined, undefined]);
  });

  test("are followed by what forbids, and so is the user's own link", () => {
    expect(verdict("write", "/home/me/.ssh/id", "deny write ./build/**")).toBe("deny");
    expect(verdict("write", "/home/me/dotfiles/bashrc", "allow write ~/.bashrc")).toBe("allow");
  });
});

describe("programs", () => {
  test("a name stands for every file of that name in $PATH and the usual folders, links followed", () => {
    expect(patternsOf("allow exec vim")).toEqual(["/usr/bin/vim.basic"]);
    expect(patternsOf("allow exec curl")).toEqual(["/opt/tools/curl", "/usr/bin/curl"]);
    expect(patternsOf("allow exec gcc")).toEqual(["/usr/bin/x86_64-linux-gnu-gcc-12"]);
    expect(patternsOf("allow exec python3*")).toEqual(["/usr/bin/python3.11"]);
    expect(patternsOf("allow exec nothing")).toEqual([]);
  });

  test("a denied name is denied where it may come to be, too", () => {
    expect(patternsOf("deny exec curl")).toContain("/usr/local/bin/curl");
    const [rule] = rulesOf("deny exec nothing").map((each) => settle(each, context));
    expect(verdictOf(referenceMatch([rule!], "exec", "/usr/bin/nothing"))).toBe("deny");
  });

  test("a group's programs are matched by their real files", () => {
    const [rule] = rulesOf("allow exec @languages").map((each) => settle(each, context));
    expect(verdictOf(referenceMatch([rule!], "exec", "/usr/bin/python3.11"))).toBe("allow");
    expect(referenceMatch([rule!], "exec", "/usr/bin/curl")).toBe(NO_RULE);
  });
});

describe("the groups that ship", () => {
  for (const { name, category, text } of groups()) {
    test(`@${name} can be read, says what it is, and repeats nothing`, () => {
      const rules = parseRules(text, { ...PLACES, file: name });
      expect(text.startsWith(`# @${name}: `)).toBe(true);
      expect(rules.length).toBeGreaterThan(3);
      expect(rules.map(({ rule }) => rule.category)).toEqual(rules.map(() => category));
      const targets = rules.map(({ rule }) => rule.target);
      expect(targets.filter((target, index) => targets.indexOf(target) !== index)).toEqual([]);
      expect(groupTargets(name, category, PLACES)).toEqual(targets);
    });
  }
});
