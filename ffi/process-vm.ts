/** Memory of other processes (process_vm_readv(2)). Addresses come as two u32 halves. */
import { lib } from "./lib.ts";

/** Bytes read from the start (may be fewer than `length` where memory ends), or -errno: EFAULT, ESRCH, EPERM. */
export function readInto(
  pid: number,
  addressLow: number,
  addressHigh: number,
  into: Uint8Array,
  at: number,
  length: number,
): number {
  return lib.hp_process_read(pid, addressLow, addressHigh, into, at, length);
}

/**
 * A NUL-ended string of at most `capacity` bytes with its NUL, read page by page as the kernel reads a path. Length
 * without the NUL, or -errno: EFAULT, ENAMETOOLONG, ESRCH, EPERM.
 */
export function readString(
  pid: number,
  addressLow: number,
  addressHigh: number,
  into: Uint8Array,
  at: number,
  capacity: number,
): number {
  return lib.hp_process_read_string(pid, addressLow, addressHigh, into, at, capacity);
}

/** Writes what a carried-out call hands back in memory. */
export function writeFrom(
  pid: number,
  addressLow: number,
  addressHigh: number,
  from: Uint8Array,
  at: number,
  length: number,
): number {
  return lib.hp_process_write(pid, addressLow, addressHigh, from, at, length);
}
