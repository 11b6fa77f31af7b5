/**
 * The fence: a Landlock domain in which only listed objects can be written. It stands behind the supervisor, so that a
 * call that is continued, missed or raced still meets the kernel (docs/adr/0003-fence-roots.md says what is listed).
 */
import {
  AT_FDCWD,
  LANDLOCK_ACCESS_FS_IOCTL_DEV,
  LANDLOCK_ACCESS_FS_MAKE_BLOCK,
  LANDLOCK_ACCESS_FS_MAKE_CHAR,
  LANDLOCK_ACCESS_FS_MAKE_DIR,
  LANDLOCK_ACCESS_FS_MAKE_FIFO,
  LANDLOCK_ACCESS_FS_MAKE_REG,
  LANDLOCK_ACCESS_FS_MAKE_SOCK,
  LANDLOCK_ACCESS_FS_MAKE_SYM,
  LANDLOCK_ACCESS_FS_REFER,
  LANDLOCK_ACCESS_FS_REMOVE_DIR,
  LANDLOCK_ACCESS_FS_REMOVE_FILE,
  LANDLOCK_ACCESS_FS_TRUNCATE,
  LANDLOCK_ACCESS_FS_WRITE_FILE,
  LANDLOCK_ACCESS_NET_CONNECT_TCP,
  LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET,
  O_CLOEXEC,
  O_PATH,
  S_IFDIR,
} from "../../ffi/constants.ts";
import { pathBytes } from "../../ffi/bytes.ts";
import { close } from "../../ffi/fd.ts";
import { allowPath, createRuleset, landlockAbi } from "../../ffi/landlock.ts";
import { fstatx, openat } from "../../ffi/path-ops.ts";
import { STATX_BASIC_STATS, StatxBuffer } from "../../ffi/statx.ts";
import { must } from "../../ffi/errno.ts";
import { encodePath } from "../policy/path-text.ts";

/** Without REFER (ABI 2) a domain forbids every rename and link between folders: below it there is no fence. */
export const OLDEST_FENCE_ABI = 2;
const TRUNCATE_ABI = 3;
const NET_ABI = 4;
const IOCTL_ABI = 5;
export const SCOPE_ABI = 6;

/**
 * `existing`: files that are there can be opened for writing, no name is made, moved or removed. `device`: a device node
 * with its ioctls. `tree`: everything below a folder.
 */
export type FenceRights = "existing" | "device" | "tree";

/** An object the fence lets through, held by descriptor: its identity counts, its name may move. */
export interface FenceRoot {
  /** Path text. */
  readonly path: string;
  readonly rights: FenceRights;
  /** O_PATH, CLOEXEC; the holder of the FenceRoot closes it. */
  readonly fd: number;
  readonly dev: number;
  readonly ino: number;
  readonly isFolder: boolean;
}

export interface FenceOptions {
  readonly roots: readonly FenceRoot[];
  /** Stop TCP connects (ABI 4): the supervisor makes the allowed ones. */
  readonly connect: boolean;
  /** Stop connects to abstract unix sockets made outside (ABI 6). */
  readonly abstractSockets: boolean;
  /** An older ABI than the machine's, for tests. */
  readonly abi?: number;
}

/** A root for a path, or undefined where it cannot be opened (it is not there, or not ours to look at). */
export function openFenceRoot(path: string, rights: FenceRights): FenceRoot | undefined {
  const fd = openat(AT_FDCWD, pathBytes(encodePath(path)), O_PATH | O_CLOEXEC);
  if (fd < 0) return undefined;
  const stat = new StatxBuffer();
  if (fstatx(fd, STATX_BASIC_STATS, stat.words) < 0) {
    close(fd);
    return undefined;
  }
  return { path, rights, fd, dev: stat.dev, ino: stat.ino, isFolder: stat.type === S_IFDIR };
}

/** Rights over files alone: the only ones that a rule on something that is no folder may hold. */
function fileRights(abi: number): number {
  return LANDLOCK_ACCESS_FS_WRITE_FILE | (abi >= TRUNCATE_ABI ? LANDLOCK_ACCESS_FS_TRUNCATE : 0);
}

/** Every right that changes something and that this ABI knows: what the domain takes away where no rule gives it back. */
export function handledRights(abi: number): number {
  return (
    fileRights(abi) |
    LANDLOCK_ACCESS_FS_REMOVE_DIR |
    LANDLOCK_ACCESS_FS_REMOVE_FILE |
    LANDLOCK_ACCESS_FS_MAKE_CHAR |
    LANDLOCK_ACCESS_FS_MAKE_DIR |
    LANDLOCK_ACCESS_FS_MAKE_REG |
    LANDLOCK_ACCESS_FS_MAKE_SOCK |
    LANDLOCK_ACCESS_FS_MAKE_FIFO |
    LANDLOCK_ACCESS_FS_MAKE_BLOCK |
    LANDLOCK_ACCESS_FS_MAKE_SYM |
    LANDLOCK_ACCESS_FS_REFER |
    (abi >= IOCTL_ABI ? LANDLOCK_ACCESS_FS_IOCTL_DEV : 0)
  );
}

function grantedRights(root: FenceRoot, abi: number): number {
  const ioctl = abi >= IOCTL_ABI ? LANDLOCK_ACCESS_FS_IOCTL_DEV : 0;
  if (root.rights === "device") return fileRights(abi) | ioctl;
  if (root.rights === "existing" || !root.isFolder) return fileRights(abi);
  return handledRights(abi) & ~ioctl;
}

/** A ruleset for the launcher, which the caller closes; undefined where this ABI cannot make a fence. */
export function buildFence(options: FenceOptions): number | undefined {
  const abi = options.abi ?? landlockAbi();
  if (abi < OLDEST_FENCE_ABI) return undefined;
  const net = options.connect && abi >= NET_ABI ? LANDLOCK_ACCESS_NET_CONNECT_TCP : 0;
  const scoped = options.abstractSockets && abi >= SCOPE_ABI ? LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET : 0;
  const ruleset = createRuleset(abi, handledRights(abi), net, scoped);
  for (const root of options.roots) {
    must(allowPath(ruleset, root.fd, grantedRights(root, abi)), "landlock_add_rule", root.path);
  }
  return ruleset;
}

/** Whether signals can be kept inside (the launcher's own domain does it). */
export function canScopeSignals(abi = landlockAbi()): boolean {
  return abi >= SCOPE_ABI;
}
