/** The real path of what a descriptor holds, however deep it lies. */
import { AT_FDCWD, AT_SYMLINK_NOFOLLOW, O_CLOEXEC, O_DIRECTORY, O_PATH, O_RDONLY } from "../../ffi/constants.ts";
import { Errno } from "../../ffi/errno.ts";
import { cstring } from "../../ffi/bytes.ts";
import { close } from "../../ffi/fd.ts";
import { fstatx, openat, readlinkat, statx } from "../../ffi/path-ops.ts";
import { STATX_INO, STATX_NLINK, STATX_TYPE, StatxBuffer } from "../../ffi/statx.ts";
import { entries } from "./folder-entries.ts";
import { translate } from "./foreign-mounts.ts";
import { PATH_MAX, type PathBytes } from "./path-bytes.ts";
import type { OwnFdPath } from "./proc-path.ts";

const DELETED = Uint8Array.from(" (deleted)", (character) => character.charCodeAt(0));
const SLASH = 0x2f;
const DOT_DOT = cstring("..");
const DOT = cstring(".");
const DEEPEST = 4096;

export class RealPath {
  private readonly stat = new StatxBuffer();
  private readonly other = new StatxBuffer();

  /** The thread whose mount namespace is not ours; 0: none. */
  foreign = 0;

  constructor(private readonly own: OwnFdPath) {}

  /** 0 or -errno; OWN_TMPFS where the object is nowhere but in the caller's own namespace. */
  of(fd: number, into: PathBytes): number {
    const result = this.asSeen(fd, into);
    return result < 0 || this.foreign === 0 ? result : translate(this.foreign, fd, into);
  }

  /** As the kernel says it, whatever namespace the object is in. */
  asSeen(fd: number, into: PathBytes): number {
    const length = readlinkat(AT_FDCWD, this.own.of(fd), into.bytes, 0, PATH_MAX);
    if (length === -Errno.ENAMETOOLONG) return this.deep(fd, into);
    if (length < 0) return length;
    into.end(length);
    return 0;
  }

  /**
   * True if the object lost its name or never had one; its path is then cut back to where the name was. Pipes, sockets
   * and the like have no slash in front.
   */
  dropDeleted(fd: number, path: PathBytes): boolean {
    if (path.length === 0 || path.bytes[0] !== SLASH) return true;
    if (!path.endsWith(DELETED)) return false;
    if (fstatx(fd, STATX_NLINK | STATX_INO, this.stat.words) < 0) return false;
    if (this.stat.nlink > 0 && this.isAt(path)) return false;
    path.end(path.length - DELETED.length);
    return true;
  }

  /** A file may really be called "x (deleted)". */
  private isAt(path: PathBytes): boolean {
    const { other, stat } = this;
    if (statx(AT_FDCWD, path.bytes, AT_SYMLINK_NOFOLLOW, STATX_INO, other.words) < 0) return false;
    return other.ino === stat.ino && other.dev === stat.dev;
  }

  /** A folder deeper than the kernel can say in one piece: name by name upwards, until it can. */
  private deep(fd: number, into: PathBytes): number {
    const names: Uint8Array[] = [];
    let at = openat(fd, DOT, O_PATH | O_DIRECTORY | O_CLOEXEC);
    while (at >= 0 && names.length < DEEPEST) {
      const up = openat(at, DOT_DOT, O_PATH | O_DIRECTORY | O_CLOEXEC);
      const name = up < 0 ? undefined : this.nameIn(up, at);
      close(at);
      at = up;
      if (!name) break;
      names.push(name);
      const length = readlinkat(AT_FDCWD, this.own.of(at), into.bytes, 0, PATH_MAX);
      if (length < 0 && length !== -Errno.ENAMETOOLONG) break;
      if (length < 0) continue;
      close(at);
      into.end(length);
      return names.reverse().every((one) => into.appendName(one, one.length)) ? 0 : -Errno.ENAMETOOLONG;
    }
    if (at >= 0) close(at);
    return -Errno.ENAMETOOLONG;
  }

  /** What `folder` calls the folder that `child` holds. */
  private nameIn(folder: number, child: number): Uint8Array | undefined {
    if (fstatx(child, STATX_INO | STATX_TYPE, this.stat.words) < 0) return undefined;
    const fd = openat(folder, DOT, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return undefined;
    try {
      for (const name of entries(fd)) {
        if (statx(fd, name, AT_SYMLINK_NOFOLLOW, STATX_INO, this.other.words) < 0) continue;
        if (this.other.ino === this.stat.ino && this.other.dev === this.stat.dev) return name.subarray(0, -1);
      }
      return undefined;
    } finally {
      close(fd);
    }
  }
}
