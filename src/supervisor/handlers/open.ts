/** Opens that can change something: continued behind the fence, or made here and handed over. */
import {
  __O_TMPFILE,
  AT_EACCESS,
  AT_FDCWD,
  AT_SYMLINK_NOFOLLOW,
  O_ACCMODE,
  O_CLOEXEC,
  O_CREAT,
  O_DIRECTORY,
  O_EXCL,
  O_NOCTTY,
  O_NOFOLLOW,
  O_NONBLOCK,
  O_PATH,
  O_TRUNC,
  O_APPEND,
  S_IFBLK,
  S_IFCHR,
  S_IFDIR,
  S_IFIFO,
  S_IFLNK,
  S_IFREG,
} from "../../../ffi/constants.ts";
import { cstring } from "../../../ffi/bytes.ts";
import { Errno } from "../../../ffi/errno.ts";
import { setStatusFlags, statusFlags } from "../../../ffi/fd.ts";
import { faccessat2, fstatx, openat, readlinkat, statx } from "../../../ffi/path-ops.ts";
import { STATX_BASIC_STATS } from "../../../ffi/statx.ts";
import type { Operation } from "../../session/request.ts";
import { roomForFd } from "../descriptor-room.ts";
import { isDots, PATH_MAX } from "../path-bytes.ts";
import type { Place } from "../place.ts";
import { controllingPty } from "../process-status.ts";
import { FREE, isControllingTerminal, isPromptDevice } from "../specials.ts";
import type { Supervision, Target } from "../supervision.ts";
import { readPath, UNREADABLE } from "../target-memory.ts";
import { makingFails, searchingFails, writingFails } from "../would-fail.ts";

const MOST_LINKS = 40;

/** What open(2) takes beside the path; `resolve` of openat2. */
export interface OpenHow {
  readonly flags: number;
  readonly mode: number;
  readonly resolve: number;
  /** The caller can still change them. */
  readonly isInMemory?: boolean;
}

/** Bits without which an open changes nothing. */
export const CHANGES = 3 | O_CREAT | O_TRUNC | O_APPEND | __O_TMPFILE;

/** Flags that go together with some others only, which the kernel looks at before the path: it is asked itself. */
const ODD = __O_TMPFILE | O_DIRECTORY;
const NO_FD = -1;
const ANY_NAME = cstring("x");

export function open(s: Supervision, dirfd: number, pathArg: number, how: OpenHow): void {
  // Such a descriptor gives no right to anything: every other flag is ignored.
  if ((how.flags & O_PATH) !== 0) return openPath(s, how);
  if ((how.flags & ODD) !== 0) {
    const checked = openat(NO_FD, ANY_NAME, how.flags, how.mode);
    if (checked !== -Errno.EBADF) return s.call.result(checked);
  }
  const read = readPath(s.call, pathArg, s.path);
  if (read === UNREADABLE && mayGoUnread(s, how)) return s.call.continue();
  if (read < 0) return s.refuseUnread(read);
  if (s.fence.mayContinue(s, dirfd, how)) return s.call.continue();
  openRead(s, dirfd, how);
}

/**
 * The kernel hands over no such descriptor, so it has to make it; the flags of openat2 may be others by then. Where no
 * sound fence stands behind it the call is not there: its users know openat.
 */
function openPath(s: Supervision, how: OpenHow): void {
  if (how.isInMemory && !isFenced(s)) return s.call.fail(Errno.ENOSYS);
  s.call.continue();
}

function isFenced(s: Supervision): boolean {
  return s.setup.hasFence && s.fence.isSound;
}

/** Nobody knows the path, but a sound fence lets through only what is free: existing files of the session's own. */
function mayGoUnread(s: Supervision, how: OpenHow): boolean {
  return isFenced(s) && (how.flags & (O_CREAT | __O_TMPFILE)) === 0;
}

/** The path is read already. */
export function openRead(s: Supervision, dirfd: number, how: OpenHow): void {
  const found = find(s, dirfd, how);
  if (found < 0) return s.call.result(found);
  const { first } = s;
  const isThere = first.object >= 0 || first.stat.words[0] !== 0;
  if ((how.flags & CHANGES) === 0) return finish(s, how, isThere);
  if (!s.permit("write", [targetOf(s, how, isThere)], () => openingFails(s, how, isThere))) return;
  finish(s, how, isThere);
}

/** Fills s.first: the object (without O_CREAT), or the folder and name with `stat`, whose mask is 0 for no such name. */
function find(s: Supervision, dirfd: number, how: OpenHow): number {
  const { first } = s;
  first.stat.words[0] = 0;
  if ((how.flags & O_CREAT) !== 0) return findForCreate(s, dirfd, how);
  const isFollowed = (how.flags & O_NOFOLLOW) === 0;
  const found = s.lookup.object(dirfd, s.path, isFollowed, first, how.resolve);
  if (found < 0) return found;
  return Math.min(fstatx(first.object, STATX_BASIC_STATS, first.stat.words), 0);
}

function findForCreate(s: Supervision, dirfd: number, how: OpenHow): number {
  let found = s.lookup.parent(dirfd, s.path, s.first, how.resolve);
  for (let links = 0; found === 0; links++) {
    const { first } = s;
    if (isFolderName(first)) return s.asCaller(() => searchingFails(first)) || folderError(first, how);
    const looked = s.asCaller(() =>
      statx(first.parent, first.name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, first.stat.words),
    );
    if (looked === -Errno.ENOENT) return noteMissing(first);
    if (looked < 0) return looked;
    if (first.stat.type !== S_IFLNK || (how.flags & O_EXCL) !== 0) return 0;
    if ((how.flags & O_NOFOLLOW) !== 0) return linkError(how);
    if (links >= MOST_LINKS) return -Errno.ELOOP;
    found = followLast(s, dirfd, how);
    if (found === 0 && s.first.object >= 0) return 0;
  }
  return found;
}

function isFolderName({ name, nameLength, hasSlashBehind }: Place): boolean {
  return hasSlashBehind || name[0] === 0x2f || isDots(name, nameLength);
}

/** The kernel asks whether ".", ".." and "/" are new before it asks what they are. */
function folderError({ name, nameLength }: Place, { flags }: OpenHow): number {
  const isThere = name[0] === 0x2f || isDots(name, nameLength);
  return isThere && (flags & O_EXCL) !== 0 ? -Errno.EEXIST : -Errno.EISDIR;
}

/** Of a link that is not followed. */
function linkError({ flags }: OpenHow): number {
  return (flags & O_DIRECTORY) === 0 ? -Errno.ELOOP : -Errno.ENOTDIR;
}

function noteMissing(place: Place): number {
  place.stat.words[0] = 0;
  return 0;
}

/** The last name is a symlink: on to the folder and name that it stands for, or through a magic link to the object. */
function followLast(s: Supervision, dirfd: number, how: OpenHow): number {
  const { first, second, otherPath } = s;
  const length = readlinkat(first.parent, first.name, otherPath.bytes, 0, PATH_MAX);
  if (length < 0) return length;
  if (length === 0) return -Errno.ENOENT;
  otherPath.end(length);
  if (how.resolve !== 0 || s.lookup.isOnProc(first.parent)) return followElsewhere(s, dirfd, how);
  const found = s.lookup.parentFrom(first.parent, otherPath, second);
  if (found < 0) return found;
  s.swapPlaces();
  s.second.close();
  return 0;
}

/** Magic links and RESOLVE_ flags: whether the whole path leads to something says more than its last link. */
function followElsewhere(s: Supervision, dirfd: number, how: OpenHow): number {
  s.first.close();
  s.first.stat.words[0] = 0;
  const found = s.lookup.object(dirfd, s.path, true, s.first, how.resolve);
  if (found < 0) return found;
  return Math.min(fstatx(s.first.object, STATX_BASIC_STATS, s.first.stat.words), 0);
}

function targetOf(s: Supervision, how: OpenHow, isThere: boolean): Target {
  const { first } = s;
  const operation = operationOf(how, isThere);
  if (isThere && first.isNameless && first.real.bytes[0] !== 0x2f) return { operation, place: first, verdict: FREE };
  if ((how.flags & __O_TMPFILE) !== 0) return { operation, place: first, verdict: s.unnamedVerdict(first, how.flags) };
  return { operation, place: first, verdict: s.writeVerdict(first, isThere) };
}

function operationOf({ flags }: OpenHow, isThere: boolean): Operation {
  if (!isThere || (flags & __O_TMPFILE) !== 0) return "create";
  if ((flags & O_TRUNC) !== 0) return "overwrite";
  return (flags & O_APPEND) !== 0 ? "append" : "write";
}

function openingFails(s: Supervision, how: OpenHow, isThere: boolean): number {
  const { first } = s;
  if (!isThere) return makingFails(first, false);
  if ((how.flags & (O_CREAT | O_EXCL)) === (O_CREAT | O_EXCL)) return -Errno.EEXIST;
  const isFolder = first.stat.type === S_IFDIR;
  if ((how.flags & __O_TMPFILE) !== 0) return isFolder ? writingFails(first) : -Errno.ENOTDIR;
  if (isFolder) return -Errno.EISDIR;
  if ((how.flags & O_DIRECTORY) !== 0) return -Errno.ENOTDIR;
  if (first.stat.type === S_IFLNK) return linkError(how);
  if (first.object >= 0) return writingFails(first);
  return faccessat2(first.parent, first.name, 2, AT_EACCESS | AT_SYMLINK_NOFOLLOW);
}

/** Makes the open, with the caller's credentials, and hands over the descriptor. */
function finish(s: Supervision, how: OpenHow, isThere: boolean): void {
  if (isThere && isControllingTerminal(s.first)) return openTerminal(s, how);
  if (isThere && blocks(s.first, how)) return s.means.openBlocking(s, how);
  const makes = !isThere || (how.flags & __O_TMPFILE) !== 0;
  const changes = makes || (how.flags & O_TRUNC) !== 0;
  s.carryOut({
    makes,
    ...(isThere ? {} : { named: s.first }),
    ...(changes ? { check: (status) => roomForFd(s.call.tid, status) } : {}),
    run: () => openHere(s, how, isThere),
  });
}

/** /dev/tty means the caller's own terminal; without a sound fence its path may come to mean anything in the kernel. */
function openTerminal(s: Supervision, how: OpenHow): void {
  if (isFenced(s)) return s.call.continue();
  const pty = controllingPty(s.call.tid);
  if (pty < 0) return s.call.result(pty);
  s.carryOut({
    run: () => {
      const fd = openat(AT_FDCWD, cstring(`/dev/pts/${pty}`), (how.flags & ~O_CREAT) | O_CLOEXEC | O_NOCTTY);
      if (fd >= 0) s.giveFd(fd, (how.flags & O_CLOEXEC) !== 0);
      return Math.min(fd, 0);
    },
  });
}

/** A FIFO waits for its other side, a device for whatever it likes. */
function blocks(place: Place, how: OpenHow): boolean {
  const { type } = place.stat;
  if (type === S_IFIFO) return (how.flags & O_NONBLOCK) === 0 && (how.flags & O_ACCMODE) !== 2;
  if (isPromptDevice(place)) return false;
  return (type === S_IFCHR || type === S_IFBLK) && (how.flags & O_NONBLOCK) === 0;
}

function openHere(s: Supervision, how: OpenHow, isThere: boolean): number {
  const fd = openFile(s, how, isThere);
  if (fd === -Errno.EAGAIN && isThere && s.first.stat.type === S_IFREG && (how.flags & O_NONBLOCK) === 0) {
    s.means.openBlocking(s, how);
    return 0;
  }
  if (fd < 0) return fd;
  s.giveFd(fd, (how.flags & O_CLOEXEC) !== 0);
  return 0;
}

/**
 * A regular file is opened without waiting for whoever holds a lease on it; the flag is taken back at once where the
 * caller did not set it.
 */
function openFile(s: Supervision, how: OpenHow, isThere: boolean): number {
  const waits = isThere && s.first.stat.type === S_IFREG && (how.flags & O_NONBLOCK) === 0;
  const fd = openObject(s, how, waits ? O_NONBLOCK : 0);
  if (fd >= 0 && waits) setStatusFlags(fd, statusFlags(fd) & ~O_NONBLOCK);
  return fd;
}

/** By the name in its folder where there is one, for that is what O_CREAT and sticky folders look at. */
export function openObject(s: Supervision, how: OpenHow, more: number): number {
  const { first, lookup } = s;
  const flags = how.flags | O_CLOEXEC | O_NOCTTY | more;
  const mode = (how.flags & (O_CREAT | __O_TMPFILE)) !== 0 ? how.mode & 0o7777 : 0;
  if (first.object < 0) return openat(first.parent, first.name, flags | O_NOFOLLOW, mode);
  if (first.stat.type === S_IFLNK) return linkError(how);
  if ((flags & (O_CREAT | O_EXCL)) === (O_CREAT | O_EXCL)) return -Errno.EEXIST;
  return openat(AT_FDCWD, lookup.own.of(first.object), flags & ~(O_NOFOLLOW | O_CREAT), mode);
}
