/** Constants and layouts are the kernel's: each is compared with what a C compiler makes of the headers. */
import { beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BLOCK, BLOCK_BYTES, REPORT_BYTES, STAGE_EXEC, STAGE_FILTER } from "../src/supervisor/launch-block.ts";
import { argHigh, argLow, DATA_ARCH, DATA_NR } from "../src/supervisor/bpf.ts";
import { SYSCALLS } from "../src/supervisor/syscalls/index.ts";
import * as constants from "./constants.ts";
import { Errno } from "./errno.ts";
import { NOTIF, NOTIF_BYTES } from "./seccomp.ts";
import { Signal } from "./signal.ts";
import { STATX, STATX_BYTES } from "./statx.ts";

const root = join(import.meta.dirname, "..");
const folder = join(root, "build", "test");

function compileAndRun(name: string, source: string): Map<string, number> {
  const program = join(folder, name);
  const cc = Bun.spawnSync(["cc", "-w", "-D_GNU_SOURCE", "-o", program, source], { cwd: root });
  if (cc.exitCode !== 0) throw new Error(cc.stderr.toString());
  const output = Bun.spawnSync([program]).stdout.toString();
  const lines = output
    .trim()
    .split("\n")
    .map((line) => line.split(" "));
  return new Map(lines.map(([key, value]) => [key!, Number(value)]));
}

const HEADERS = [
  "<stdio.h>",
  "<sys/socket.h>",
  "<sys/stat.h>",
  "<asm/ioctls.h>",
  "<asm/unistd.h>",
  "<linux/audit.h>",
  "<linux/errno.h>",
  "<linux/fcntl.h>",
  "<linux/fs.h>",
  "<linux/kcmp.h>",
  "<linux/landlock.h>",
  "<linux/memfd.h>",
  "<linux/openat2.h>",
  "<linux/pidfd.h>",
  "<linux/poll.h>",
  "<linux/prctl.h>",
  "<linux/sched.h>",
  "<linux/seccomp.h>",
  "<linux/stat.h>",
  "<signal.h>",
  `"${root}/ffi/native/uapi.h"`,
];

/** In no header that can be had here: an enumerator of the C library, bits together, or inside the kernel only. */
const NOT_IN_HEADERS = new Set([
  "SOCK_STREAM",
  "SOCK_DGRAM",
  "SOCK_SEQPACKET",
  "SOCK_NONBLOCK",
  "SOCK_CLOEXEC",
  "MSG_DONTWAIT",
  "KCMP_FILE",
  "KCMP_FILES",
  "KCMP_FS",
  "F_SEAL_ALL",
  "OPEN_FLAGS_X86",
  "OPEN_FLAGS_ARM",
  "PIDFD_THREAD",
  "__X32_SYSCALL_BIT",
  "ERESTARTSYS",
  "ERESTARTNOINTR",
  "LANDLOCK_ACCESS_NET_BIND_TCP",
]);

let values: Map<string, number>;
let layout: Map<string, number>;

function defined(names: readonly string[]): string {
  return names
    .map((name) => `#ifdef ${name}\n printf("${name} %llu\\n", (unsigned long long)(unsigned)(${name}));\n#endif`)
    .join("\n");
}

beforeAll(() => {
  mkdirSync(folder, { recursive: true });
  const names = [...Object.keys(constants), ...Object.keys(Errno), ...Object.keys(Signal)];
  const calls = Object.keys(SYSCALLS.x86_64).map((name) => `__NR_${name}`);
  const source = join(folder, "constants_probe.c");
  const includes = HEADERS.map((header) => `#include ${header}`).join("\n");
  writeFileSync(source, `${includes}\nint main(void) {\n${defined([...names, ...calls])}\nreturn 0; }\n`);
  values = compileAndRun("constants_probe", source);
  layout = compileAndRun("layout_probe", "tests/targets/layout_probe.c");
});

describe("constants", () => {
  for (const [name, value] of [...Object.entries(constants), ...Object.entries(Errno), ...Object.entries(Signal)] as [
    string,
    number,
  ][]) {
    if (NOT_IN_HEADERS.has(name)) continue;
    test(`${name} is the kernel's`, () => {
      expect(values.get(name)).toBe(value >>> 0);
    });
  }
  test("the numbers of this machine's system calls are the kernel's", () => {
    const table = SYSCALLS[process.arch === "arm64" ? "aarch64" : "x86_64"];
    const differing = Object.entries(table).filter(([name, number]) => {
      const kernels = values.get(`__NR_${name}`);
      return kernels !== undefined && kernels !== number;
    });
    expect(differing).toEqual([]);
    expect([...values.keys()].filter((key) => key.startsWith("__NR_")).length).toBeGreaterThan(300);
  });
});

describe("layouts", () => {
  const at = (name: string): number | undefined => layout.get(name);

  test("a notification", () => {
    expect(at("seccomp_notif")).toBe(NOTIF_BYTES);
    expect(at("seccomp_notif.id")).toBe(NOTIF.idLow * 4);
    expect(at("seccomp_notif.pid")).toBe(NOTIF.pid * 4);
    expect(at("seccomp_notif.flags")).toBe(NOTIF.flags * 4);
    expect(at("seccomp_notif.data.nr")).toBe(NOTIF.nr * 4);
    expect(at("seccomp_notif.data.arch")).toBe(NOTIF.arch * 4);
    expect(at("seccomp_notif.data.instruction_pointer")).toBe(NOTIF.ipLow * 4);
    expect(at("seccomp_notif.data.args")).toBe(NOTIF.args * 4);
    expect([at("seccomp_notif_resp"), at("seccomp_notif_addfd")]).toEqual([24, 24]);
  });

  test("what a filter sees, and its instructions", () => {
    expect([at("seccomp_data"), at("seccomp_data.nr"), at("seccomp_data.arch")]).toEqual([64, DATA_NR, DATA_ARCH]);
    expect(at("seccomp_data.args")).toBe(argLow(0));
    expect(argHigh(5)).toBe(60);
    expect(["sock_filter", "sock_filter.code", "sock_filter.jt", "sock_filter.jf", "sock_filter.k"].map(at)).toEqual([
      8, 0, 2, 3, 4,
    ]);
  });

  test("statx", () => {
    expect(at("statx")).toBe(STATX_BYTES);
    const fields = {
      mask: STATX.mask,
      attributes: STATX.attributesLow,
      nlink: STATX.nlink,
      uid: STATX.uid,
      gid: STATX.gid,
      mode: STATX.mode,
      ino: STATX.inoLow,
      size: STATX.sizeLow,
      rdev_major: STATX.rdevMajor,
      rdev_minor: STATX.rdevMinor,
      dev_major: STATX.devMajor,
      dev_minor: STATX.devMinor,
      mnt_id: STATX.mountLow,
    };
    for (const [name, word] of Object.entries(fields))
      expect([name, at(`statx.stx_${name}`)]).toEqual([name, word * 4]);
  });

  test("small structures of the shim", () => {
    expect(["pollfd", "pollfd.revents", "rlimit64", "open_how", "hp_xattr_args", "hp_file_attr"].map(at)).toEqual([
      8, 6, 16, 24, 16, 24,
    ]);
    expect(at("hp_landlock_ruleset_attr")).toBe(24);
    expect(at("landlock_path_beneath_attr")).toBe(12);
    expect(at("statfs")).toBe(120);
  });

  test("what goes to the launcher and comes from it", () => {
    expect(at("launch_block")).toBe(BLOCK_BYTES);
    for (const [name, offset] of Object.entries(BLOCK)) {
      expect([name, at(`launch_block.${name}`)]).toEqual([name, offset]);
    }
    expect([at("report"), at("command")]).toEqual([REPORT_BYTES, 8]);
    expect([at("STAGE_FILTER"), at("STAGE_EXEC")]).toEqual([STAGE_FILTER, STAGE_EXEC]);
  });
});
