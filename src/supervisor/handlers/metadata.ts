/** Mode, owner, times, attributes and size: by path or by a descriptor, on exactly the object that was judged. */
import { EMPTY_PATH } from "../../../ffi/bytes.ts";
import { AT_EMPTY_PATH, AT_FDCWD, AT_SYMLINK_NOFOLLOW, O_PATH, S_IFLNK } from "../../../ffi/constants.ts";
import { Errno } from "../../../ffi/errno.ts";
import { statusFlags } from "../../../ffi/fd.ts";
import {
  chmod as chmodPath,
  fchmod as fchmodFd,
  fchmodat2,
  fchownat,
  fstatx,
  truncate,
  utimensat,
  futimens,
} from "../../../ffi/path-ops.ts";
import { STATX_TYPE } from "../../../ffi/statx.ts";
import {
  fileSetattr,
  fremovexattr,
  fsetxattr,
  lremovexattr,
  lsetxattr,
  removexattr,
  setxattr,
} from "../../../ffi/xattr.ts";
import { getLimit } from "../../../ffi/limits.ts";
import { tgkill } from "../../../ffi/signal.ts";
import { Tier } from "../../policy/rule.ts";
import { NO_RULE, tierOfVerdict } from "../../policy/verdict.ts";
import type { Operation } from "../../session/request.ts";
import { borrow } from "../borrowed.ts";
import { withoutContent } from "../git-content.ts";
import { readStatus } from "../process-status.ts";
import type { Deed, Supervision } from "../supervision.ts";
import { readArgument, readAt, readText } from "../target-memory.ts";
import { owningFails, writingFails } from "../would-fail.ts";
import { findName } from "./names.ts";

/** Finds the object of a path argument; false if the call was answered. `flags`: AT_SYMLINK_NOFOLLOW, AT_EMPTY_PATH. */
export function findObject(s: Supervision, dirfd: number, pathArg: number, flags: number): boolean {
  if (!s.readPath(pathArg, s.path)) return false;
  const isEmpty = s.path.length === 0 && (flags & AT_EMPTY_PATH) !== 0;
  const found = isEmpty
    ? s.lookup.descriptor(dirfd, s.first)
    : s.lookup.object(dirfd, s.path, (flags & AT_SYMLINK_NOFOLLOW) === 0, s.first);
  if (found < 0) s.call.result(found);
  return found === 0;
}

/** Decides a change of the object that was found, and makes it. */
function change(s: Supervision, operation: Operation, deed: Deed): void {
  if (isNowhere(s)) return s.carryOut(deed);
  const found = s.writeVerdict(s.first);
  const verdict = operation === "truncate" ? found : keptDevice(s, operation, withoutContent(found));
  s.perform("write", [{ operation, place: s.first, verdict }], deed);
}

/** What may be written to like /dev/null is the machine's all the same: its mode and owner are not. */
function keptDevice(s: Supervision, operation: Operation, verdict: number): number {
  const { real, isPrivate } = s.first;
  if (
    isPrivate ||
    operation === "change times" ||
    tierOfVerdict(verdict) !== Tier.implicit ||
    !real.startsWith(DEVICES)
  )
    return verdict;
  return OWN_BELOW_DEV.some((folder) => real.startsWith(folder)) ? verdict : NO_RULE;
}

const DEVICES = latin("/dev/");
/** What the session made there is its own. */
const OWN_BELOW_DEV = [latin("/dev/pts/"), latin("/dev/shm/")];

function latin(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** Pipes, sockets, memory files: nothing that anybody else can come to. */
function isNowhere(s: Supervision): boolean {
  if (!s.first.isNameless) return false;
  const { real } = s.first;
  return real.length === 0 || real.bytes[0] !== 0x2f || real.startsWith(MEMORY);
}

const MEMORY = latin("/memfd:");

/** A change through a descriptor of the caller: `run` gets our copy of it. */
export function changeByFd(s: Supervision, fd: number, operation: Operation, run: (copy: number) => number): void {
  const copy = borrow(s.call.tid, fd);
  if (copy < 0) return refuseBorrow(s, copy);
  s.first.object = copy;
  // An O_PATH descriptor changes nothing: EBADF, as the kernel finds out by itself.
  const found = (statusFlags(copy) & O_PATH) !== 0 ? -Errno.EBADF : s.lookup.realPath.of(copy, s.first.real);
  if (found < 0) return s.call.result(found);
  s.first.isNameless = s.lookup.realPath.dropDeleted(copy, s.first.real);
  change(s, operation, { wouldFail: () => owningFails(s.first), run: () => run(copy) });
}

export function refuseBorrow(s: Supervision, error: number): void {
  if (error === -Errno.EBADF || error === -Errno.ESRCH) return s.call.result(error);
  s.refuseUnread(-Errno.EPERM);
}

export function chmod(s: Supervision, dirfd: number, pathArg: number, mode: number): void {
  if (!findObject(s, dirfd, pathArg, 0)) return;
  change(s, "change mode", {
    wouldFail: () => owningFails(s.first),
    run: () => chmodPath(s.lookup.own.of(s.first.object), mode),
  });
}

/** fchmodat2(2): also of a link itself, which file systems refuse in their own words. */
export function chmodAt(s: Supervision, dirfd: number, pathArg: number, mode: number, flags: number): void {
  if ((flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)) !== 0) return s.call.fail(Errno.EINVAL);
  if (!findObject(s, dirfd, pathArg, flags)) return;
  change(s, "change mode", {
    wouldFail: () => owningFails(s.first),
    run: () => fchmodat2(s.first.object, EMPTY_PATH, mode, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW),
  });
}

export function fchmod(s: Supervision, fd: number, mode: number): void {
  changeByFd(s, fd, "change mode", (copy) => fchmodFd(copy, mode));
}

export function chown(
  s: Supervision,
  dirfd: number,
  pathArg: number,
  ids: readonly [number, number],
  flags: number,
): void {
  if ((flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)) !== 0) return s.call.fail(Errno.EINVAL);
  if (!findObject(s, dirfd, pathArg, flags)) return;
  change(s, "change owner", {
    wouldFail: () => owningFails(s.first),
    run: () => fchownat(s.first.object, EMPTY_PATH, ids[0], ids[1], AT_EMPTY_PATH),
  });
}

export function fchown(s: Supervision, fd: number, ids: readonly [number, number]): void {
  changeByFd(s, fd, "change owner", (copy) => fchownat(copy, EMPTY_PATH, ids[0], ids[1], AT_EMPTY_PATH));
}

/** `times`: 32 bytes, or null for now. Without a path the descriptor itself is meant. */
export function utimes(s: Supervision, dirfd: number, pathArg: number, times: Uint8Array | null, flags: number): void {
  if (s.call.isNull(pathArg) && dirfd !== AT_FDCWD) {
    if (flags !== 0) return s.call.fail(Errno.EINVAL);
    return changeByFd(s, dirfd, "change times", (copy) => futimens(copy, times));
  }
  if ((flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)) !== 0) return s.call.fail(Errno.EINVAL);
  if (!findObject(s, dirfd, pathArg, flags)) return;
  change(s, "change times", {
    wouldFail: () => owningFails(s.first),
    run: () => utimensat(s.first.object, EMPTY_PATH, times, AT_EMPTY_PATH),
  });
}

const RLIMIT_FSIZE = 1;
const SIGXFSZ = 25;

export function truncatePath(s: Supervision, pathArg: number, low: number, high: number): void {
  if (high >>> 31 !== 0) return s.call.fail(Errno.EINVAL);
  if (!findObject(s, AT_FDCWD, pathArg, 0)) return;
  change(s, "truncate", {
    wouldFail: () => writingFails(s.first),
    run: () => limited(s, low, high) || truncate(s.lookup.own.of(s.first.object), low, high),
  });
}

/** Beyond the caller's limit of file size the kernel sends a signal. */
function limited(s: Supervision, low: number, high: number): number {
  const limit = new Uint32Array(4);
  const { tid } = s.call;
  if (getLimit(tid, RLIMIT_FSIZE, limit) < 0) return 0;
  const isBeyond = high > limit[1]! || (high === limit[1]! && low > limit[0]!);
  if (!isBeyond) return 0;
  tgkill(readStatus(tid)?.tgid ?? tid, tid, SIGXFSZ);
  return -Errno.EFBIG;
}

const XATTR_NAME_MAX = 255;
const XATTR_SIZE_MAX = 65536;

interface Attribute {
  readonly name: Uint8Array;
  readonly value: Uint8Array | null;
  readonly size: number;
  readonly flags: number;
}

/** The name argument with its NUL; undefined if the call was answered. */
function readAttributeName(s: Supervision, arg: number): Uint8Array | undefined {
  const name = new Uint8Array(XATTR_NAME_MAX + 1);
  const length = readText(s.call, arg, name, name.length);
  if (length === 0 || length === -Errno.ENAMETOOLONG) s.call.fail(ERANGE);
  else if (length < 0) s.refuseUnread(length);
  return length > 0 ? name : undefined;
}

const ERANGE = 34;

/** `value`: the index of the argument, or the address itself. */
export function readAttribute(
  s: Supervision,
  nameArg: number,
  valueAt: number | { readonly low: number; readonly high: number },
  size: number,
  flags: number,
): Attribute | undefined {
  if ((flags & ~3) !== 0) return void s.call.fail(Errno.EINVAL);
  const name = readAttributeName(s, nameArg);
  if (!name) return undefined;
  if (size > XATTR_SIZE_MAX) return void s.call.fail(Errno.E2BIG);
  const value = size === 0 ? null : new Uint8Array(size);
  const at = typeof valueAt === "number" ? { low: s.call.low(valueAt), high: s.call.high(valueAt) } : valueAt;
  const read = value === null ? 0 : readAt(s.call, at.low, at.high, value, size);
  if (read < 0) return void s.refuseUnread(read);
  return { name, value, size, flags };
}

export function setAttribute(
  s: Supervision,
  dirfd: number,
  pathArg: number,
  attribute: Attribute | undefined,
  flags: number,
): void {
  if (!attribute) return;
  const { name, value, size, flags: how } = attribute;
  changeAttribute(s, dirfd, pathArg, flags, (path, isLink) =>
    (isLink ? lsetxattr : setxattr)(path, name, value, size, how),
  );
}

export function removeAttribute(s: Supervision, dirfd: number, pathArg: number, nameArg: number, flags: number): void {
  const name = readAttributeName(s, nameArg);
  if (!name) return;
  changeAttribute(s, dirfd, pathArg, flags, (path, isLink) => (isLink ? lremovexattr : removexattr)(path, name));
}

/** Attributes have no call on an O_PATH descriptor before 6.13: a file is reached through /proc, a link by its name. */
function changeAttribute(
  s: Supervision,
  dirfd: number,
  pathArg: number,
  flags: number,
  run: (path: Uint8Array, isLink: boolean) => number,
): void {
  if (!findObject(s, dirfd, pathArg, flags)) return;
  const isLink = fstatx(s.first.object, STATX_TYPE, s.first.stat.words) === 0 && s.first.stat.type === S_IFLNK;
  if (isLink && !findName(s, dirfd, pathArg, s.second)) return;
  const { own } = s.lookup;
  change(s, "change attributes", {
    wouldFail: () => writingFails(s.first),
    run: () =>
      isLink
        ? run(own.child(s.second.parent, s.second.name, s.second.nameLength), true)
        : run(own.of(s.first.object), false),
  });
}

export function setAttributeByFd(s: Supervision, fd: number, attribute: Attribute | undefined): void {
  if (!attribute) return;
  const { name, value, size, flags } = attribute;
  changeByFd(s, fd, "change attributes", (copy) => fsetxattr(copy, name, value, size, flags));
}

export function removeAttributeByFd(s: Supervision, fd: number, nameArg: number): void {
  const name = readAttributeName(s, nameArg);
  if (name) changeByFd(s, fd, "change attributes", (copy) => fremovexattr(copy, name));
}

const FILE_ATTR_SIZE = 24;
const LARGEST_ATTR = 4096;

/** file_setattr(2), 6.17. */
export function setFileAttributes(s: Supervision, dirfd: number, pathArg: number, attrArg: number): void {
  const size = s.call.size(3);
  const flags = s.call.low(4);
  if ((flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)) !== 0 || size < FILE_ATTR_SIZE) return s.call.fail(Errno.EINVAL);
  if (size > LARGEST_ATTR) return s.call.fail(Errno.E2BIG);
  const attributes = new Uint8Array(size);
  const read = readArgument(s.call, attrArg, attributes, size);
  if (read < 0) return s.refuseUnread(read);
  if (!findObject(s, dirfd, pathArg, flags)) return;
  change(s, "change flags", {
    wouldFail: () => owningFails(s.first),
    run: () => fileSetattr(s.first.object, EMPTY_PATH, attributes, size, AT_EMPTY_PATH),
  });
}
