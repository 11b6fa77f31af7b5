/** Every link of the documentation leads somewhere. */
import { expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { anchors, markdownFiles, prose, read } from "../support/docs.ts";
import { tree } from "../support/tree.ts";

interface Link {
  readonly from: string;
  readonly to: string;
}

function linksOf(file: string): Link[] {
  const found = prose(read(file))
    .replace(/`[^`\n]*`/g, "")
    .matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g);
  return [...found].map(([, to = ""]) => ({ from: file, to }));
}

function isBroken({ from, to }: Link): boolean {
  if (/^[a-z]+:/.test(to)) return false;
  const [path = "", anchor] = to.split("#");
  const target = path === "" ? from : normalize(join(dirname(from), path));
  const full = join(tree, target);
  if (!existsSync(full)) return true;
  return (
    anchor !== undefined && statSync(full).isFile() && target.endsWith(".md") && !anchors(read(target)).includes(anchor)
  );
}

test("no relative link is broken", () => {
  expect(markdownFiles().flatMap(linksOf).filter(isBroken)).toEqual([]);
});

test("a broken link is noticed", () => {
  expect(isBroken({ from: "README.md", to: "docs/not-there.md" })).toBe(true);
  expect(isBroken({ from: "README.md", to: "#not-a-heading" })).toBe(true);
  expect(isBroken({ from: "README.md", to: "LICENSE" })).toBe(false);
});

test("no document names a path of the machine it was written on", () => {
  const machine = new RegExp(["/work", "/(main|shared)\\b"].join(""));
  expect(markdownFiles().filter((file) => machine.test(read(file)))).toEqual([]);
});
