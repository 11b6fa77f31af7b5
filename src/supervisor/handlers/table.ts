/** Which handler takes which call, and where each keeps its arguments. */
import { cstring } from "../../../ffi/bytes.ts";
import { AT_FDCWD, AT_REMOVEDIR, AT_SYMLINK_NOFOLLOW, O_CREAT, O_TRUNC, O_WRONLY } from "../../../ffi/constants.ts";
import { Errno } from "../../../ffi/errno.ts";
import { openat2 } from "../../../ffi/path-ops.ts";
import type { Supervision } from "../supervision.ts";
import { readArgument } from "../target-memory.ts";
import { exec } from "./exec.ts";
import { changeRoot, mount, onPidfd, onProcess, openByHandle, openTree, refuse, signal } from "./guard.ts";
import { ioctl } from "./ioctl.ts";
import {
  chmod,
  chmodAt,
  chown,
  fchmod,
  fchown,
  readAttribute,
  removeAttribute,
  removeAttributeByFd,
  setAttribute,
  setAttributeByFd,
  setFileAttributes,
  truncatePath,
  utimes,
} from "./metadata.ts";
import { link, mkdir, mknod, rename, symlink, unlink } from "./names.ts";
import { open } from "./open.ts";
import { connect } from "./connect.ts";
import { send } from "./send.ts";
import { bind, socketcall } from "./sockets.ts";
import { readTimespecs, readTimevals, readUtimbuf, type Times } from "./times.ts";

export type Handler = (s: Supervision) => void;

const HERE = AT_FDCWD;

/** Every call that the filter may trap; dispatch.test.ts compares with the classes of syscalls/. */
export const HANDLERS: Readonly<Record<string, Handler>> = {
  open: (s) => open(s, HERE, 0, { flags: s.call.low(1), mode: s.call.low(2), resolve: 0 }),
  creat: (s) => open(s, HERE, 0, { flags: O_CREAT | O_WRONLY | O_TRUNC, mode: s.call.low(1), resolve: 0 }),
  openat: (s) => open(s, s.call.int(0), 1, { flags: s.call.low(2), mode: s.call.low(3), resolve: 0 }),
  openat2: openFromMemory,

  mkdir: (s) => mkdir(s, HERE, 0, 1),
  mkdirat: (s) => mkdir(s, s.call.int(0), 1, 2),
  mknod: (s) => mknod(s, HERE, 0, 1),
  mknodat: (s) => mknod(s, s.call.int(0), 1, 2),
  symlink: (s) => symlink(s, HERE, 1),
  symlinkat: (s) => symlink(s, s.call.int(1), 2),
  unlink: (s) => unlink(s, HERE, 0, 0),
  rmdir: (s) => unlink(s, HERE, 0, AT_REMOVEDIR),
  unlinkat: (s) => unlink(s, s.call.int(0), 1, s.call.low(2)),
  link: (s) => link(s, HERE, 0, HERE, 1, 0),
  linkat: (s) => link(s, s.call.int(0), 1, s.call.int(2), 3, s.call.low(4)),
  rename: (s) => rename(s, HERE, 0, HERE, 1, 0),
  renameat: (s) => rename(s, s.call.int(0), 1, s.call.int(2), 3, 0),
  renameat2: (s) => rename(s, s.call.int(0), 1, s.call.int(2), 3, s.call.low(4)),

  truncate: (s) => truncatePath(s, 0, s.call.low(1), s.call.isCompat ? s.call.int(1) >> 31 : s.call.high(1)),
  truncate64,
  chmod: (s) => chmod(s, HERE, 0, s.call.low(1)),
  fchmod: (s) => fchmod(s, s.call.int(0), s.call.low(1)),
  fchmodat: (s) => chmod(s, s.call.int(0), 1, s.call.low(2)),
  fchmodat2: (s) => chmodAt(s, s.call.int(0), 1, s.call.low(2), s.call.low(3)),
  chown: (s) => chown(s, HERE, 0, oldIds(s, 1), 0),
  lchown: (s) => chown(s, HERE, 0, oldIds(s, 1), AT_SYMLINK_NOFOLLOW),
  fchown: (s) => fchown(s, s.call.int(0), oldIds(s, 1)),
  chown32: (s) => chown(s, HERE, 0, ids(s, 1), 0),
  lchown32: (s) => chown(s, HERE, 0, ids(s, 1), AT_SYMLINK_NOFOLLOW),
  fchown32: (s) => fchown(s, s.call.int(0), ids(s, 1)),
  fchownat: (s) => chown(s, s.call.int(0), 1, ids(s, 2), s.call.low(4)),
  utime: (s) => withTimes(s, HERE, 0, readUtimbuf(s, 1), 0),
  utimes: (s) => withTimes(s, HERE, 0, readTimevals(s, 1), 0),
  futimesat: (s) => withTimes(s, s.call.int(0), 1, readTimevals(s, 2), 0),
  utimensat: (s) => withTimes(s, s.call.int(0), 1, readTimespecs(s, 2, s.call.isCompat), s.call.low(3)),
  utimensat_time64: (s) => withTimes(s, s.call.int(0), 1, readTimespecs(s, 2, false), s.call.low(3)),
  setxattr: (s) => setAttribute(s, HERE, 0, readAttribute(s, 1, 2, s.call.size(3), s.call.low(4)), 0),
  lsetxattr: (s) =>
    setAttribute(s, HERE, 0, readAttribute(s, 1, 2, s.call.size(3), s.call.low(4)), AT_SYMLINK_NOFOLLOW),
  fsetxattr: (s) => setAttributeByFd(s, s.call.int(0), readAttribute(s, 1, 2, s.call.size(3), s.call.low(4))),
  setxattrat: setAttributeAt,
  removexattr: (s) => removeAttribute(s, HERE, 0, 1, 0),
  lremovexattr: (s) => removeAttribute(s, HERE, 0, 1, AT_SYMLINK_NOFOLLOW),
  fremovexattr: (s) => removeAttributeByFd(s, s.call.int(0), 1),
  removexattrat: (s) => removeAttribute(s, s.call.int(0), 1, 3, s.call.low(2)),
  file_setattr: (s) => setFileAttributes(s, s.call.int(0), 1, 2),
  ioctl,

  execve: (s) => exec(s, HERE, 0, 1, 0),
  execveat: (s) => exec(s, s.call.int(0), 1, 2, s.call.low(4)),

  bind: (s) => bind(s),
  connect: (s) => connect(s),
  sendto: (s) => send(s),
  sendmsg: (s) => send(s),
  sendmmsg: (s) => send(s),
  socketcall: (s) => socketcall(s),

  mount,
  umount: mount,
  umount2: mount,
  pivot_root: mount,
  open_tree: (s) => openTree(s, s.call.low(2)),
  open_tree_attr: (s) => openTree(s, s.call.low(2)),
  move_mount: mount,
  fsopen: mount,
  fsconfig: mount,
  fsmount: mount,
  fspick: mount,
  mount_setattr: mount,
  chroot: changeRoot,
  setns: changeRoot,
  open_by_handle_at: (s) => openByHandle(s, s.call.low(2)),
  process_vm_writev: (s) => onProcess(s, s.call.int(0), "write memory"),
  ptrace: (s) => onProcess(s, s.call.int(1), "trace"),
  prlimit64: (s) => onProcess(s, s.call.int(0), "change limits"),
  pidfd_getfd: (s) => onPidfd(s, s.call.int(0), "take a descriptor"),
  pidfd_send_signal: (s) => onPidfd(s, s.call.int(0), "signal"),
  kill: (s) => signal(s, s.call.int(0)),
  tkill: (s) => signal(s, s.call.int(0)),
  tgkill: (s) => signal(s, s.call.int(0)),
  rt_sigqueueinfo: (s) => signal(s, s.call.int(0)),
  rt_tgsigqueueinfo: (s) => signal(s, s.call.int(0)),
  acct: (s) => refuse(s, Errno.EPERM, "account"),
  swapon: (s) => refuse(s, Errno.EPERM, "swap"),
  swapoff: (s) => refuse(s, Errno.EPERM, "swap"),
  quotactl: (s) => refuse(s, Errno.EPERM, "quota"),
  quotactl_fd: (s) => refuse(s, Errno.EPERM, "quota"),
};

/** User and group of a call; 16 bits wide in the first calls of 32-bit architectures, where all ones mean "keep". */
function oldIds(s: Supervision, arg: number): readonly [number, number] {
  if (!s.call.isCompat) return ids(s, arg);
  return [widen(s.call.low(arg)), widen(s.call.low(arg + 1))];
}

function widen(id: number): number {
  return (id & 0xffff) === 0xffff ? 0xffffffff : id & 0xffff;
}

function ids(s: Supervision, arg: number): readonly [number, number] {
  return [s.call.low(arg), s.call.low(arg + 1)];
}

/** 32-bit arm aligns the 64-bit length to an even register. */
function truncate64(s: Supervision): void {
  const arg = s.call.arch === "arm" ? 2 : 1;
  truncatePath(s, 0, s.call.low(arg), s.call.low(arg + 1));
}

function withTimes(s: Supervision, dirfd: number, pathArg: number, times: Times | undefined, flags: number): void {
  if (times === undefined) return;
  if (times !== null && omitsBoth(times)) return s.call.result(0);
  utimes(s, dirfd, pathArg, times, flags);
}

const UTIME_OMIT = (1 << 30) - 2;

function omitsBoth(times: Uint8Array): boolean {
  const words = new Uint32Array(times.buffer);
  return words[2] === UTIME_OMIT && words[6] === UTIME_OMIT;
}

const XATTR_ARGS_SIZE = 16;

/** setxattrat(2), 6.13: value, size and flags lie in memory. */
function setAttributeAt(s: Supervision): void {
  const size = s.call.size(5);
  if (size < XATTR_ARGS_SIZE) return s.call.fail(Errno.EINVAL);
  if (size > 4096) return s.call.fail(Errno.E2BIG);
  const raw = new Uint8Array(size);
  const read = readArgument(s.call, 4, raw, size);
  if (read < 0) return s.refuseUnread(read);
  if (raw.subarray(XATTR_ARGS_SIZE).some((byte) => byte !== 0)) return s.call.fail(Errno.E2BIG);
  const words = new Uint32Array(raw.buffer, 0, 4);
  const attribute = readAttribute(s, 3, { low: words[0]!, high: words[1]! }, words[2]!, words[3]!);
  setAttribute(s, s.call.int(0), 1, attribute, s.call.low(2));
}

const OPEN_HOW_SIZE = 24;
const PAGE = 4096;
const NO_FD = -1;
const ANY_NAME = cstring("x");

function openFromMemory(s: Supervision): void {
  const size = s.call.size(3);
  if (size < OPEN_HOW_SIZE) return s.call.fail(Errno.EINVAL);
  if (size > PAGE) return s.call.fail(Errno.E2BIG);
  const raw = new Uint8Array(size);
  const read = readArgument(s.call, 2, raw, size);
  if (read < 0) return s.refuseUnread(read);
  if (raw.subarray(OPEN_HOW_SIZE).some((byte) => byte !== 0)) return s.call.fail(Errno.E2BIG);
  const [flags, mode, resolve] = Array.from(new BigUint64Array(raw.buffer, 0, 3), Number) as [number, number, number];
  if (mode > 0xffffffff || resolve > 0xffffffff) return s.call.fail(Errno.EINVAL);
  // The kernel itself says whether it knows these flags; with a folder that cannot be, it goes no further.
  const checked = openat2(NO_FD, ANY_NAME, flags, mode, resolve);
  if (checked !== -Errno.EBADF) return s.call.result(checked);
  open(s, s.call.int(0), 1, { flags, mode, resolve, isInMemory: true });
}
