import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { findProgram } from "./find-program.ts";

let cwd: string;
beforeAll(() => {
  cwd = realpathSync(mkdtempSync("/tmp/hallpass-find-"));
  mkdirSync(`${cwd}/bin`);
  const make = (name: string, text: string, mode = 0o755): void => {
    writeFileSync(`${cwd}/${name}`, text);
    chmodSync(`${cwd}/${name}`, mode);
  };
  make("bin/script", "#!/bin/sh -e\n");
  make("bin/by-env", "#!/usr/bin/env -S FOO=1 sh -x\n");
  make("bin/outer", `#!${cwd}/bin/script\n`);
  make("bin/plain", "no interpreter");
  make("bin/notx", "#!/bin/sh\n", 0o644);
  make("bin/lost", "#!/no/such/sh\n");
  symlinkSync("script", `${cwd}/bin/link`);
});
afterAll(() => rmSync(cwd, { recursive: true }));

const find = (name: string) => findProgram(name, { cwd, path: `/nowhere:${cwd}/bin:/usr/bin:/bin` });
const sh = realpathSync("/bin/sh");

test("finds a name in $PATH, and a path from the working directory", () => {
  expect(find("plain").path).toBe(`${cwd}/bin/plain`);
  expect(find("bin/plain").path).toBe(`${cwd}/bin/plain`);
  expect(findProgram("plain", { cwd: `${cwd}/bin`, path: ":/usr/bin" }).path).toBe(`${cwd}/bin/./plain`);
});

test("names the interpreters that run with it, through env and through other scripts", () => {
  expect(find("plain").runs).toEqual([`${cwd}/bin/plain`]);
  expect(find("link").runs).toEqual([`${cwd}/bin/script`, sh]);
  expect(find("outer").runs).toEqual([`${cwd}/bin/outer`, `${cwd}/bin/script`, sh]);
  expect(find("by-env").runs).toEqual([`${cwd}/bin/by-env`, realpathSync("/usr/bin/env"), sh]);
});

test.each([
  ["no-such-program", 127, "not found in $PATH"],
  ["/no/such/program", 127, "not found"],
  ["bin/plain/x", 127, "not found"],
  ["notx", 126, "not executable"],
  ["./bin", 126, "folder"],
  ["lost", 126, "/no/such/sh not found"],
  ["", 127, "not found"],
])("%j is %d: %s", (name, exitCode, message) => {
  expect(() => find(name)).toThrow(
    expect.objectContaining({ exitCode, message: expect.stringContaining(message) as string }) as Error,
  );
});
