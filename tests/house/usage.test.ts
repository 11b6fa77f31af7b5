/** docs/usage.md names every flag and command that the program knows, and no other. */
import { expect, test } from "bun:test";
import { COMMANDS, RUN_FLAGS } from "../../src/cli/definition.ts";
import { read } from "../support/docs.ts";

const text = read("docs/usage.md");

test("every flag is named, and every flag that is named exists", () => {
  const named = [...text.matchAll(/(?<![\w-])--([a-z][a-z-]*)/g)].map(([, name = ""]) => name);
  const ofCommands = COMMANDS.flatMap(({ flags }) => flags.map(({ name }) => name));
  const known = [...RUN_FLAGS.map(({ name }) => name), ...ofCommands];
  expect(RUN_FLAGS.map(({ name }) => name).filter((name) => !named.includes(name))).toEqual([]);
  expect([...new Set(named)].filter((name) => name !== "flag" && !known.includes(name))).toEqual([]);
});

test("every command is named, and every command that is named exists", () => {
  const named = [...text.matchAll(/^ {4}hallpass ([a-z|]+)/gm)].flatMap(([, names = ""]) => names.split("|"));
  const known = COMMANDS.map(({ name }) => name);
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
  const later = text.slice(text.indexOf("until they are built"), text.indexOf("Durations:"));
  expect(known.filter((name) => !named.includes(name) && !later.includes(`\`${name}\``))).toEqual([]);
});
