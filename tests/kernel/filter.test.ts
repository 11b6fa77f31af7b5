/** The filter on the real kernel: the same answers as its interpreter gives, from both gates of the machine. */
import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { O_CREAT, O_TRUNC, O_WRONLY } from "../../ffi/constants.ts";
import { errnoName } from "../../ffi/errno.ts";
import { SYSCALLS } from "../../src/supervisor/syscalls/index.ts";
import { kernel, needs } from "../support/needs.ts";
import { Driven, type Event } from "./support/driven.ts";
import { buildTarget } from "./support/targets.ts";

const EACCES = 13;
const CWD = -100;
const driven = new Driven();
afterAll(() => driven[Symbol.dispose]());

const isAmd64 = kernel("the x86 gates", () => (process.arch === "x64" ? undefined : process.arch));
const has32 = kernel("32-bit x86 calls", () => {
  if (process.arch !== "x64") return process.arch;
  const script = join(driven.scratch, "probe");
  writeFileSync(script, `32 ${SYSCALLS.i386.getppid}\n`);
  const { exitCode, stdout } = Bun.spawnSync([buildTarget("calls"), script, driven.scratch]);
  return exitCode === 0 && Number(stdout.toString()) > 0 ? undefined : "none";
});

/** Makes the calls under a filter whose stopped calls all fail with EACCES; what each gave, and what was stopped. */
async function make(lines: readonly string[]): Promise<{ results: string[]; stopped: Event[] }> {
  const script = join(driven.scratch, "script");
  writeFileSync(script, lines.map((line) => `${line}\n`).join(""));
  const refuse = Object.fromEntries(
    [...new Set(Object.values(SYSCALLS).flatMap((table) => Object.keys(table)))]
      .filter((name) => name !== "execve")
      .map((name) => [name, EACCES]),
  );
  const { stdout, stderr, status, events } = await driven.run({
    command: [buildTarget("calls"), script, driven.scratch],
    refuse,
  });
  if (status !== 0) throw new Error(`status ${status}: ${stderr}`);
  const results = stdout
    .trim()
    .split("\n")
    .map((line) => (Number(line) < 0 ? errnoName(Number(line)) : "ok"));
  return { results, stopped: events.filter(({ event, name }) => event === "call" && name !== "execve") };
}

test("what changes something is stopped, what reads is not, what is refused says so", async () => {
  const table = SYSCALLS[process.arch === "arm64" ? "aarch64" : "x86_64"];
  const lines: [line: string, result: string][] = [
    [`${table.getppid}`, "ok"],
    [`${table.openat} ${CWD} "script 0`, "ok"],
    [`${table.openat} ${CWD} "script ${O_WRONLY}`, "EACCES"],
    [`${table.openat} ${CWD} "script ${O_TRUNC}`, "EACCES"],
    [`${table.openat} ${CWD} "script 0x${(0xdeadbeef00000000n | BigInt(O_CREAT)).toString(16)}`, "EACCES"],
    [`${table.openat} ${CWD} "script 0xdeadbeef00000000`, "ok"],
    [`${table.fchmod} 0 0600`, "EACCES"],
    [`${table.ioctl} 0 0x40086602 @8`, "EACCES"],
    [`${table.ioctl} 0 0xdeadbeef40086602 @8`, "EACCES"],
    [`${table.connect} 0 @16 16`, "EACCES"],
    [`${table.prlimit64} 0 7 - @16`, "ok"],
    [`${table.prlimit64} 1 7 @16 -`, "EACCES"],
    [`${table.io_uring_setup} 1 @120`, "ENOSYS"],
    [`${table.bpf} 0 @64 64`, "EPERM"],
    [`${table.userfaultfd} 1`, "EPERM"],
    ["470 1 2 3", "ENOSYS"],
    ["600 1 2 3", "ENOSYS"],
    ["-1", "ENOSYS"],
  ];
  const { results, stopped } = await make(lines.map(([line]) => line));
  expect(lines.map(([line], at) => [line, results[at]])).toEqual(lines.map((line) => [...line]));
  expect(stopped.length).toBe(lines.filter(([, result]) => result === "EACCES").length);
});

needs(isAmd64)("x32 calls are refused, the harmless ones too", async () => {
  const x32 = 0x40000000;
  const { results, stopped } = await make(
    [x32 | 39, x32 | 2, x32 | 257, x32 | 520].map((number) => `${number} 0 0 0 0 0 0`),
  );
  expect(results).toEqual(["ENOSYS", "ENOSYS", "ENOSYS", "ENOSYS"]);
  expect(stopped).toEqual([]);
});

needs(has32)("32-bit calls are stopped by their own numbers", async () => {
  const table = SYSCALLS.i386;
  const { results, stopped } = await make([
    `32 ${table.getppid}`,
    `32 ${table.fchmod} 0 0600`,
    `32 ${table.openat} ${CWD} 0 ${O_WRONLY}`,
    `32 ${table.ioctl} 0 0x40046602 0`,
    `32 ${table.io_uring_setup} 1 0`,
    "32 470 1",
  ]);
  expect(results).toEqual(["ok", "EACCES", "EACCES", "EACCES", "ENOSYS", "ENOSYS"]);
  expect(stopped.map(({ arch, name }) => `${String(arch)} ${String(name)}`)).toEqual([
    "i386 fchmod",
    "i386 openat",
    "i386 ioctl",
  ]);
});
