/** The typed verbs: offsets into paths, results as -errno, descriptors that close themselves, nothing left open. */
import { afterAll, describe, expect, test } from "bun:test";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { leakedFds } from "../tests/support/fds.ts";
import { kernel, needs } from "../tests/support/needs.ts";
import { ascii, cstring, pathBytes } from "./bytes.ts";
import {
  AT_FDCWD,
  O_CLOEXEC,
  O_CREAT,
  O_DIRECTORY,
  O_PATH,
  O_RDONLY,
  O_RDWR,
  POLLIN,
  RENAME_NOREPLACE,
  RESOLVE_BENEATH,
  S_IFDIR,
  SECCOMP_FILTER_FLAG_NEW_LISTENER,
} from "./constants.ts";
import { capget, fsuid, getgroups, getresuid, setfsuid, umask } from "./creds.ts";
import { Errno, errnoName, must } from "./errno.ts";
import * as fd from "./fd.ts";
import { allowPath, createRuleset, landlockAbi } from "./landlock.ts";
import { getLimit, RLIMIT_NOFILE } from "./limits.ts";
import * as path from "./path-ops.ts";
import { pidfdGetfd, pidfdOpen, pidfdSendSignal } from "./pidfd.ts";
import { knowsFilterFlags, Listener, notificationSizes } from "./seccomp.ts";
import { gettid, kill } from "./signal.ts";
import { peerCredentials, receiveWithFds, sendWithFds, socketpair } from "./socket.ts";
import { STATX_BASIC_STATS, StatxBuffer } from "./statx.ts";
import { getxattr, removexattr, setxattr } from "./xattr.ts";

const folder = mkdtempSync("/var/tmp/hallpass-ffi-");
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const dirfd = must(path.openat(AT_FDCWD, cstring(folder), O_PATH | O_DIRECTORY | O_CLOEXEC), "open");
afterAll(() => void fd.close(dirfd));

describe("paths", () => {
  test("may begin anywhere in their buffer", () => {
    writeFileSync(join(folder, "name"), "text");
    const buffer = cstring("prefix/name");
    const opened = path.openat(dirfd, buffer, O_RDONLY | O_CLOEXEC, 0, 7);
    expect(opened).toBeGreaterThanOrEqual(0);
    const stat = new StatxBuffer();
    expect(path.fstatx(opened, STATX_BASIC_STATS, stat.words)).toBe(0);
    const node = statSync(join(folder, "name"));
    expect([stat.ino, stat.size, stat.mode, stat.uid]).toEqual([node.ino, 4, node.mode, node.uid]);
    expect(fd.close(opened)).toBe(0);
  });

  test("may hold any byte but NUL", () => {
    const odd = pathBytes(Uint8Array.of(0xff, 0x0a, 0x20, 0xc3));
    expect(path.mkdirat(dirfd, odd, 0o700)).toBe(0);
    const stat = new StatxBuffer();
    expect(path.statx(dirfd, odd, 0, STATX_BASIC_STATS, stat.words)).toBe(0);
    expect(stat.type).toBe(S_IFDIR);
    expect(path.unlinkat(dirfd, odd, 0x200)).toBe(0);
  });

  test("that lead nowhere give the kernel's own number", () => {
    expect(path.openat(dirfd, cstring("nothing"), O_RDONLY)).toBe(-Errno.ENOENT);
    expect(path.openat(dirfd, cstring("name/below"), O_RDONLY)).toBe(-Errno.ENOTDIR);
    expect(path.openat(dirfd, cstring("x".repeat(256)), O_RDONLY)).toBe(-Errno.ENAMETOOLONG);
    expect(path.openat2(dirfd, cstring("../etc"), O_PATH, 0, RESOLVE_BENEATH)).toBe(-Errno.EXDEV);
    expect(path.openat2(dirfd, cstring("name"), 2 ** 40, 0, 0)).toBe(-Errno.EINVAL);
  });

  test("links are read into the middle of a buffer", () => {
    symlinkSync("/somewhere/else", join(folder, "link"));
    const into = new Uint8Array(40).fill(1);
    expect(path.readlinkat(dirfd, cstring("link"), into, 10)).toBe(15);
    expect(ascii(into, 10, 25)).toBe("/somewhere/else");
    expect([into[9], into[25]]).toEqual([1, 1]);
  });

  test("names are made, linked, renamed and removed by folder", () => {
    mkdirSync(join(folder, "to"));
    const to = must(path.openat(dirfd, cstring("to"), O_PATH | O_CLOEXEC), "open");
    expect(path.linkat(dirfd, cstring("name"), to, cstring("hard"), 0)).toBe(0);
    expect(path.renameat2(to, cstring("hard"), dirfd, cstring("name"), RENAME_NOREPLACE)).toBe(-Errno.EEXIST);
    expect(path.renameat2(to, cstring("xhard"), dirfd, cstring("moved"), RENAME_NOREPLACE, 1)).toBe(0);
    expect(path.symlinkat(cstring("target"), to, cstring("soft"))).toBe(0);
    expect(readlinkSync(join(folder, "to", "soft"))).toBe("target");
    expect(path.truncate(cstring(join(folder, "moved")), 2, 0)).toBe(0);
    expect(readFileSync(join(folder, "name"), "utf8")).toBe("te");
    expect(path.unlinkat(dirfd, cstring("moved"), 0)).toBe(0);
    fd.close(to);
  });

  test("an O_PATH descriptor is reached by its magic link", () => {
    writeFileSync(join(folder, "held"), "");
    const held = must(path.openat(dirfd, cstring("held"), O_PATH | O_CLOEXEC), "open");
    const link = cstring(`/proc/self/fd/${held}`);
    expect(path.chmod(link, 0o640)).toBe(0);
    expect(statSync(join(folder, "held")).mode & 0o777).toBe(0o640);
    expect(path.fchmod(held, 0o600)).toBe(-Errno.EBADF);
    expect(setxattr(link, cstring("user.test"), Uint8Array.of(7, 8), 2, 0)).toBe(0);
    const value = new Uint8Array(4);
    expect(getxattr(link, cstring("user.test"), value)).toBe(2);
    expect([...value]).toEqual([7, 8, 0, 0]);
    expect(removexattr(link, cstring("user.test"))).toBe(0);
    fd.close(held);
  });
});

describe("descriptors", () => {
  test("an owned one closes at the end of its block, unless it was handed on", async () => {
    const leaked = await leakedFds(() => {
      using first = new fd.OwnedFd(must(path.openat(dirfd, cstring("name"), O_RDONLY | O_CLOEXEC), "open"));
      const second = new fd.OwnedFd(fd.dup(first.fd));
      const handedOn = second.release();
      second[Symbol.dispose]();
      expect(fd.isOpen(handedOn)).toBe(true);
      fd.close(handedOn);
    });
    expect(leaked).toEqual([]);
  });

  test("are read and written at offsets, beyond 4 GiB too", () => {
    const opened = must(path.openat(dirfd, cstring("big"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600), "open");
    expect(fd.ftruncate(opened, 8, 2)).toBe(0);
    expect(statSync(join(folder, "big")).size).toBe(2 * 2 ** 32 + 8);
    expect(fd.pread(opened, new Uint8Array(16), 2 * 2 ** 32 + 4)).toBe(4);
    expect(fd.write(opened, Uint8Array.of(1, 2, 3), 1)).toBe(2);
    const read = new Uint8Array(4);
    expect(fd.pread(opened, read, 0, 2, 2)).toBe(2);
    expect([...read]).toEqual([0, 0, 2, 3]);
    fd.close(opened);
    expect(fd.read(opened, read)).toBe(-Errno.EBADF);
  });

  test("small files are read whole in one crossing, as far as there is room", () => {
    const into = new Uint8Array(5);
    writeFileSync(join(folder, "small"), "12345678");
    expect(fd.readFile(dirfd, cstring("small"), into)).toBe(5);
    expect(ascii(into)).toBe("12345");
    expect(fd.readFile(dirfd, cstring("none"), into)).toBe(-Errno.ENOENT);
  });

  test("a sealed memfd holds its bytes and takes no others", () => {
    const memfd = fd.sealedMemfd("test", Uint8Array.of(5, 6));
    expect(fd.write(memfd, Uint8Array.of(1))).toBe(-Errno.EPERM);
    const read = new Uint8Array(2);
    expect(fd.pread(memfd, read)).toBe(2);
    expect([...read]).toEqual([5, 6]);
    fd.close(memfd);
  });

  test("an eventfd wakes a wait, and a wait ends by itself", () => {
    const wake = fd.eventfd();
    const listener = new Listener(-1);
    expect(listener.wait(wake, 0)).toBe(0);
    fd.wakeEventfd(wake);
    expect(listener.wait(wake, 1000)).toBe(4);
    expect(fd.pollOne(wake, POLLIN, 0)).toBe(POLLIN);
    fd.close(wake);
  });

  test("travel over sockets, close on exec, and the peer is known", () => {
    const [one, other] = socketpair();
    expect(sendWithFds(one, cstring("hi"), [dirfd, one])).toBe(3);
    const into = new Uint8Array(8);
    const { length, fds } = receiveWithFds(other, into);
    expect([length, fds.length]).toEqual([3, 2]);
    expect(fds.map((received) => fd.fcntl(received, 1))).toEqual([1, 1]);
    expect(peerCredentials(one)).toMatchObject({ pid: process.pid, uid: process.getuid!() });
    for (const received of [...fds, one, other]) fd.close(received);
    expect(receiveWithFds(other, into).length).toBe(-Errno.EBADF);
  });
});

describe("processes", () => {
  test("are held by descriptor, and lend theirs", () => {
    const pidfd = must(pidfdOpen(process.pid), "pidfd_open");
    const copy = pidfdGetfd(pidfd, dirfd);
    expect(readlinkSync(`/proc/self/fd/${copy}`)).toBe(folder);
    expect(pidfdSendSignal(pidfd, 0)).toBe(0);
    expect(kill(2 ** 22 + 1, 0)).toBe(-Errno.ESRCH);
    expect(gettid()).toBe(process.pid);
    for (const one of [copy, pidfd]) fd.close(one);
  });

  test("credentials are those of this thread", () => {
    expect(getresuid()).toEqual([process.getuid!(), process.geteuid!(), process.geteuid!()]);
    expect(fsuid()).toBe(process.geteuid!());
    expect(setfsuid(fsuid())).toBe(true);
    expect(getgroups().filter((group) => !process.getgroups!().includes(group))).toEqual([]);
    const before = umask(0o123);
    expect(umask(before)).toBe(0o123);
    expect(capget(new Uint32Array(6))).toBe(0);
  });

  test("limits come as halves", () => {
    const limit = new Uint32Array(4);
    expect(getLimit(0, RLIMIT_NOFILE, limit)).toBe(0);
    expect(limit[0]).toBeGreaterThan(0);
    expect(getLimit(0, 99, limit)).toBe(-Errno.EINVAL);
  });
});

describe("what the kernel has is asked of the kernel", () => {
  test("seccomp notification, and flags that no kernel knows", () => {
    expect(notificationSizes()).toEqual([80, 24, 64]);
    expect(knowsFilterFlags(SECCOMP_FILTER_FLAG_NEW_LISTENER)).toBe(true);
    expect(knowsFilterFlags(1 << 30)).toBe(false);
    expect(new Listener(dirfd).setSyncWakeUp()).toBe(false);
  });

  needs(kernel("Landlock", () => (landlockAbi() > 0 ? undefined : "none")))(
    "a ruleset of each ABI up to this one",
    () => {
      for (let abi = 1; abi <= landlockAbi(); abi++) {
        const ruleset = createRuleset(abi, 2, 0, 0);
        expect(allowPath(ruleset, dirfd, 2)).toBe(0);
        expect(allowPath(ruleset, dirfd, 4)).toBe(-Errno.EINVAL);
        fd.close(ruleset);
      }
    },
  );
});

test("errors have the kernel's names", () => {
  expect([errnoName(-13), errnoName(38), errnoName(9999)]).toEqual(["EACCES", "ENOSYS", "9999"]);
  expect(() => must(-2, "open", "/x")).toThrow("open: errno 2 (ENOENT /x)");
});
