/**
 * The walk name by name, for paths that mean something else to their caller than to us: through /proc/self and magic
 * links, or from another root. Follows the kernel's rules (path_resolution(7)), on held O_PATH descriptors.
 */
import { ascii, cstring } from "../../ffi/bytes.ts";
import {
  AT_FDCWD,
  O_CLOEXEC,
  O_DIRECTORY,
  O_NOFOLLOW,
  O_PATH,
  RESOLVE_NO_MAGICLINKS,
  S_IFDIR,
  S_IFLNK,
} from "../../ffi/constants.ts";
import { Errno } from "../../ffi/errno.ts";
import { close, dup, fstatfs } from "../../ffi/fd.ts";
import { fstatx, openat, openat2, readlinkat, statx } from "../../ffi/path-ops.ts";
import { STATX, STATX_INO, STATX_MNT_ID, STATX_TYPE, StatxBuffer } from "../../ffi/statx.ts";
import type { Call } from "./call.ts";
import type { Disguise } from "./credentials.ts";
import { OWN_TMPFS } from "./foreign-mounts.ts";
import { isDots, PATH_MAX, PathBytes } from "./path-bytes.ts";
import type { Place } from "./place.ts";
import { CWD, type ProcPath, ROOT } from "./proc-path.ts";
import { readStatus } from "./process-status.ts";
import { openCached } from "./slow-mounts.ts";
import type { RealPath } from "./real-path.ts";

const FOLDER = O_PATH | O_DIRECTORY | O_CLOEXEC;
const LINK = O_PATH | O_NOFOLLOW | O_CLOEXEC;
const MOST_LINKS = 40;
export const PROC_SUPER_MAGIC = 0x9fa0;
const PROC_ROOT_INO = 1;
const DOT = cstring(".");
const DOT_DOT = cstring("..");
const SLASH = 0x2f;
const FD_FOLDER = /\/fd$/;
const DIGITS = /^\d+$/;

/** What is left of a path: names still to be gone through, first one last. */
interface Rest {
  readonly names: Uint8Array[];
  /** A slash behind the last name: it must be a folder, and a link there is followed. */
  mustBeFolder: boolean;
}

type Goal = "parent" | "follow" | "no-follow";

export class Walk {
  /** As Lookup's. */
  isCareful = false;
  private readonly stat = new StatxBuffer();
  private readonly rootStat = new StatxBuffer();
  private readonly text = new Uint8Array(PATH_MAX);
  private readonly where = new PathBytes();
  private folder = -1;
  private root = -1;
  /** The last step was through a descriptor. */
  private via: Place["via"];

  constructor(
    private readonly call: Call,
    private readonly proc: ProcPath,
    private readonly realPath: RealPath,
    private readonly disguise: Disguise,
    private readonly isInside: (pid: number) => boolean,
  ) {}

  parent(dirfd: number, path: PathBytes, place: Place): number {
    return this.from(dirfd, path, place, "parent");
  }

  object(dirfd: number, path: PathBytes, isFollowed: boolean, place: Place): number {
    return this.from(dirfd, path, place, isFollowed ? "follow" : "no-follow");
  }

  /** As `parent`, a relative path beginning at a folder of ours. */
  parentFrom(folder: number, path: PathBytes, place: Place): number {
    return this.from(AT_FDCWD, path, place, "parent", folder);
  }

  private from(dirfd: number, path: PathBytes, place: Place, goal: Goal, folder = -1): number {
    const rest: Rest = { names: [], mustBeFolder: false };
    push(rest, path.bytes.subarray(0, path.length), true);
    const started = this.start(dirfd, path.isAbsolute, folder);
    try {
      return started < 0 ? started : this.disguise.search(this.call.tid, () => this.go(rest, place, goal));
    } finally {
      if (this.root >= 0) close(this.root);
      if (this.folder >= 0) close(this.folder);
      this.root = -1;
      this.folder = -1;
    }
  }

  private start(dirfd: number, isAbsolute: boolean, folder: number): number {
    const { tid } = this.call;
    this.root = openat(AT_FDCWD, this.proc.of(tid, ROOT), FOLDER);
    if (this.root < 0) return this.root;
    if (isAbsolute) this.folder = dup(this.root);
    else if (folder >= 0) this.folder = dup(folder);
    else if (dirfd === AT_FDCWD) this.folder = openat(AT_FDCWD, this.proc.of(tid, CWD), FOLDER);
    else this.folder = dirfd < 0 ? -Errno.EBADF : openat(AT_FDCWD, this.proc.fd(tid, dirfd), O_PATH | O_CLOEXEC);
    if (this.folder === -Errno.ENOENT) return -Errno.EBADF;
    return Math.min(this.folder, 0);
  }

  private go(rest: Rest, place: Place, goal: Goal): number {
    for (let links = 0; ;) {
      const name = rest.names.pop();
      if (name === undefined) return this.arriveAtFolder(place, goal, rest);
      this.via = undefined;
      const isLast = rest.names.length === 0;
      if (isLast && goal === "parent") return this.arriveAtName(place, name, rest.mustBeFolder);
      if (isDots(name, name.length - 1)) {
        const stepped = name.length === 2 ? this.step(DOT) : this.up();
        if (stepped < 0) return stepped;
        continue;
      }
      const child = this.isCareful ? openCached(this.folder, name, LINK, 0) : openat(this.folder, name, LINK);
      if (child < 0) return child;
      fstatx(child, STATX_TYPE, this.stat.words);
      if (this.stat.type === S_IFLNK && (!isLast || rest.mustBeFolder || goal !== "no-follow")) {
        const followed = ++links > MOST_LINKS ? -Errno.ELOOP : this.follow(child, name, rest);
        close(child);
        if (followed < 0) return followed;
        continue;
      }
      if (this.stat.type !== S_IFDIR && (!isLast || rest.mustBeFolder)) {
        close(child);
        return -Errno.ENOTDIR;
      }
      this.enter(child);
    }
  }

  private enter(fd: number): void {
    close(this.folder);
    this.folder = fd;
  }

  private stay(): number {
    fstatx(this.folder, STATX_TYPE, this.stat.words);
    return this.stat.type === S_IFDIR ? 0 : -Errno.ENOTDIR;
  }

  /** ".." never leaves the caller's root. */
  private up(): number {
    const mask = STATX_INO | STATX_MNT_ID;
    if (fstatx(this.root, mask, this.rootStat.words) < 0 || fstatx(this.folder, mask, this.stat.words) < 0) {
      return -Errno.ENOENT;
    }
    const { stat, rootStat } = this;
    const isRoot =
      stat.ino === rootStat.ino &&
      stat.dev === rootStat.dev &&
      stat.words[STATX.mountLow] === rootStat.words[STATX.mountLow];
    return this.step(isRoot ? DOT : DOT_DOT);
  }

  /** The kernel asks for leave to search the folder for "." too. */
  private step(name: Uint8Array): number {
    const fd = openat(this.folder, name, FOLDER);
    if (fd < 0) return fd;
    this.enter(fd);
    return 0;
  }

  /** Puts what a link says in front of the rest, or jumps where a magic link leads. */
  private follow(link: number, name: Uint8Array, rest: Rest): number {
    if (this.isProc()) return this.followProc(link, name, rest);
    return this.followText(link, rest);
  }

  private followText(link: number, rest: Rest): number {
    const length = readlinkat(link, EMPTY, this.text);
    if (length < 0) return length;
    if (length === 0) return -Errno.ENOENT;
    return this.take(this.text.slice(0, length), rest);
  }

  private take(text: Uint8Array, rest: Rest): number {
    if (text[0] === SLASH) {
      const fd = dup(this.root);
      if (fd < 0) return fd;
      this.enter(fd);
    }
    const isLast = rest.names.length === 0;
    push(rest, text, isLast && !rest.mustBeFolder);
    return 0;
  }

  private isProc(): boolean {
    const words = new Uint32Array(30);
    return fstatfs(this.folder, new Uint8Array(words.buffer)) === 0 && words[0] === PROC_SUPER_MAGIC;
  }

  private followProc(link: number, name: Uint8Array, rest: Rest): number {
    fstatx(this.folder, STATX_INO, this.stat.words);
    const word = ascii(name, 0, name.length - 1);
    if (this.stat.ino === PROC_ROOT_INO && (word === "self" || word === "thread-self")) {
      return this.take(this.callerFolder(word), rest);
    }
    const probe = openat2(this.folder, name, O_PATH | O_CLOEXEC, 0, RESOLVE_NO_MAGICLINKS);
    if (probe >= 0) close(probe);
    return probe === -Errno.ELOOP && this.isMagic() ? this.jump(name) : this.followText(link, rest);
  }

  private callerFolder(word: string): Uint8Array {
    const { tid } = this.call;
    const status = readStatus(tid);
    const [tgid, thread] = this.isOwnProc()
      ? [status?.tgid ?? tid, tid]
      : [status?.innermost("NStgid") ?? tid, status?.innermost("NSpid") ?? tid];
    return Uint8Array.from(word === "self" ? `${tgid}` : `${tgid}/task/${thread}`, (digit) => digit.charCodeAt(0));
  }

  /** A proc file system of another pid namespace calls processes by other numbers. */
  private isOwnProc(): boolean {
    if (statx(AT_FDCWD, cstring("/proc"), 0, STATX_INO, this.rootStat.words) < 0) return false;
    const { dev } = this.rootStat;
    return fstatx(this.folder, STATX_INO, this.stat.words) === 0 && this.stat.dev === dev;
  }

  /** Magic links are those of a process's folder; /proc/mounts and its like lie above. */
  private isMagic(): boolean {
    return this.processOf() !== undefined;
  }

  /** Whose /proc folder we are in. */
  private processOf(): number | undefined {
    if (this.realPath.asSeen(this.folder, this.where) < 0) return undefined;
    const found = /\/(\d+)(?:\/task\/(\d+))?(?:\/(?:fd|ns|map_files))?$/.exec(this.where.text());
    return found ? Number(found[2] ?? found[1]) : undefined;
  }

  /** Of processes outside the sandbox the kernel's fence would say the same. */
  private jump(name: Uint8Array): number {
    const pid = this.processOf();
    // Another proc shows the processes of a pid namespace that was made inside.
    if (pid === undefined || (this.isOwnProc() && !this.isInside(pid))) return -Errno.EACCES;
    const fd = openat(this.folder, name, O_PATH | O_CLOEXEC);
    if (fd < 0) return fd;
    const number = ascii(name, 0, name.length - 1);
    this.via = FD_FOLDER.test(this.where.text()) && DIGITS.test(number) ? { pid, fd: Number(number) } : undefined;
    this.enter(fd);
    return 0;
  }

  private arriveAtName(place: Place, name: Uint8Array, hasSlashBehind: boolean): number {
    const standing = this.step(DOT);
    if (standing < 0) return standing;
    place.setName(name, 0, name.length - 1, hasSlashBehind);
    place.parent = this.folder;
    this.folder = -1;
    const result = this.realPath.of(place.parent, place.real);
    if (result < 0) return result;
    place.isPrivate = result === OWN_TMPFS;
    this.realPath.dropDeleted(place.parent, place.real);
    return place.real.appendName(place.name, place.nameLength) ? 0 : -Errno.ENAMETOOLONG;
  }

  private arriveAtFolder(place: Place, goal: Goal, rest: Rest): number {
    if (goal === "parent") return this.arriveAtName(place, cstring("/"), false);
    const standing = rest.mustBeFolder ? this.stay() : 0;
    if (standing < 0) return standing;
    place.object = this.folder;
    place.via = this.via;
    this.folder = -1;
    const result = this.realPath.of(place.object, place.real);
    if (result < 0) return result;
    place.isPrivate = result === OWN_TMPFS;
    place.isNameless = this.realPath.dropDeleted(place.object, place.real);
    return 0;
  }
}

const EMPTY = new Uint8Array(1);

/** Puts the names of `text` in front of those that are left. */
function push(rest: Rest, text: Uint8Array, isEnd: boolean): void {
  const names: Uint8Array[] = [];
  for (let start = 0; start < text.length;) {
    let end = text.indexOf(SLASH, start);
    if (end < 0) end = text.length;
    if (end > start) {
      const name = new Uint8Array(end - start + 1);
      name.set(text.subarray(start, end));
      names.push(name);
    }
    start = end + 1;
  }
  if (isEnd) rest.mustBeFolder = text.length > 0 && text[text.length - 1] === SLASH && names.length > 0;
  rest.names.push(...names.reverse());
}
