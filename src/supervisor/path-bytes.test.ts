import { expect, test } from "bun:test";
import { isDots, PathBytes, type Split, splitLast } from "./path-bytes.ts";

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function pathOf(text: string): PathBytes {
  const path = new PathBytes();
  path.set(bytes(text), text.length);
  return path;
}

test.each([
  ["name", "", "name", false],
  ["name/", "", "name", true],
  ["a/b", "a/", "b", false],
  ["/a", "/", "a", false],
  ["//a//b///", "//a//", "b", true],
  ["/", "", "", true],
  ["a/..", "a/", "..", false],
])("the last name of %s", (text, front, name, hasSlashBehind) => {
  const split: Split = { start: 0, length: 0, hasSlashBehind: false };
  splitLast(pathOf(text), split);
  expect(text.slice(split.start, split.start + split.length)).toBe(name);
  expect(split.hasSlashBehind).toBe(hasSlashBehind);
  if (name !== "") expect(text.slice(0, split.start)).toBe(front);
});

test("only . and .. are dots", () => {
  expect([".", "..", "...", ".a", "a", ""].map((text) => isDots(bytes(text), text.length))).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

test("a name is put behind one slash, and what does not fit is not put at all", () => {
  const path = pathOf("/");
  expect(path.appendName(bytes("a"), 1)).toBe(true);
  expect(path.appendName(bytes("b"), 1)).toBe(true);
  expect(path.text()).toBe("/a/b");
  const long = new Uint8Array(20_000).fill(0x61);
  expect(path.appendName(long, long.length)).toBe(false);
  expect(path.text()).toBe("/a/b");
});

test("bytes that are no UTF-8 come back as path text", () => {
  const path = new PathBytes();
  path.set(Uint8Array.of(0x2f, 0xff), 2);
  expect(path.text()).toBe("/\udcff");
});
