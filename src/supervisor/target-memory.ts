/** The caller's memory, read as the kernel would read it. */
import { Errno } from "../../ffi/errno.ts";
import { readInto, readString, writeFrom } from "../../ffi/process-vm.ts";
import type { Call } from "./call.ts";
import { PATH_MAX, type PathBytes } from "./path-bytes.ts";

/** The caller cannot be looked at (not dumpable, or Yama forbids): nobody knows what its call means. */
export const UNREADABLE = -Errno.EPERM;

/** A path argument. 0, or -errno as the kernel would give it; UNREADABLE; -ESRCH if the caller is gone. */
export function readPath(call: Call, index: number, into: PathBytes): number {
  const length = readString(call.tid, call.low(index), call.high(index), into.bytes, 0, PATH_MAX);
  if (length < 0) return length;
  into.end(length);
  return 0;
}

/** Exactly `length` bytes behind a pointer argument, or -errno. */
export function readArgument(call: Call, index: number, into: Uint8Array, length: number, skip = 0): number {
  return readAt(call, call.low(index) + skip, call.high(index), into, length);
}

/** Exactly `length` bytes at an address; `low` may run over into the high half. */
export function readAt(call: Call, low: number, high: number, into: Uint8Array, length: number): number {
  if (length === 0) return 0;
  const carried = low > 0xffffffff ? 1 : 0;
  const got = readInto(call.tid, low >>> 0, high + carried, into, 0, length);
  return got < 0 ? got : got < length ? -Errno.EFAULT : 0;
}

/** A NUL-ended string argument other than a path; its length or -errno. */
export function readText(call: Call, index: number, into: Uint8Array, capacity: number): number {
  return readString(call.tid, call.low(index), call.high(index), into, 0, capacity);
}

/** A NUL-ended string at an address. */
export function readTextAt(call: Call, low: number, high: number, into: Uint8Array, capacity: number): number {
  return readString(call.tid, low, high, into, 0, capacity);
}

/** Hands back what a call returns in memory. */
export function writeArgument(call: Call, index: number, from: Uint8Array, length: number): number {
  const put = writeFrom(call.tid, call.low(index), call.high(index), from, 0, length);
  return put < 0 ? put : put < length ? -Errno.EFAULT : 0;
}
