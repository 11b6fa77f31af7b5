/** docs/dependencies.md speaks of every dependency, and of no other; each is pinned. */
import { describe, expect, test } from "bun:test";
import { read } from "../support/docs.ts";

interface Manifest {
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
}

const manifest = JSON.parse(read("package.json")) as Manifest;
const all = { ...manifest.dependencies, ...manifest.devDependencies };

/** The rows of the tables: | name | what | why | instead of |. */
const rows = [...read("docs/dependencies.md").matchAll(/^\| `([^`]+)` \|(.*)\|$/gm)].map(
  ([, name = "", rest = ""]) => ({
    name,
    cells: rest.split("|").map((cell) => cell.trim()),
  }),
);

test("every dependency has a row, and every row is a dependency", () => {
  expect(rows.map(({ name }) => name).toSorted()).toEqual(Object.keys(all).toSorted());
});

describe.each(rows)("$name", ({ cells }) => {
  test("says what it is for, why this one and what else was looked at", () => {
    expect(cells).toHaveLength(3);
    expect(cells.filter((cell) => cell.length < 8)).toEqual([]);
  });
});

test("every dependency is pinned to one version", () => {
  expect(Object.entries(all).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});
