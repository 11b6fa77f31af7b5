import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seeded } from "./fixture.ts";
import { parseGitConfig } from "./git-config-syntax.ts";
import { gitConfigRunsMore, gitConfigValue } from "./git-config.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const BASE =
  '[core]\n\trepositoryformatversion = 0\n\tbare = false\n[remote "origin"]\n\turl = https://example.com/x.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n';

describe("what runs something", () => {
  const running = [
    "[core]\nhooksPath = .evil",
    "[CORE]\nHOOKSPATH = .evil",
    "[core]fsmonitor = ./x",
    '[core]\n\tsshCommand = "sh -c x"',
    "[core]\n\teditor = x\n",
    "[core] pager = x",
    "[core] askPass = x",
    "[include]\n\tpath = ../evil",
    '[includeIf "gitdir:/x/"]\n\tpath = evil',
    "[credential]\n\thelper = !x",
    '[credential "https://example.com"]\n\thelper = x',
    '[filter "lfs"]\n\tsmudge = x',
    "[filter.lfs]\n\tclean = x",
    '[diff "x"]\n\ttextconv = x',
    "[diff]\n\texternal = x",
    '[merge "x"]\n\tdriver = x',
    '[mergetool "x"]\n\tcmd = x',
    "[gpg]\n\tprogram = x",
    '[gpg "ssh"]\n\tprogram = x',
    "[alias]\n\tst = !x",
    '[alias]\n\tst = "!x"',
    "[alias]\n\tst = \\\n!x",
    "[sequence]\n\teditor = x",
    "[pager]\n\tlog = x",
    '[remote "o"]\n\turl = ext::sh -c x',
    '[remote "o"]\n\tuploadpack = x',
    '[submodule "s"]\n\tupdate = !x',
    '[url "ext::sh -c x"]\n\tinsteadOf = https://',
    "[protocol]\n\tallow = always",
    '[hook "x"]\n\tcommand = y',
    "[init]\n\ttemplateDir = x",
    "[uploadpack]\n\tpackObjectsHook = x",
    "[broken",
    '[a]\nb = "unclosed',
  ];
  for (const text of running) {
    test(`${JSON.stringify(text)} asks`, () =>
      expect(gitConfigRunsMore(bytes(BASE), bytes(`${BASE}${text}`))).toBe(true));
  }

  const harmless = [
    '[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main',
    "[user]\n\tname = me\n\temail = me@example.com",
    "[core]\n\tfsmonitor = true",
    "[core]\n\tignorecase = true",
    "[alias]\n\tst = status",
    "[pager]\n\tlog = false",
    '[remote "o"]\n\turl = git@github.com:a/b.git',
    '[submodule "s"]\n\turl = ../s\n\tactive = true',
    "# [core] hooksPath = x",
    '[user]\n\tname = "[core] hooksPath = x"',
    "",
  ];
  for (const text of harmless) {
    test(`${JSON.stringify(text)} passes`, () =>
      expect(gitConfigRunsMore(bytes(BASE), bytes(`${BASE}${text}`))).toBe(false));
  }

  test("what was there already passes, what changed asks, what is gone passes", () => {
    const old = `${BASE}[core]\n\thooksPath = .husky/_\n`;
    expect(gitConfigRunsMore(bytes(old), bytes(`${old}[user]\n\tname = me\n`))).toBe(false);
    expect(gitConfigRunsMore(bytes(old), bytes(old.replace(".husky/_", ".evil")))).toBe(true);
    expect(gitConfigRunsMore(bytes(old), bytes(`${old}[core]\n\thooksPath = .husky/_\n`))).toBe(true);
    expect(gitConfigRunsMore(bytes(old), bytes(BASE))).toBe(false);
    expect(gitConfigValue(bytes(old), "core.hookspath")).toBe(".husky/_");
  });
});

describe("the syntax", () => {
  test("random files are read as git reads them", () => {
    const random = seeded(11);
    const pieces = [
      "[core]",
      '[a "b c"]',
      "[a.B]",
      '[x "q\\"r\\\\s"]',
      "\n",
      "\n",
      "\n",
      " ",
      "\t",
      "key",
      "K-1",
      "=",
      " = ",
      "value",
      '"quo ted"',
      '"a;b"',
      "\\\n",
      "\\n",
      "\\t",
      '\\"',
      "\\\\",
      "; c",
      "# d",
      "true",
      "\r\n",
      "é",
      "[",
      "]",
      "x = y\n",
      "[s]\n",
      "  v  ",
    ];
    const folder = mkdtempSync(join(tmpdir(), "git-config-"));
    let accepted = 0;
    try {
      for (let count = 0; count < 400; count++) {
        const text = `[s]\n${Array.from({ length: random(14) }, () => pieces[random(pieces.length)]!).join("")}`;
        const file = join(folder, "config");
        writeFileSync(file, text);
        const git = spawnSync("git", ["config", "-f", file, "-z", "--list"], { encoding: "utf8" });
        const ours = parseGitConfig(bytes(text));
        expect([text, ours !== undefined]).toEqual([text, git.status === 0]);
        if (ours === undefined) continue;
        accepted++;
        const listed = git.stdout
          .split("\0")
          .slice(0, -1)
          .map((entry) => (entry.includes("\n") ? entry : `${entry}\ntrue`));
        // Older gits turn a tab between words into a space.
        const spaces = (values: readonly string[]) => values.map((value) => value.replaceAll("\t", " "));
        const read = ours.map(({ section, subsection, key, value }) => {
          const name = [section, ...(subsection === "" ? [] : [subsection]), key].join(".");
          return `${name}\n${value}`;
        });
        expect([text, spaces(read)]).toEqual([text, spaces(listed)]);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
    expect(accepted).toBeGreaterThan(80);
  }, 120_000);
});
