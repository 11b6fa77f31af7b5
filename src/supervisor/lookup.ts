/**
 * Follows a caller's path as the kernel would for it. The kernel itself does the walking: one openat2 that refuses magic
 * links, from the caller's own folder. What it cannot do for somebody else (/proc/self, magic links, another root) is
 * walked name by name in walk.ts.
 */
import { EMPTY_PATH, cstring } from "../../ffi/bytes.ts";
import {
  AT_EMPTY_PATH,
  AT_FDCWD,
  AT_SYMLINK_NOFOLLOW,
  O_CLOEXEC,
  O_DIRECTORY,
  O_NOFOLLOW,
  O_PATH,
  RESOLVE_IN_ROOT,
  RESOLVE_NO_MAGICLINKS,
} from "../../ffi/constants.ts";
import { Errno } from "../../ffi/errno.ts";
import { close, fstatfs } from "../../ffi/fd.ts";
import { openat2, statx } from "../../ffi/path-ops.ts";
import { STATX, STATX_INO, STATX_MNT_ID, StatxBuffer } from "../../ffi/statx.ts";
import type { Call } from "./call.ts";
import type { Disguise } from "./credentials.ts";
import { OWN_TMPFS } from "./foreign-mounts.ts";
import { type PathBytes, splitLast, type Split } from "./path-bytes.ts";
import type { Place } from "./place.ts";
import { CWD_THERE, FdName, MOUNT_NAMESPACE, OwnFdPath, ProcPath, ROOT } from "./proc-path.ts";
import { RealPath } from "./real-path.ts";
import { isSlow, openCached, TooSlow } from "./slow-mounts.ts";
import type { Tasks } from "./tasks.ts";
import { PROC_SUPER_MAGIC, Walk } from "./walk.ts";

const FOLDER = O_PATH | O_DIRECTORY | O_CLOEXEC;
const OBJECT = O_PATH | O_CLOEXEC;
const IDENTITY = STATX_INO | STATX_MNT_ID;
const SLASH_PATH = cstring("/");
const DOT = 0x2e;

export class Lookup {
  /** Nothing may wait: a look-up that would have to ask a server or a disk is left to an action worker. */
  isCareful = false;
  /** Callers may have another root or mount namespace than ours: each is looked at. */
  rootsMayDiffer = false;
  readonly own = new OwnFdPath();
  readonly realPath = new RealPath(this.own);
  private readonly proc = new ProcPath();
  private readonly fdName = new FdName();
  private readonly walk: Walk;
  private readonly split: Split = { start: 0, length: 0, hasSlashBehind: false };
  private readonly ownRoot = new StatxBuffer();
  private readonly ownMounts: number;
  private readonly theirRoot = new StatxBuffer();
  private readonly ownPid = Uint8Array.from(`/${process.pid}`, (digit) => digit.charCodeAt(0));

  constructor(
    private readonly call: Call,
    private readonly tasks: Tasks,
    private readonly disguise: Disguise,
    isInside: (pid: number) => boolean,
  ) {
    this.walk = new Walk(call, this.proc, this.realPath, disguise, isInside);
    statx(AT_FDCWD, this.proc.of(process.pid, MOUNT_NAMESPACE), 0, STATX_INO, this.ownRoot.words);
    this.ownMounts = this.ownRoot.ino;
    statx(AT_FDCWD, SLASH_PATH, 0, IDENTITY, this.ownRoot.words);
  }

  /**
   * The folder of the path's last name, held, and the name, not followed: for calls that make, remove or rename names.
   * 0 or -errno.
   */
  parent(dirfd: number, path: PathBytes, place: Place, resolve = 0): number {
    if (path.length === 0) return -Errno.ENOENT;
    splitLast(path, this.split);
    const { start, length, hasSlashBehind } = this.split;
    place.setName(path.bytes, start, length, hasSlashBehind);
    if (length === 0) place.setName(SLASH_PATH, 0, 1, false);
    const isForeign = this.isForeign();
    const folder = isForeign ? -Errno.ELOOP : this.openFolder(dirfd, path, start, resolve);
    // The kernel may have gone by our own /proc/self: only a walk knows what the caller would have met.
    if (folder < 0) return resolve === 0 ? this.walkToParent(dirfd, path, place) : folder;
    place.parent = folder;
    const result = this.nameIn(place);
    if (result === 0 && this.namesUs(place.real)) {
      place.close();
      return this.walkToParent(dirfd, path, place);
    }
    return result;
  }

  private walkToObject(dirfd: number, path: PathBytes, isFollowed: boolean, place: Place): number {
    this.walk.isCareful = this.isCareful;
    return this.walk.object(dirfd, path, isFollowed, place);
  }

  private walkToParent(dirfd: number, path: PathBytes, place: Place): number {
    this.walk.isCareful = this.isCareful;
    const result = this.walk.parent(dirfd, path, place);
    place.isOurPath = false;
    return result;
  }

  /** From a folder that is held already: a link's text seen from where the link is. */
  parentFrom(folder: number, path: PathBytes, place: Place): number {
    if (path.length === 0) return -Errno.ENOENT;
    splitLast(path, this.split);
    const { start, length, hasSlashBehind } = this.split;
    place.setName(path.bytes, start, length, hasSlashBehind);
    if (length === 0) place.setName(SLASH_PATH, 0, 1, false);
    const fd = this.isForeign() ? -Errno.ELOOP : this.openBelow(folder, path, start, 0);
    place.parent = fd;
    const result = fd < 0 ? fd : this.nameIn(place);
    if (result === 0 && !this.namesUs(place.real)) return 0;
    place.close();
    this.walk.isCareful = this.isCareful;
    const walked = this.walk.parentFrom(folder, path, place);
    place.isOurPath = false;
    return walked;
  }

  /** The object itself, held; a symlink only where it is not followed. 0 or -errno. */
  object(dirfd: number, path: PathBytes, isFollowed: boolean, place: Place, resolve = 0): number {
    if (path.length === 0) return -Errno.ENOENT;
    const fd = this.isForeign() ? -Errno.ELOOP : this.openObject(dirfd, path, isFollowed, resolve);
    if (fd < 0) return resolve === 0 ? this.walkToObject(dirfd, path, isFollowed, place) : fd;
    place.object = fd;
    const result = this.realPath.of(fd, place.real);
    if (result === -Errno.ENAMETOOLONG) return this.deepObject(dirfd, path, place);
    if (result < 0) return result;
    if (this.namesUs(place.real)) {
      place.close();
      return this.walkToObject(dirfd, path, isFollowed, place);
    }
    place.isNameless = this.realPath.dropDeleted(fd, place.real);
    return 0;
  }

  /** What the caller's descriptor is open on (AT_EMPTY_PATH, or a folder to start from). 0 or -errno. */
  descriptor(dirfd: number, place: Place): number {
    const fd = this.openBase(dirfd, OBJECT);
    if (fd < 0) return fd;
    place.object = fd;
    this.isForeign();
    const result = this.realPath.of(fd, place.real);
    if (result < 0) return result;
    place.isPrivate = result === OWN_TMPFS;
    place.isNameless = this.realPath.dropDeleted(fd, place.real);
    return 0;
  }

  /** The real path of `place.parent` and the name. */
  nameIn(place: Place): number {
    const result = this.realPath.of(place.parent, place.real);
    if (result < 0) return result;
    this.realPath.dropDeleted(place.parent, place.real);
    return place.real.appendName(place.name, place.nameLength) ? 0 : -Errno.ENAMETOOLONG;
  }

  /** The caller's folder for a relative path: its working directory or one of its descriptors. */
  openBase(dirfd: number, flags: number): number {
    const { tid } = this.call;
    if (dirfd === AT_FDCWD) return this.tasks.open(tid, CWD_THERE, flags);
    if (dirfd < 0) return -Errno.EBADF;
    const fd = this.tasks.open(tid, this.fdName.of(dirfd), flags);
    return fd === -Errno.ENOENT ? -Errno.EBADF : fd;
  }

  /** The folder is in a proc file system, whose links are made for whoever looks. */
  isOnProc(folder: number): boolean {
    const words = new Uint32Array(30);
    return fstatfs(folder, new Uint8Array(words.buffer)) === 0 && words[0] === PROC_SUPER_MAGIC;
  }

  /** Another root folder or another mount namespace (its root is then another mount). */
  isForeign(): boolean {
    this.realPath.foreign = 0;
    if (!this.rootsMayDiffer) return false;
    const { ownRoot, theirRoot } = this;
    const { tid } = this.call;
    if (this.isInOtherMounts()) this.realPath.foreign = tid;
    if (statx(AT_FDCWD, this.proc.of(tid, ROOT), 0, IDENTITY, theirRoot.words) < 0) return true;
    return (
      theirRoot.ino !== ownRoot.ino ||
      theirRoot.dev !== ownRoot.dev ||
      theirRoot.words[STATX.mountLow] !== ownRoot.words[STATX.mountLow]
    );
  }

  /** Another mount namespace, in which any path may be any place. */
  isInOtherMounts(): boolean {
    const { theirRoot } = this;
    const found = statx(AT_FDCWD, this.proc.of(this.call.tid, MOUNT_NAMESPACE), 0, STATX_INO, theirRoot.words);
    return found < 0 || theirRoot.ino !== this.ownMounts;
  }

  private openFolder(dirfd: number, path: PathBytes, start: number, resolve: number): number {
    if (path.isAbsolute && (resolve & RESOLVE_IN_ROOT) === 0) return this.openBelow(AT_FDCWD, path, start, resolve);
    if (start === 0 && resolve === 0) return this.openBase(dirfd, FOLDER);
    const base = this.openBase(dirfd, OBJECT);
    if (base < 0) return base;
    try {
      return this.openBelow(base, path, start, resolve);
    } finally {
      close(base);
    }
  }

  /** The part of the path before its last name, from `base`, which must give leave to be searched. */
  private openBelow(base: number, path: PathBytes, start: number, resolve: number): number {
    const { bytes } = path;
    const saved = bytes[start]!;
    const next = bytes[start + 1]!;
    bytes[start] = DOT;
    bytes[start + 1] = 0;
    try {
      return this.open(base, bytes, FOLDER, resolve);
    } finally {
      bytes[start] = saved;
      bytes[start + 1] = next;
    }
  }

  private open(base: number, path: Uint8Array, flags: number, resolve: number): number {
    const { disguise } = this;
    const how = RESOLVE_NO_MAGICLINKS | resolve;
    const fd = disguise.isRoot
      ? disguise.search(this.call.tid, () => this.openNow(base, path, flags, how))
      : this.openNow(base, path, flags, how);
    if (this.isCareful && fd >= 0 && isSlow(fd)) {
      close(fd);
      throw new TooSlow();
    }
    return fd;
  }

  private openNow(base: number, path: Uint8Array, flags: number, how: number): number {
    return this.isCareful ? openCached(base, path, flags, how) : openat2(base, path, flags, 0, how);
  }

  private openObject(dirfd: number, path: PathBytes, isFollowed: boolean, resolve: number): number {
    const flags = isFollowed ? OBJECT : OBJECT | O_NOFOLLOW;
    if (path.isAbsolute && (resolve & RESOLVE_IN_ROOT) === 0) return this.open(AT_FDCWD, path.bytes, flags, resolve);
    const base = this.openBase(dirfd, OBJECT);
    if (base < 0) return base;
    try {
      return this.open(base, path.bytes, flags, resolve);
    } finally {
      close(base);
    }
  }

  /** A file below a folder that is deeper than the kernel can say: its folder's path, and its name. */
  private deepObject(dirfd: number, path: PathBytes, place: Place): number {
    const result = this.parent(dirfd, path, place);
    if (result < 0) return result;
    if (statx(place.parent, place.name, AT_SYMLINK_NOFOLLOW, IDENTITY, place.stat.words) < 0)
      return -Errno.ENAMETOOLONG;
    const { dev, ino } = place.stat;
    if (statx(place.object, EMPTY_PATH, AT_EMPTY_PATH, IDENTITY, place.stat.words) < 0) return -Errno.ENAMETOOLONG;
    return place.stat.ino === ino && place.stat.dev === dev ? 0 : -Errno.ENAMETOOLONG;
  }

  /** The kernel resolves /proc/self to whoever walks: a path that goes through our own /proc entry was not meant so. */
  private namesUs(path: PathBytes): boolean {
    const { ownPid } = this;
    const { bytes } = path;
    for (let at = 0; at + ownPid.length <= path.length; at++) {
      if (bytes[at] !== 0x2f) continue;
      let index = 1;
      while (index < ownPid.length && bytes[at + index] === ownPid[index]) index++;
      if (index === ownPid.length && (bytes[at + index] === 0x2f || at + index === path.length)) return true;
    }
    return false;
  }
}
