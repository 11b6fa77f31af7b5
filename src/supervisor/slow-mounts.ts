/** File systems that may keep a call waiting for a server or a process: the loop leaves those calls to an action worker. */
import { ascii, cstring, EMPTY_PATH } from "../../ffi/bytes.ts";
import { AT_EMPTY_PATH, AT_FDCWD, RESOLVE_CACHED } from "../../ffi/constants.ts";
import { Errno } from "../../ffi/errno.ts";
import { readFile } from "../../ffi/fd.ts";
import { openat2, statx } from "../../ffi/path-ops.ts";
import { STATX, STATX_MNT_ID, StatxBuffer } from "../../ffi/statx.ts";

const TYPES = /^(?:fuse(?:\..*|blk)?|nfs4?|cifs|smb3|autofs|9p|afs|ceph|glusterfs|lustre|orangefs|coda|virtiofs)$/;
const AT_STATX_DONT_SYNC = 0x4000;
const LARGEST = 4 << 20;

/** Whether anything is mounted that may keep a call waiting. */
export function hasSlowMounts(): boolean {
  slowIds = readMounts();
  for (const isSlowMount of slowIds.values()) if (isSlowMount) return true;
  return false;
}

/** By mount id. */
let slowIds: ReadonlyMap<number, boolean> = new Map();

function readMounts(): Map<number, boolean> {
  const bytes = new Uint8Array(LARGEST);
  const length = readFile(AT_FDCWD, cstring("/proc/self/mountinfo"), bytes);
  const lines = ascii(bytes, 0, Math.max(length, 0)).trimEnd().split("\n");
  return new Map(
    lines.map((line) => [Number.parseInt(line, 10), TYPES.test(line.split(" - ")[1]?.split(" ")[0] ?? "")]),
  );
}

/** openat2(2) with what the kernel knows already; throws TooSlow where it would have to look further (5.12). */
export function openCached(dirfd: number, path: Uint8Array, flags: number, resolve: number): number {
  const fd = openat2(dirfd, path, flags, 0, resolve | RESOLVE_CACHED);
  if (fd === -Errno.EAGAIN) throw new TooSlow();
  return fd === -Errno.EINVAL ? openat2(dirfd, path, flags, 0, resolve) : fd;
}

const stat = new StatxBuffer();

/** Whether the object lies on such a mount; its server is not asked for that. */
export function isSlow(fd: number): boolean {
  if (statx(fd, EMPTY_PATH, AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID, stat.words) < 0) return true;
  const id = stat.words[STATX.mountLow]!;
  if (!slowIds.has(id)) slowIds = readMounts();
  return slowIds.get(id) ?? false;
}

/** Thrown where a look-up would have to wait; dispatch hands the call over. */
export class TooSlow extends Error {
  override readonly name = "TooSlow";
}
