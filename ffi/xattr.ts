/** Extended attributes and inode flags. Paths and names end with NUL. >= 0 or -errno. */
import { lib } from "./lib.ts";

/** Follows symlinks and magic links: with /proc/self/fd/N it reaches what an O_PATH fd holds. */
export function setxattr(
  path: Uint8Array,
  name: Uint8Array,
  value: Uint8Array | null,
  size: number,
  flags: number,
): number {
  return lib.hp_setxattr(path, 0, name, value, size, flags);
}

export function lsetxattr(
  path: Uint8Array,
  name: Uint8Array,
  value: Uint8Array | null,
  size: number,
  flags: number,
): number {
  return lib.hp_lsetxattr(path, 0, name, value, size, flags);
}

export function fsetxattr(fd: number, name: Uint8Array, value: Uint8Array | null, size: number, flags: number): number {
  return lib.hp_fsetxattr(fd, name, value, size, flags);
}

/** 6.13; ENOSYS before. */
export function setxattrat(
  dirfd: number,
  path: Uint8Array,
  atFlags: number,
  name: Uint8Array,
  value: Uint8Array | null,
  size: number,
  flags: number,
): number {
  return lib.hp_setxattrat(dirfd, path, 0, atFlags, name, value, size, flags);
}

export function getxattr(path: Uint8Array, name: Uint8Array, into: Uint8Array): number {
  return lib.hp_getxattr(path, 0, name, into, into.length);
}

export function removexattr(path: Uint8Array, name: Uint8Array): number {
  return lib.hp_removexattr(path, 0, name);
}

export function lremovexattr(path: Uint8Array, name: Uint8Array): number {
  return lib.hp_lremovexattr(path, 0, name);
}

export function fremovexattr(fd: number, name: Uint8Array): number {
  return lib.hp_fremovexattr(fd, name);
}

/** 6.13; ENOSYS before. */
export function removexattrat(dirfd: number, path: Uint8Array, atFlags: number, name: Uint8Array): number {
  return lib.hp_removexattrat(dirfd, path, 0, atFlags, name);
}

/** 6.17; ENOSYS before. `into`: struct file_attr, 24 bytes. */
export function fileGetattr(dirfd: number, path: Uint8Array, into: Uint8Array, size: number, flags: number): number {
  return lib.hp_file_getattr(dirfd, path, 0, into, size, flags);
}

export function fileSetattr(dirfd: number, path: Uint8Array, from: Uint8Array, size: number, flags: number): number {
  return lib.hp_file_setattr(dirfd, path, 0, from, size, flags);
}
