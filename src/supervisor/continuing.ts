/**
 * When an open may go on in the kernel as it is: only where the fence itself would stop it if its path changed under us.
 * The target may then reach every existing file below the fence's roots and nothing else, so a root is used only while
 * nothing below it is forbidden or asked.
 */
import {
  __O_TMPFILE,
  AT_FDCWD,
  O_CLOEXEC,
  O_CREAT,
  O_PATH,
  RESOLVE_BENEATH,
  RESOLVE_NO_SYMLINKS,
  S_IFBLK,
  S_IFCHR,
} from "../../ffi/constants.ts";
import { close } from "../../ffi/fd.ts";
import { fstatx, openat, openat2, statx } from "../../ffi/path-ops.ts";
import { STATX_INO, STATX_TYPE, StatxBuffer } from "../../ffi/statx.ts";
import { pathBytes } from "../../ffi/bytes.ts";
import { encodePath } from "../policy/path-text.ts";
import { Tier } from "../policy/rule.ts";
import { tierOfVerdict } from "../policy/verdict.ts";
import type { Judge } from "./judge.ts";
import { PATH_MAX, PathBytes } from "./path-bytes.ts";
import { CWD_THERE, FdName } from "./proc-path.ts";
import { SeenPaths } from "./seen-paths.ts";
import type { FenceRootSetup } from "./setup.ts";
import type { Supervision } from "./supervision.ts";

const SLASH = 0x2f;
const INSIDE = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;

interface Root {
  readonly path: Uint8Array;
  readonly fd: number;
  readonly isFolder: boolean;
  isLive: boolean;
}

export class Continuing {
  /** By the hash of the path. */
  private readonly roots = new Map<number, Root[]>();
  private readonly all: readonly Root[];
  private readonly fdName = new FdName();
  private readonly joined = new PathBytes();
  private readonly stat = new StatxBuffer();
  private readonly known = new Set<string>();
  private readonly seen = new SeenPaths();
  private isFirst = true;

  /**
   * `dead`: a word, set for good once something guarded lies below a root, or a root is moved: the kernel still lets every
   * continued open through to it, whichever root that open began below, so nothing is continued any more.
   */
  constructor(
    setups: readonly FenceRootSetup[],
    private readonly dead: Int32Array,
    private readonly looksForDevices: boolean,
  ) {
    this.all = setups.map(openRoot);
    for (const root of this.all) {
      const key = hash(root.path, root.path.length);
      this.roots.set(key, [...(this.roots.get(key) ?? []), root]);
    }
  }

  /** To be called whenever the rules have changed. The roots were chosen by the rules of the first time. */
  review(judge: Judge): void {
    const path = new PathBytes();
    const rules = judge.restrictingWrites();
    for (const rule of rules) if (!this.known.has(rule) && !this.isFirst) this.avoid(rule);
    for (const rule of rules) this.known.add(rule);
    this.isFirst = false;
    this.seen.clear();
    for (const root of this.all) {
      path.set(root.path, root.path.length);
      if (root.isFolder) path.appendName(PROBE, PROBE.length);
      root.isLive = root.fd >= 0 && isFree(judge.write(path));
    }
  }

  /** Nothing guarded lies where the fence lets writes through. */
  get isSound(): boolean {
    return this.all.length === 0 || Atomics.load(this.dead, 0) === 0;
  }

  private end(): void {
    if (this.all.length > 0) Atomics.store(this.dead, 0, 1);
  }

  /** A rule came that forbids or asks: where it could match something below a root, nothing is continued any more. */
  private avoid(pattern: string): void {
    const certain = encodePath(pattern.slice(0, pattern.search(/[*?[\]{}\\(),!+@]|$/)));
    for (const root of this.all) {
      const length = Math.min(certain.length, root.path.length);
      if (isPrefix(certain.subarray(0, length), root.path)) this.end();
    }
  }

  /** Something guarded comes to be at this path. */
  guard(path: PathBytes): void {
    for (const root of this.all) if (isAtOrBelow(path.bytes, path.length, root.path)) this.end();
  }

  /** The name is taken away or replaced: a root there, or below it, keeps its rights wherever it goes. */
  moved(path: PathBytes): void {
    const name = path.bytes.subarray(0, path.length);
    for (const root of this.all) if (isAtOrBelow(root.path, root.path.length, name)) this.end();
  }

  /** True if the fence answers this open as the policy would: the file is there, below a root, by no link. */
  mayContinue(s: Supervision, dirfd: number, how: { readonly flags: number; readonly resolve: number }): boolean {
    if (this.all.length === 0 || !this.isSound || s.lookup.rootsMayDiffer) return false;
    if ((how.flags & (O_CREAT | __O_TMPFILE)) !== 0 || how.resolve !== 0) return false;
    return this.isBelowRoot(s, dirfd, s.path);
  }

  private isBelowRoot(s: Supervision, dirfd: number, path: PathBytes): boolean {
    if (path.length === 0) return false;
    if (path.isAbsolute) return this.isSeenBelow(s, path);
    const { joined } = this;
    if (dirfd < 0 && dirfd !== AT_FDCWD) return false;
    const folder = dirfd === AT_FDCWD ? CWD_THERE : this.fdName.of(dirfd);
    const length = s.tasks.readlink(s.call.tid, folder, joined.bytes, PATH_MAX);
    if (length <= 0 || length >= PATH_MAX) return false;
    joined.end(length);
    return joined.isAbsolute && joined.appendName(path.bytes, path.length) && this.isSeenBelow(s, joined);
  }

  private isSeenBelow(s: Supervision, path: PathBytes): boolean {
    const { turn } = s.shared;
    if (this.seen.has(path, turn)) return true;
    if (!this.findBelow(path)) return false;
    this.seen.add(path, turn);
    return true;
  }

  /** Tries the root that is shortest; roots do not lie in one another. */
  private findBelow(path: PathBytes): boolean {
    const { bytes, length } = path;
    let sum = SEED;
    for (let at = 0; at <= length; at++) {
      if ((at === length || bytes[at] === SLASH) && at > 0) {
        const root = this.rootAt(sum, bytes, at);
        if (root) return at === length ? this.isRootItself(root, path) : this.isInside(root, bytes, at);
      }
      sum = Math.imul(sum ^ bytes[at]!, PRIME);
    }
    return false;
  }

  private rootAt(sum: number, bytes: Uint8Array, length: number): Root | undefined {
    const candidates = this.roots.get(sum);
    if (!candidates) return undefined;
    for (const root of candidates) if (root.path.length === length && isPrefix(root.path, bytes)) return root;
    return undefined;
  }

  private isInside(root: Root, bytes: Uint8Array, at: number): boolean {
    if (!root.isFolder || !root.isLive) return false;
    let start = at;
    while (bytes[start] === SLASH) start++;
    const fd = openat2(root.fd, bytes, O_PATH | O_CLOEXEC, 0, INSIDE, start);
    if (fd < 0) return false;
    const isPlain = !this.looksForDevices || this.isNoDevice(fd);
    close(fd);
    return isPlain;
  }

  private isNoDevice(fd: number): boolean {
    if (fstatx(fd, STATX_TYPE, this.stat.words) < 0) return false;
    return this.stat.type !== S_IFCHR && this.stat.type !== S_IFBLK;
  }

  /** The same object as when the fence was built: a name that was made anew is behind the fence. */
  private isRootItself(root: Root, path: PathBytes): boolean {
    if (!root.isLive || fstatx(root.fd, STATX_INO, this.stat.words) < 0) return false;
    const { ino, dev } = this.stat;
    if (statx(AT_FDCWD, path.bytes, 0, STATX_INO, this.stat.words) < 0) return false;
    return this.stat.ino === ino && this.stat.dev === dev;
  }
}

const PROBE = Uint8Array.from("\x01hallpass probe", (character) => character.charCodeAt(0));
const SEED = 0x811c9dc5 | 0;
const PRIME = 0x01000193;

function hash(bytes: Uint8Array, length: number): number {
  let sum = SEED;
  for (let at = 0; at < length; at++) sum = Math.imul(sum ^ bytes[at]!, PRIME);
  return sum;
}

function isPrefix(prefix: Uint8Array, bytes: Uint8Array): boolean {
  for (let index = 0; index < prefix.length; index++) if (prefix[index] !== bytes[index]) return false;
  return true;
}

function isAtOrBelow(bytes: Uint8Array, length: number, folder: Uint8Array): boolean {
  if (length < folder.length || !isPrefix(folder, bytes)) return false;
  return length === folder.length || bytes[folder.length] === SLASH;
}

function openRoot({ path, fd, isFolder }: FenceRootSetup): Root {
  const bytes = encodePath(path);
  const held = fd >= 0 ? fd : openat(AT_FDCWD, pathBytes(bytes), O_PATH | O_CLOEXEC);
  return { path: bytes, fd: held, isFolder, isLive: false };
}

/** Writes there are allowed without a word in the log. */
function isFree(verdict: number): boolean {
  return verdict >= 0 && tierOfVerdict(verdict) === Tier.implicit;
}
