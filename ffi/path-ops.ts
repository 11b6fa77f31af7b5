/**
 * Calls that name a file. `path` is bytes that end with NUL; `at` (last argument, 0 if left out) is where in them it
 * begins, so that a hot caller needs no new array. `dirfd` AT_FDCWD is the calling thread's directory. >= 0 or -errno.
 */
import { AT_EMPTY_PATH } from "./constants.ts";
import { EMPTY_PATH } from "./bytes.ts";
import { lib } from "./lib.ts";

export function openat(dirfd: number, path: Uint8Array, flags: number, mode = 0, at = 0): number {
  return lib.hp_openat(dirfd, path, at, flags, mode);
}

/** openat2(2), 5.6. Flags as one number up to 2^53. */
export function openat2(dirfd: number, path: Uint8Array, flags: number, mode: number, resolve: number, at = 0): number {
  return lib.hp_openat2(dirfd, path, at, flags >>> 0, Math.floor(flags / 0x100000000), mode, resolve);
}

/** Length of the link's text in `into` from `intoAt` on; no NUL is added. */
export function readlinkat(
  dirfd: number,
  path: Uint8Array,
  into: Uint8Array,
  intoAt = 0,
  capacity = into.length - intoAt,
  at = 0,
): number {
  return lib.hp_readlinkat(dirfd, path, at, into, intoAt, capacity);
}

/** Fills 256 bytes; read them with statx.ts. */
export function statx(
  dirfd: number,
  path: Uint8Array,
  flags: number,
  mask: number,
  into: NodeJS.TypedArray,
  at = 0,
): number {
  return lib.hp_statx(dirfd, path, at, flags, mask, into);
}

/** Of an open fd, O_PATH included. */
export function fstatx(fd: number, mask: number, into: NodeJS.TypedArray): number {
  return lib.hp_statx(fd, EMPTY_PATH, 0, AT_EMPTY_PATH, mask, into);
}

export function faccessat2(dirfd: number, path: Uint8Array, mode: number, flags: number, at = 0): number {
  return lib.hp_faccessat2(dirfd, path, at, mode, flags);
}

export function mkdirat(dirfd: number, path: Uint8Array, mode: number, at = 0): number {
  return lib.hp_mkdirat(dirfd, path, at, mode);
}

export function mknodat(dirfd: number, path: Uint8Array, mode: number, device: number, at = 0): number {
  return lib.hp_mknodat(dirfd, path, at, mode, device);
}

export function unlinkat(dirfd: number, path: Uint8Array, flags: number, at = 0): number {
  return lib.hp_unlinkat(dirfd, path, at, flags);
}

export function symlinkat(target: Uint8Array, dirfd: number, path: Uint8Array, targetAt = 0, at = 0): number {
  return lib.hp_symlinkat(target, targetAt, dirfd, path, at);
}

export function linkat(
  fromDirfd: number,
  from: Uint8Array,
  toDirfd: number,
  to: Uint8Array,
  flags: number,
  fromAt = 0,
  toAt = 0,
): number {
  return lib.hp_linkat(fromDirfd, from, fromAt, toDirfd, to, toAt, flags);
}

export function renameat2(
  fromDirfd: number,
  from: Uint8Array,
  toDirfd: number,
  to: Uint8Array,
  flags: number,
  fromAt = 0,
  toAt = 0,
): number {
  return lib.hp_renameat2(fromDirfd, from, fromAt, toDirfd, to, toAt, flags);
}

export function truncate(path: Uint8Array, lengthLow: number, lengthHigh: number, at = 0): number {
  return lib.hp_truncate(path, at, lengthLow, lengthHigh);
}

/** Follows symlinks and magic links: with /proc/self/fd/N it reaches what an O_PATH fd holds, on any kernel. */
export function chmod(path: Uint8Array, mode: number, at = 0): number {
  return lib.hp_chmod(path, at, mode);
}

export function fchmod(fd: number, mode: number): number {
  return lib.hp_fchmod(fd, mode);
}

/** fchmodat2(2), 6.6; ENOSYS before. */
export function fchmodat2(dirfd: number, path: Uint8Array, mode: number, flags: number, at = 0): number {
  return lib.hp_fchmodat2(dirfd, path, at, mode, flags);
}

/** 0xffffffff leaves an id as it is. */
export function fchownat(dirfd: number, path: Uint8Array, uid: number, gid: number, flags: number, at = 0): number {
  return lib.hp_fchownat(dirfd, path, at, uid, gid, flags);
}

/** `times`: 32 bytes, two struct timespec as the caller had them; null for now. */
export function utimensat(dirfd: number, path: Uint8Array, times: Uint8Array | null, flags: number, at = 0): number {
  return lib.hp_utimensat(dirfd, path, at, times, flags);
}

/** Of an ordinary fd (EBADF on O_PATH: there use utimensat with AT_EMPTY_PATH). */
export function futimens(fd: number, times: Uint8Array | null): number {
  return lib.hp_futimens(fd, times);
}

export function fchdir(fd: number): number {
  return lib.hp_fchdir(fd);
}

export function chroot(path: Uint8Array, at = 0): number {
  return lib.hp_chroot(path, at);
}
