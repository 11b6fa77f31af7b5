import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PolicyError } from "../errors.ts";
import { PLACES } from "./fixture.ts";
import { changeRules, everywhereFile, loadRules, moveRule, projectFile, watchRules } from "./store.ts";

let config: string;
beforeEach(() => {
  config = join(mkdtempSync(join(tmpdir(), "store-")), "hallpass");
});
afterEach(() => rmSync(join(config, ".."), { recursive: true }));

const TEXT = "# mine\nallow write /a   # one\n\n  # about b\ndeny write /b\nallow write /a\n";

function write(text: string): string {
  mkdirSync(config, { recursive: true });
  writeFileSync(everywhereFile(config), text);
  return everywhereFile(config);
}

describe("a rule file", () => {
  test("that is not there is empty, and is made with mode 0600 in a folder of mode 0700", async () => {
    const file = projectFile(config, "/work/app");
    expect((await loadRules(file, PLACES)).rules).toEqual([]);
    expect(await changeRules(file, { type: "append", line: "allow write /a" }, "# rules for /work/app\n")).toBe(true);
    expect(readFileSync(file, "utf8")).toBe("# rules for /work/app\nallow write /a\n");
    expect([statSync(file).mode & 0o777, statSync(join(file, "..")).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(readdirSync(join(file, ".."))).toEqual(["work-app.rules"]);
  });

  test("keeps its comments and order through every edit", async () => {
    const file = write(TEXT);
    await changeRules(file, { type: "replace", place: { line: 5, text: "deny write /b" }, line: "deny write /c" });
    expect(readFileSync(file, "utf8")).toBe(TEXT.replace("deny write /b", "deny write /c"));
    await changeRules(file, { type: "delete", place: { line: 2, text: "allow write /a   # one" } });
    expect(readFileSync(file, "utf8")).toBe("# mine\n\n  # about b\ndeny write /c\nallow write /a\n");
    await changeRules(file, { type: "append", line: "ask exec /x" });
    expect(readFileSync(file, "utf8")).toEndWith("allow write /a\nask exec /x\n");
  });

  test("that was changed by hand is changed at the line that is meant, or not at all", async () => {
    const file = write(`# new line\n${TEXT}`);
    expect(await changeRules(file, { type: "delete", place: { line: 5, text: "deny write /b" } })).toBe(true);
    expect(readFileSync(file, "utf8")).toBe(`# new line\n${TEXT.replace("deny write /b\n", "")}`);
    expect(await changeRules(file, { type: "delete", place: { line: 5, text: "deny write /b" } })).toBe(false);
  });

  test("without an end to its last line gets one", async () => {
    const file = write("allow write /a");
    await changeRules(file, { type: "append", line: "deny write /b" });
    expect(readFileSync(file, "utf8")).toBe("allow write /a\ndeny write /b\n");
  });

  test("that is a link stays one, and odd bytes stay as they are", async () => {
    const real = join(config, "..", "dotfile");
    writeFileSync(real, Buffer.from([0x23, 0xff, 0x0a]));
    mkdirSync(config, { recursive: true });
    symlinkSync(real, everywhereFile(config));
    await changeRules(everywhereFile(config), { type: "append", line: "allow write /a" });
    expect(lstatSync(everywhereFile(config)).isSymbolicLink()).toBe(true);
    expect([...readFileSync(real).subarray(0, 3)]).toEqual([0x23, 0xff, 0x0a]);
  });

  test("with mistakes says all of them", async () => {
    const file = write("allow write /a b\nnonsense\n");
    const error: unknown = await loadRules(file, PLACES).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(PolicyError);
    expect((error as PolicyError).mistakes.map((mistake) => [mistake.file, mistake.line])).toEqual([
      [file, 1],
      [file, 2],
    ]);
  });

  test("loses nothing when many change it at once", async () => {
    const file = everywhereFile(config);
    await Promise.all(
      Array.from({ length: 25 }, (_, index) => changeRules(file, { type: "append", line: `allow write /n${index}` })),
    );
    expect((await loadRules(file, PLACES)).rules.map(({ rule }) => rule.target).toSorted()).toEqual(
      Array.from({ length: 25 }, (_, index) => `/n${index}`).toSorted(),
    );
    expect(readdirSync(config)).toEqual(["rules"]);
  });

  test("whose lock was left by a process that is gone can be changed", async () => {
    const file = write("");
    writeFileSync(`${file}.lock`, "4194303");
    expect(await changeRules(file, { type: "append", line: "allow write /a" })).toBe(true);
    expect(readdirSync(config)).toEqual(["rules"]);
  });

  test("gives a rule to another file", async () => {
    const file = write(TEXT);
    const other = projectFile(config, "/work/app");
    expect(await moveRule(file, { line: 5, text: "deny write /b" }, other)).toBe(true);
    expect(readFileSync(file, "utf8")).not.toContain("/b\n");
    expect(readFileSync(other, "utf8")).toBe("deny write /b\n");
  });

  test("is seen to change by hand, when an editor renames over it too", async () => {
    const file = write("allow write /a\n");
    const seen = Promise.withResolvers<string>();
    const stop = watchRules([file], (changed) => seen.resolve(changed));
    await changeRules(file, { type: "append", line: "deny write /b" });
    expect(await seen.promise).toBe(file);
    stop();
  });
});

test("two projects never share a file, and a long name is shortened", () => {
  const projects = [
    "/a/b",
    "/a-b",
    "/a-/b",
    "/a/-b",
    "/a%2db",
    "/a b",
    "/a\udcff",
    "/",
    "/é",
    `/${"x".repeat(300)}`,
    `/${"x".repeat(301)}`,
  ];
  const files = projects.map((project) => projectFile("/c", project));
  expect(new Set(files).size).toBe(projects.length);
  expect(files[0]).toBe("/c/projects/a-b.rules");
  for (const file of files) expect(file.slice("/c/projects/".length)).toMatch(/^[\w.%-]{1,220}$/);
});
