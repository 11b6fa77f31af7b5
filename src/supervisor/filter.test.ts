/** What the filter does with every system call, architecture and flag, asserted without a kernel. */
import { describe, expect, test } from "bun:test";
import {
  AUDIT_ARCH_X86_64,
  FS_IOC32_SETFLAGS,
  FS_IOC_FSGETXATTR,
  FS_IOC_FSSETXATTR,
  FS_IOC_GETFLAGS,
  FS_IOC_SETFLAGS,
  O_APPEND,
  O_CLOEXEC,
  O_CREAT,
  O_DIRECTORY,
  O_NOCTTY,
  O_NOFOLLOW,
  O_NONBLOCK,
  O_PATH,
  O_RDWR,
  O_TMPFILE,
  O_TRUNC,
  O_WRONLY,
  TCGETS,
  TIOCGPTPEER,
  TIOCGWINSZ,
  TIOCLINUX,
  TIOCSPGRP,
  TIOCSTI,
} from "../../ffi/constants.ts";
import type { Category } from "../policy/rule.ts";
import { interpret } from "./bpf-interpreter.ts";
import { LONGEST_PROGRAM, type Program } from "./bpf.ts";
import { compileFilter, filterProgram, isTrapped, wantedClasses, type FilterOptions } from "./filter.ts";
import { IOCTL_CHANGES, OPEN_CHANGES, SYSCALL_CLASSES, type TrapClass } from "./syscalls/classes.ts";
import { AUDIT_ARCH, SYSCALLS, type Arch } from "./syscalls/index.ts";

const ALLOW = 0x7fff0000;
const NOTIFY = 0x7fc00000;
const ENOSYS = 0x00050026;
const EPERM = 0x00050001;

const ARCHES: readonly Arch[] = ["x86_64", "i386", "aarch64", "arm"];
const PAIRS: readonly (readonly Arch[])[] = [
  ["x86_64", "i386"],
  ["aarch64", "arm"],
];

function options(mediate: readonly Category[], more: Partial<FilterOptions> = {}): FilterOptions {
  return { mediate: new Set(mediate), services: false, signals: false, arches: ARCHES, ...more };
}

const DEFAULT = filterProgram(options(["write", "exec"], { services: true }));
const EVERYTHING = filterProgram(options(["write", "exec", "connect", "read"], { services: true, signals: true }));

function run(program: Program, arch: Arch, name: string, ...args: (number | bigint)[]): number {
  const number = SYSCALLS[arch][name];
  if (number === undefined) throw new Error(`${arch} has no ${name}`);
  const six = Array.from({ length: 6 }, (_, i) => BigInt(args[i] ?? 0));
  return interpret(program, { nr: number, arch: AUDIT_ARCH[arch], args: six }).action;
}

/** Rubbish where the kernel does not look. */
const RUBBISH = 0xdeadbeef00000000n;

describe("opening", () => {
  const changing = [
    ["O_WRONLY", O_WRONLY],
    ["O_RDWR", O_RDWR],
    ["access mode 3", 3],
    ["O_CREAT", O_CREAT],
    ["O_RDONLY|O_TRUNC", O_TRUNC],
    ["O_APPEND", O_APPEND],
    ["O_TMPFILE", O_TMPFILE],
    ["O_WRONLY|O_CREAT|O_TRUNC|O_CLOEXEC", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC],
  ] as const;
  const reading = [
    ["O_RDONLY", 0],
    ["O_CLOEXEC", O_CLOEXEC],
    ["O_DIRECTORY|O_NONBLOCK", O_DIRECTORY | O_NONBLOCK],
    ["O_PATH|O_NOFOLLOW", O_PATH | O_NOFOLLOW],
    ["O_NOCTTY", O_NOCTTY],
  ] as const;
  const calls = [
    ["openat", 2],
    ["open", 1],
  ] as const;

  for (const arch of ARCHES) {
    for (const [call, at] of calls) {
      if (SYSCALLS[arch][call] === undefined) continue;
      const args = (flags: bigint): bigint[] => Array.from({ length: 6 }, (_, i) => (i === at ? flags : RUBBISH));
      for (const [name, flags] of changing) {
        test(`${arch}: ${call} with ${name} is stopped, whatever lies in the upper half`, () => {
          expect(run(DEFAULT, arch, call, ...args(BigInt(flags)))).toBe(NOTIFY);
          expect(run(DEFAULT, arch, call, ...args(RUBBISH | BigInt(flags)))).toBe(NOTIFY);
        });
      }
      for (const [name, flags] of reading) {
        test(`${arch}: ${call} with ${name} is not, whatever lies in the upper half`, () => {
          expect(run(DEFAULT, arch, call, ...args(BigInt(flags)))).toBe(ALLOW);
          expect(run(DEFAULT, arch, call, ...args(RUBBISH | BigInt(flags)))).toBe(ALLOW);
        });
      }
      test(`${arch}: ${call} for reading is stopped where reads are mediated`, () => {
        expect(run(EVERYTHING, arch, call)).toBe(NOTIFY);
      });
    }
    test(`${arch}: each single bit of the flags is judged as classes.ts says`, () => {
      for (let bit = 0; bit < 32; bit++) {
        const flag = (1 << bit) >>> 0;
        expect([bit, run(DEFAULT, arch, "openat", 0, 0, flag)]).toEqual([
          bit,
          (flag & OPEN_CHANGES) === 0 ? ALLOW : NOTIFY,
        ]);
      }
    });
    test(`${arch}: openat2 is always stopped, creat and open_by_handle_at too`, () => {
      const names = ["openat2", "creat", "open_by_handle_at"].filter((name) => SYSCALLS[arch][name] !== undefined);
      for (const name of names) expect([name, run(DEFAULT, arch, name)]).toEqual([name, NOTIFY]);
    });
  }
});

describe("classes", () => {
  /** Judged by arguments; the tests around this one have them. */
  const conditional = new Set(["open", "openat", "ioctl", "sendto", "socketcall", "ptrace", "prlimit64"]);
  const sets: readonly [string, FilterOptions][] = [
    ["the default", options(["write", "exec"], { services: true })],
    ["exec alone", options(["exec"])],
    ["connect alone", options(["connect"])],
    ["everything", options(["write", "exec", "connect", "read"], { services: true, signals: true })],
  ];
  for (const [what, given] of sets) {
    const program = filterProgram(given);
    const wanted = wantedClasses(given);
    for (const arch of ARCHES) {
      test(`${what}, ${arch}: every call in the table gets what its class says`, () => {
        for (const name of Object.keys(SYSCALLS[arch])) {
          if (conditional.has(name)) continue;
          expect([name, run(program, arch, name)]).toEqual([name, expectedOf(name, wanted)]);
        }
      });
    }
  }

  function expectedOf(name: string, wanted: ReadonlySet<TrapClass>): number {
    const found = SYSCALL_CLASSES.get(name)!;
    if (found.kind === "refuse") return 0x00050000 | found.errno;
    return isTrapped(name, wanted) ? NOTIFY : ALLOW;
  }

  test("numbers that no table has are refused as an older kernel would, on every architecture", () => {
    for (const arch of ARCHES) {
      const known = new Set(Object.values(SYSCALLS[arch]));
      const unknown = Array.from({ length: 1024 }, (_, number) => number).filter((number) => !known.has(number));
      expect(unknown.length).toBeGreaterThan(400);
      for (const nr of [...unknown, 0x7fffffff, 0x3fffffff, -1]) {
        const { action } = interpret(DEFAULT, { nr, arch: AUDIT_ARCH[arch], args: [0n, 0n, 0n, 0n, 0n, 0n] });
        expect([arch, nr, action]).toEqual([arch, nr, ENOSYS]);
      }
    }
  });

  test("x32 calls are refused, the harmless ones too", () => {
    for (const number of [0, 1, 2, 59, 257, 512, 520, 545, 0x3fffffff]) {
      const data = { nr: number | 0x40000000, arch: AUDIT_ARCH_X86_64, args: [0n, 0n, 0n, 0n, 0n, 0n] };
      expect(interpret(EVERYTHING, data).action).toBe(ENOSYS);
    }
  });

  test("an architecture that is none of the machine's finds no call", () => {
    for (const [native, compat] of PAIRS as [Arch, Arch][]) {
      const program = filterProgram(options(["write"], { arches: [native, compat] }));
      for (const arch of ARCHES) {
        const isOwn = arch === native || arch === compat;
        expect([arch, run(program, arch, "getpid")]).toEqual([arch, isOwn ? ALLOW : ENOSYS]);
      }
      for (const foreign of [0, 0x40000015, 0xffffffff]) {
        expect(interpret(program, { nr: 39, arch: foreign, args: [0n] }).action).toBe(ENOSYS);
      }
    }
  });

  test("the private numbers of 32-bit arm pass, and only on arm", () => {
    for (const nr of [0xf0001, 0xf0002, 0xf0005, 0xf07ff]) {
      for (const arch of ARCHES) {
        const { action } = interpret(DEFAULT, { nr, arch: AUDIT_ARCH[arch], args: [0n] });
        expect([arch, action]).toEqual([arch, arch === "arm" ? ALLOW : ENOSYS]);
      }
    }
    expect(interpret(DEFAULT, { nr: 0xf0800, arch: AUDIT_ARCH.arm, args: [0n] }).action).toBe(ENOSYS);
    expect(interpret(DEFAULT, { nr: 0xeffff, arch: AUDIT_ARCH.arm, args: [0n] }).action).toBe(ENOSYS);
  });

  test("io_uring is not there, kernel code and bpf are not permitted", () => {
    for (const name of ["io_uring_setup", "io_uring_enter", "io_uring_register"]) {
      expect(run(DEFAULT, "x86_64", name)).toBe(ENOSYS);
    }
    for (const name of ["bpf", "init_module", "finit_module", "kexec_load", "userfaultfd", "reboot"]) {
      expect(run(DEFAULT, "aarch64", name === "kexec_load" ? "kexec_file_load" : name)).toBe(EPERM);
      expect(run(DEFAULT, "x86_64", name)).toBe(EPERM);
    }
  });

  test("fork, clone, close and signals to oneself are never stopped by default", () => {
    for (const name of ["clone", "clone3", "fork", "vfork", "close", "kill", "tgkill", "unshare", "read", "write"]) {
      expect([name, run(DEFAULT, "x86_64", name, RUBBISH, RUBBISH)]).toEqual([name, ALLOW]);
    }
  });
});

describe("ioctl", () => {
  const harmless = [
    TCGETS,
    TIOCGWINSZ,
    TIOCSPGRP,
    FS_IOC_GETFLAGS,
    FS_IOC_FSGETXATTR,
    0x5421 /* FIONBIO */,
    0x8912 /* SIOCGIFCONF */,
    0x40049409 /* FICLONE */,
    0x4020940d /* FICLONERANGE */,
    0,
    0xffffffff,
  ];
  const changing = [TIOCSTI, TIOCLINUX, TIOCGPTPEER, FS_IOC_SETFLAGS, FS_IOC32_SETFLAGS, FS_IOC_FSSETXATTR];
  const families = [
    0x5000940e /* BTRFS_IOC_SUBVOL_CREATE */, 0x50009418 /* SUBVOL_CREATE_V2 */, 0x5000940f /* SNAP_DESTROY */,
    0xf501 /* f2fs */, 0x4020bc10 /* bcachefs */,
  ];

  for (const arch of ARCHES) {
    test(`${arch}: what changes a file or a terminal is stopped by its number`, () => {
      for (const request of [...changing, ...families, ...IOCTL_CHANGES]) {
        expect([request, run(DEFAULT, arch, "ioctl", RUBBISH, RUBBISH | BigInt(request))]).toEqual([request, NOTIFY]);
      }
    });
    test(`${arch}: all else passes`, () => {
      for (const request of harmless) {
        expect([request, run(DEFAULT, arch, "ioctl", RUBBISH, RUBBISH | BigInt(request))]).toEqual([request, ALLOW]);
      }
    });
  }
  test("passes where writes are not mediated", () => {
    expect(run(filterProgram(options(["exec"])), "x86_64", "ioctl", 0, FS_IOC_SETFLAGS)).toBe(ALLOW);
  });
});

describe("sockets", () => {
  const connectOnly = filterProgram(options(["connect"]));

  test("connect is stopped for services or for the connect category, bind for writes", () => {
    for (const arch of ARCHES) {
      expect(run(DEFAULT, arch, "connect")).toBe(NOTIFY);
      expect(run(connectOnly, arch, "connect")).toBe(NOTIFY);
      expect(run(filterProgram(options(["write"])), arch, "connect")).toBe(ALLOW);
      expect(run(DEFAULT, arch, "bind")).toBe(NOTIFY);
    }
  });

  test("sendto is stopped only with an address, judged on both halves of the pointer", () => {
    for (const arch of ARCHES) {
      expect(run(connectOnly, arch, "sendto", 3, 4, 5, 6, 0, 7)).toBe(ALLOW);
      expect(run(connectOnly, arch, "sendto", 3, 4, 5, 6, 0x1000, 7)).toBe(NOTIFY);
      expect(run(DEFAULT, arch, "sendto", 3, 4, 5, 6, 0x1000, 7)).toBe(ALLOW);
    }
    expect(run(connectOnly, "x86_64", "sendto", 0, 0, 0, 0, 0x100000000n)).toBe(NOTIFY);
  });

  test("socketcall is judged by what it calls", () => {
    const [bind, connect, send, sendto, sendmsg, recv] = [2, 3, 9, 11, 16, 10];
    expect(run(DEFAULT, "i386", "socketcall", bind)).toBe(NOTIFY);
    expect(run(DEFAULT, "i386", "socketcall", RUBBISH | BigInt(connect))).toBe(NOTIFY);
    for (const call of [send, sendto, sendmsg, recv]) expect(run(DEFAULT, "i386", "socketcall", call)).toBe(ALLOW);
    for (const call of [connect, sendto, sendmsg]) expect(run(connectOnly, "i386", "socketcall", call)).toBe(NOTIFY);
    expect(run(connectOnly, "i386", "socketcall", bind)).toBe(ALLOW);
  });
});

describe("other processes", () => {
  test("only a tracer's attaching is stopped, not its work", () => {
    const [TRACEME, PEEKTEXT, ATTACH, SEIZE, SETOPTIONS] = [0, 1, 16, 0x4206, 0x4200];
    for (const request of [ATTACH, SEIZE])
      expect(run(DEFAULT, "x86_64", "ptrace", RUBBISH | BigInt(request))).toBe(NOTIFY);
    for (const request of [TRACEME, PEEKTEXT, SETOPTIONS])
      expect(run(DEFAULT, "x86_64", "ptrace", request)).toBe(ALLOW);
  });

  test("limits of another process are stopped, one's own and a mere look are not", () => {
    expect(run(DEFAULT, "x86_64", "prlimit64", 0, 7, 0x1000)).toBe(ALLOW);
    expect(run(DEFAULT, "x86_64", "prlimit64", RUBBISH, 7, 0x1000)).toBe(ALLOW);
    expect(run(DEFAULT, "x86_64", "prlimit64", 42, 7, 0)).toBe(ALLOW);
    expect(run(DEFAULT, "x86_64", "prlimit64", 42, 7, 0x1000)).toBe(NOTIFY);
    expect(run(DEFAULT, "x86_64", "prlimit64", 42, 7, 0x700000000000n)).toBe(NOTIFY);
  });

  test("signals are stopped where no scope keeps them inside", () => {
    const program = filterProgram(options(["write"], { signals: true }));
    for (const name of ["kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal"]) {
      expect(run(program, "x86_64", name)).toBe(NOTIFY);
    }
  });
});

describe("cost and size", () => {
  test("calls that are never stopped are decided on number and architecture alone, so that the kernel caches them", () => {
    for (const name of ["read", "write", "close", "mmap", "futex", "clone3", "fstat", "newfstatat"]) {
      const data = { nr: SYSCALLS.x86_64[name]!, arch: AUDIT_ARCH_X86_64, args: [0n, 0n, 0n, 0n, 0n, 0n] };
      expect(interpret(EVERYTHING, data).steps).toBeLessThan(16);
    }
  });

  test("the longest filter fits the kernel's limit, and is made of whole instructions", () => {
    const bytes = compileFilter(options(["write", "exec", "connect", "read"], { services: true, signals: true }));
    expect(bytes.length % 8).toBe(0);
    expect(bytes.length / 8).toBeLessThan(LONGEST_PROGRAM);
  });

  test("every jump of every filter stays inside it", () => {
    for (const program of [DEFAULT, EVERYTHING]) {
      program.forEach((instruction, at) => {
        const isBranch = (instruction.code & 7) === 5;
        const furthest = instruction.code === 5 ? instruction.k : Math.max(instruction.jt, instruction.jf);
        expect(isBranch ? at + 1 + furthest : at).toBeLessThan(program.length);
        expect(instruction.jt | instruction.jf).toBeLessThanOrEqual(255);
      });
    }
  });
});
