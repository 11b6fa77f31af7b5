/** The project's Markdown, for tests that hold it to the code. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tree } from "./tree.ts";

/** Every Markdown file that git knows or would add, relative to the tree. */
export function markdownFiles(): string[] {
  const command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", "*.md"];
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: tree, stdin: "ignore" });
  if (exitCode !== 0) throw new Error(`git ls-files: ${stderr.toString()}`);
  return stdout.toString().trim().split("\n").filter(Boolean).toSorted();
}

export function read(file: string): string {
  return readFileSync(join(tree, file), "utf8");
}

/** The text of fenced blocks with this info word, and the text without any fenced block. */
export function fenced(text: string, info: string): string[] {
  return [...text.matchAll(/^```(\S*)[^\n]*\n([\s\S]*?)^```$/gm)]
    .filter(([, word]) => word === info)
    .map(([, , body = ""]) => body);
}

export function prose(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, "");
}

/** A heading's anchor as the usual renderers make it. */
export function anchorOf(heading: string): string {
  const words = heading
    .trim()
    .toLowerCase()
    .replace(/[`*_]|\[|\]\([^)]*\)/g, "");
  return words.replace(/[^\p{L}\p{N}\s-]/gu, "").replace(/\s/g, "-");
}

export function anchors(text: string): string[] {
  return [...prose(text).matchAll(/^#{1,6} +(.*)$/gm)].map(([, heading = ""]) => anchorOf(heading));
}
