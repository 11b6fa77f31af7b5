/** Credentials, umask and namespaces of the calling thread alone (see native/creds.c). >= 0 or -errno. */
import { lib } from "./lib.ts";

const IMPOSSIBLE = 0xffffffff;

/** False if the kernel did not take it: setfsuid(2) itself reports nothing. */
export function setfsuid(uid: number): boolean {
  lib.hp_setfsuid(uid);
  return lib.hp_setfsuid(IMPOSSIBLE) >>> 0 === uid;
}

export function setfsgid(gid: number): boolean {
  lib.hp_setfsgid(gid);
  return lib.hp_setfsgid(IMPOSSIBLE) >>> 0 === gid;
}

export function fsuid(): number {
  return lib.hp_setfsuid(IMPOSSIBLE) >>> 0;
}

export function fsgid(): number {
  return lib.hp_setfsgid(IMPOSSIBLE) >>> 0;
}

export function setgroups(groups: Uint32Array, count = groups.length): number {
  return lib.hp_setgroups(groups, count);
}

export function getgroups(): number[] {
  const groups = new Uint32Array(65536);
  const count = lib.hp_getgroups(groups, groups.length);
  return [...groups.subarray(0, Math.max(count, 0))];
}

/** Six words: effective, permitted, inheritable of capabilities 0-31, then of 32-63. */
export function capget(into: Uint32Array): number {
  return lib.hp_capget(into);
}

export function capset(sets: Uint32Array): number {
  return lib.hp_capset(sets);
}

/** Returns the mask before. Shared with other threads until `unshare(CLONE_FS)`. */
export function umask(mask: number): number {
  return lib.hp_umask(mask);
}

export function unshare(flags: number): number {
  return lib.hp_unshare(flags);
}

export function setns(fd: number, flags: number): number {
  return lib.hp_setns(fd, flags);
}

/** Real, effective, saved. */
export function getresuid(): [number, number, number] {
  const ids = new Uint32Array(3);
  lib.hp_getresuid(ids);
  return [ids[0]!, ids[1]!, ids[2]!];
}

export function getresgid(): [number, number, number] {
  const ids = new Uint32Array(3);
  lib.hp_getresgid(ids);
  return [ids[0]!, ids[1]!, ids[2]!];
}
