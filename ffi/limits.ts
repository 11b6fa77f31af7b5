/** Resource limits (prlimit64(2)). A limit is four u32 words: soft low, soft high, hard low, hard high. */
import { lib } from "./lib.ts";

export const RLIMIT_CORE = 4;
export const RLIMIT_NPROC = 6;
export const RLIMIT_NOFILE = 7;
export const RLIMIT_COUNT = 16;

/** Fills `into` (16 bytes) with the process's limit; 0 or -errno. pid 0 is ourselves. */
export function getLimit(pid: number, resource: number, into: Uint32Array): number {
  return lib.hp_prlimit(pid, resource, null, into);
}

export function setLimit(pid: number, resource: number, limit: Uint32Array): number {
  return lib.hp_prlimit(pid, resource, limit, null);
}
