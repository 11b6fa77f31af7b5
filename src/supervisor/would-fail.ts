/**
 * What the kernel would say to a call without any policy, so that nobody is asked about a call that cannot work and its
 * error is the kernel's own. Looked at only where the policy does not allow. 0 where the call would go on.
 */
import { EMPTY_PATH } from "../../ffi/bytes.ts";
import {
  AT_EACCESS,
  AT_EMPTY_PATH,
  AT_SYMLINK_NOFOLLOW,
  O_CLOEXEC,
  O_DIRECTORY,
  O_RDONLY,
  S_IFDIR,
} from "../../ffi/constants.ts";
import { Errno } from "../../ffi/errno.ts";
import { close } from "../../ffi/fd.ts";
import { faccessat2, fstatx, openat, statx } from "../../ffi/path-ops.ts";
import { STATX_BASIC_STATS } from "../../ffi/statx.ts";
import { fsuid } from "../../ffi/creds.ts";
import { readStatus } from "./process-status.ts";
import type { Place } from "./place.ts";
import { entries } from "./folder-entries.ts";

const W_OK = 2;
const X_OK = 1;
const LONGEST_NAME = 255;

/** Looks the name up; -ENOENT where there is none. */
export function lookAtName(place: Place): number {
  if (place.nameLength > LONGEST_NAME) return -Errno.ENAMETOOLONG;
  const name = place.hasSlashBehind ? place.name.slice(0, place.nameLength + 1) : place.name;
  if (place.hasSlashBehind) name[place.nameLength] = 0;
  return statx(place.parent, name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, place.stat.words);
}

function mayChangeFolder(place: Place): number {
  return faccessat2(place.parent, EMPTY_PATH, W_OK | X_OK, AT_EACCESS | AT_EMPTY_PATH);
}

/** The folder may not be searched: for a bare name nobody has looked yet. */
export function searchingFails({ parent }: Place): number {
  return parent < 0 ? 0 : Math.min(faccessat2(parent, EMPTY_PATH, X_OK, AT_EACCESS | AT_EMPTY_PATH), 0);
}

export function makingFails(place: Place, isFolder: boolean): number {
  const found = lookAtName(place);
  if (found === 0) return -Errno.EEXIST;
  if (found !== -Errno.ENOENT) return found;
  if (place.hasSlashBehind && !isFolder) return -Errno.ENOENT;
  return mayChangeFolder(place);
}

const CAP_MKNOD = 27;

export function makingDeviceFails(tid: number): number {
  const caps = readStatus(tid)?.credentials.capsLow ?? 0;
  return (caps & (1 << CAP_MKNOD)) === 0 ? -Errno.EPERM : 0;
}

export function removingFails(place: Place, isFolder: boolean): number {
  const found = lookAtName(place);
  if (found < 0) return found;
  const isReallyFolder = place.stat.type === S_IFDIR;
  if (isFolder && !isReallyFolder) return -Errno.ENOTDIR;
  if (!isFolder && isReallyFolder) return -Errno.EISDIR;
  if (!isFolder && place.hasSlashBehind) return -Errno.ENOTDIR;
  const allowed = mayChangeFolder(place);
  return allowed < 0 || !isFolder ? allowed : isEmpty(place) ? 0 : -Errno.ENOTEMPTY;
}

function isEmpty(place: Place): boolean {
  const fd = openat(place.parent, place.name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return true;
  const { done } = entries(fd).next();
  close(fd);
  return done === true;
}

export function renamingFails(from: Place, to: Place): number {
  const found = lookAtName(from);
  if (found < 0) return found;
  const source = mayChangeFolder(from);
  return source < 0 ? source : mayChangeFolder(to);
}

export function writingFails(place: Place): number {
  return faccessat2(place.object, EMPTY_PATH, W_OK, AT_EACCESS | AT_EMPTY_PATH);
}

/** Mode, times and the like are the owner's to change. */
export function owningFails(place: Place): number {
  const looked = fstatx(place.object, STATX_BASIC_STATS, place.stat.words);
  if (looked < 0) return looked;
  const uid = fsuid();
  return uid === 0 || uid === place.stat.uid ? 0 : -Errno.EPERM;
}
