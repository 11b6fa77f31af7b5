/** docs/architecture.md names every part, in the order in which they depend on each other. */
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { Glob } from "bun";
import { read } from "../support/docs.ts";
import { tree } from "../support/tree.ts";

/** The parts as folders with a slash at the end. A folder that holds nothing yet is none. */
function parts(): string[] {
  const below = (folder: string): string[] =>
    readdirSync(join(tree, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && holdsSource(join(folder, entry.name)))
      .map((entry) => `${join(folder, entry.name)}/`);
  const top = ["ffi", "helper", "policy-wasm", "bpf", "tui", "web"].filter(holdsSource).map((folder) => `${folder}/`);
  return [...below("src"), ...top];
}

function holdsSource(folder: string): boolean {
  if (!existsSync(join(tree, folder))) return false;
  return [...new Glob("**/*.{ts,c}").scanSync({ cwd: join(tree, folder) })].length > 0;
}

/** The headings of the form "## `src/policy/`: …", as they follow each other. */
function headings(): string[] {
  return [...read("docs/architecture.md").matchAll(/^## `([^`]+\/)`/gm)].map(([, folder = ""]) => folder);
}

function partOf(file: string): string | undefined {
  return headings().find((folder) => file.startsWith(folder));
}

/** Which parts a part's code (not its tests, not its types alone) imports. */
function importsOf(part: string): Set<string> {
  const found = new Set<string>();
  for (const name of new Glob("**/*.ts").scanSync({ cwd: join(tree, part) })) {
    if (name.endsWith(".test.ts") || name.startsWith("assembly/")) continue;
    const file = join(part, name);
    const text = readFileSync(join(tree, file), "utf8");
    for (const [, path = ""] of text.matchAll(/^(?:import|export) (?!type\b)[^;]*?from "(\.[^"]+)"/gm)) {
      const other = partOf(relative(tree, join(tree, dirname(file), path)));
      if (other !== undefined && other !== part) found.add(other);
    }
  }
  return found;
}

test("every folder with source has its section", () => {
  expect(parts().filter((part) => !headings().includes(part))).toEqual([]);
});

test("every section is about a folder that exists", () => {
  expect(headings().filter((folder) => !existsSync(join(tree, folder)))).toEqual([]);
});

test("a part comes after all parts that it imports", () => {
  const order = headings();
  const wrong = order.flatMap((part, index) =>
    [...importsOf(part)].filter((other) => order.indexOf(other) > index).map((other) => `${part} imports ${other}`),
  );
  expect(wrong).toEqual([]);
});
