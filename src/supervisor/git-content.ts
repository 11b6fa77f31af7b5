/**
 * A git configuration may be replaced without a question as long as nothing in it runs anything new. git writes a lock
 * file and renames it over; what is compared must then not change any more, so nobody may have it open for writing.
 */
import { O_CLOEXEC, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } from "../../ffi/constants.ts";
import { close, fcntl, read } from "../../ffi/fd.ts";
import { fstatx, openat } from "../../ffi/path-ops.ts";
import { STATX_NLINK, StatxBuffer } from "../../ffi/statx.ts";
import { GIT_CONFIG_LIMIT, gitConfigRunsMore } from "../policy/git-config.ts";
import { isContentVerdict } from "../policy/verdict.ts";
import type { Place } from "./place.ts";
import { FREE } from "./specials.ts";

const F_SETLEASE = 1024;
const F_SETSIG = 10;
const F_RDLCK = 0;
const F_UNLCK = 2;
/** Ignored unless somebody handles it, as the default SIGIO is not. */
const SIGURG = 23;

const FILE = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
const NOTHING = new Uint8Array(0);
const stat = new StatxBuffer();

/** The verdict on what adds no content: removing the file, its mode, its times. */
export function withoutContent(verdict: number): number {
  return isContentVerdict(verdict) ? FREE : verdict;
}

/** The verdict on `from` taking the place of `to`. */
export function replacingVerdict(from: Place, to: Place, verdict: number): number {
  if (!isContentVerdict(verdict)) return verdict;
  const after = readSettled(from.parent, from.name);
  if (after === undefined) return verdict;
  const before = readWhole(to.parent, to.name) ?? NOTHING;
  return gitConfigRunsMore(before, after) ? verdict : FREE;
}

/** The verdict on a file that comes to `path` unchanged, in a folder that is moved. */
export function movedVerdict(folder: number, name: Uint8Array, verdict: number): number {
  if (!isContentVerdict(verdict)) return verdict;
  const content = readSettled(folder, name);
  return content === undefined || gitConfigRunsMore(NOTHING, content) ? verdict : FREE;
}

/**
 * The content of a file that nobody can be writing to, now or later: no open writer and no other name. undefined where
 * somebody may be, or it is too long.
 */
function readSettled(folder: number, name: Uint8Array): Uint8Array | undefined {
  const fd = openat(folder, name, FILE);
  if (fd < 0) return undefined;
  // A lease is not given while anybody has the file open for writing.
  fcntl(fd, F_SETSIG, SIGURG);
  const isSettled = hasOneName(fd) && fcntl(fd, F_SETLEASE, F_RDLCK) === 0;
  if (isSettled) fcntl(fd, F_SETLEASE, F_UNLCK);
  const content = isSettled ? readAll(fd) : undefined;
  close(fd);
  return content;
}

function hasOneName(fd: number): boolean {
  return fstatx(fd, STATX_NLINK, stat.words) === 0 && stat.nlink === 1;
}

function readWhole(folder: number, name: Uint8Array): Uint8Array | undefined {
  const fd = openat(folder, name, FILE);
  if (fd < 0) return undefined;
  const content = readAll(fd);
  close(fd);
  return content;
}

function readAll(fd: number): Uint8Array | undefined {
  const bytes = new Uint8Array(GIT_CONFIG_LIMIT + 1);
  let length = 0;
  while (length < bytes.length) {
    const got = read(fd, bytes, length);
    if (got < 0) return undefined;
    if (got === 0) return bytes.subarray(0, length);
    length += got;
  }
  return bytes;
}
