import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { needs, root } from "../../tests/support/needs.ts";
import { openSessionFolder, type Place, sessionFolder, sessionPids } from "./folder.ts";

let home: string;
beforeEach(() => void (home = mkdtempSync("/var/tmp/hallpass-folder-")));
afterEach(() => rmSync(home, { recursive: true }));

const place = (env: Record<string, string> = {}): Place => ({ env, home, uid: process.getuid!() });

test("is below XDG_RUNTIME_DIR, or in the state of the user where there is none", () => {
  expect(sessionFolder(place({ XDG_RUNTIME_DIR: home }))).toBe(`${home}/hallpass`);
  expect(sessionFolder(place())).toBe(`${home}/.local/state/hallpass/run`);
  expect(sessionFolder(place({ XDG_STATE_HOME: "/state" }))).toBe("/state/hallpass/run");
  expect(sessionFolder(place({ XDG_RUNTIME_DIR: "/no/such/folder" }))).toBe(`${home}/.local/state/hallpass/run`);
});

needs(root())("another user's XDG_RUNTIME_DIR is left alone", () => {
  const other = `${home}/other`;
  mkdirSync(other);
  chownSync(other, 12_345, 12_345);
  expect(sessionFolder(place({ XDG_RUNTIME_DIR: other }))).toBe(`${home}/.local/state/hallpass/run`);
});

test("is made for the user alone, and taken back from others", () => {
  const folder = openSessionFolder(place());
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  chmodSync(folder, 0o755);
  openSessionFolder(place());
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test("is no link to somewhere else", () => {
  mkdirSync(`${home}/elsewhere`);
  symlinkSync(`${home}/elsewhere`, `${home}/hallpass`);
  expect(() => openSessionFolder(place({ XDG_RUNTIME_DIR: home }))).toThrow("not a folder of this user's own");
});

test("lists sessions by their sockets' names and nothing else", () => {
  const folder = openSessionFolder(place());
  for (const name of ["12.sock", "3.sock", "x.sock", "4.sock~", "05.sock"]) writeFileSync(`${folder}/${name}`, "");
  expect(sessionPids(folder)).toEqual([3, 12]);
  expect(sessionPids(`${home}/none`)).toEqual([]);
});
