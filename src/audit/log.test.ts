import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { needs, root } from "../../tests/support/needs.ts";
import type { Decision } from "../control/messages.ts";
import { escapeBytes, formatDecision, parseDecision, unescapeBytes } from "./line.ts";
import { AuditLog, type LogState } from "./log.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync("/tmp/hallpass-audit-")));
afterEach(() => rmSync(folder, { recursive: true }));

const decision: Decision = {
  time: "2026-01-02T03:04:05.678Z",
  pid: 7,
  exe: "/usr/bin/node",
  syscall: "openat",
  path: "/home/me/x",
  decision: "allow",
  reason: "user",
};

test("writes the keys in the order of the contract, whatever order they come in", () => {
  const { time, ...rest } = {
    ...decision,
    by: "npm ← bash",
    request: 3,
    waited_ms: 5,
    client: "bar",
    rule: "r",
    to: "/y",
    op: "link",
  };
  expect(Object.keys(JSON.parse(formatDecision({ ...rest, time })))).toEqual(
    "time pid exe syscall path decision reason op to rule client waited_ms request by".split(" "),
  );
  expect(Object.keys(JSON.parse(formatDecision({ ...decision, dest: "tcp:1.2.3.4:5" })))).toContain("dest");
});

test("writes bytes that are no UTF-8 so that they can be read back", () => {
  for (const text of ["/a\udcffb", "\\xff", "\\x5c", "\\", "\\\\xff", "\\x5cxff\udc80", "/ü\\n", "\u202e\u0007\n"]) {
    expect(unescapeBytes(escapeBytes(text))).toBe(text);
    expect(escapeBytes(text).isWellFormed()).toBe(true);
  }
  expect(formatDecision({ ...decision, path: "/a\udcff" })).toContain(String.raw`"path":"/a\\xff"`);
  expect(parseDecision(formatDecision({ ...decision, path: "/a\udcff\\xff" }))?.path).toBe("/a\udcff\\xff");
});

test("adds every line to the file, which is the user's alone", async () => {
  const path = `${folder}/log`;
  for (let run = 0; run < 2; run++) {
    const log = AuditLog.open(path, () => undefined);
    for (let pid = 0; pid < 5000; pid++) log.append({ ...decision, pid });
    expect(await log.close()).toBe(0);
  }
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  expect(lines.map((line) => parseDecision(line)?.pid)).toEqual([...Array(5000).keys(), ...Array(5000).keys()]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("says when the disk is full, keeps what was to be written, and says how much is lost at the end", async () => {
  const told: LogState[] = [];
  const full = Promise.withResolvers<void>();
  const log = AuditLog.open("/dev/full", (state) => {
    told.push(state);
    full.resolve();
  });
  log.append(decision);
  log.append(decision);
  await full.promise;
  expect(told).toEqual([
    { isBehind: false, full: "the log /dev/full cannot be written (no space left): what would be logged is denied" },
  ]);
  expect(await log.close()).toBe(2);
});

test("waits for a reader that is slow, and loses nothing", async () => {
  const path = `${folder}/fifo`;
  Bun.spawnSync(["mkfifo", path]);
  const reader = Bun.spawn(["sh", "-c", 'exec 3< "$0"; echo open; read go; cat <&3', path], {
    stdin: "pipe",
    stdout: "pipe",
  });
  const told: LogState[] = [];
  const log = AuditLog.open(path, (state) => told.push(state));
  const long = "x".repeat(10_000);
  for (let pid = 0; pid < 2000; pid++) log.append({ ...decision, pid, path: `/${long}` });
  expect(log.state.isBehind).toBe(true);
  void reader.stdin.write("go\n");
  await reader.stdin.end();
  expect(await log.close()).toBe(0);
  const lines = (await new Response(reader.stdout).text()).trimEnd().split("\n").slice(1);
  expect(lines.map((line) => parseDecision(line)?.pid)).toEqual([...Array(2000).keys()]);
  expect(told.map((state) => state.isBehind)).toEqual([true, false]);
});

needs(root())("goes on where it stopped when there is space again", async () => {
  const disk = `${folder}/disk`;
  Bun.spawnSync(["mkdir", disk]);
  expect(Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=64k", "none", disk]).exitCode).toBe(0);
  try {
    Bun.spawnSync(["dd", "if=/dev/zero", `of=${disk}/filler`, "bs=4k", "count=14"]);
    const states: LogState[] = [];
    const ready = Promise.withResolvers<void>();
    const full = Promise.withResolvers<void>();
    const log = AuditLog.open(`${disk}/log`, (state) => {
      states.push(state);
      (state.full === undefined ? ready : full).resolve();
    });
    for (let pid = 0; pid < 200; pid++) log.append({ ...decision, pid });
    await full.promise;
    rmSync(`${disk}/filler`);
    await ready.promise;
    expect(await log.close()).toBe(0);
    const lines = readFileSync(`${disk}/log`, "utf8").trimEnd().split("\n");
    expect(lines.map((line) => parseDecision(line)?.pid)).toEqual([...Array(200).keys()]);
    expect(states.map((state) => state.full !== undefined)).toEqual([true, false]);
  } finally {
    Bun.spawnSync(["umount", disk]);
  }
});
