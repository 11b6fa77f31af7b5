/** The many forms in which times are handed over, as the one that utimensat takes: two struct timespec, 64 bits each. */
import { Errno } from "../../../ffi/errno.ts";
import type { Supervision } from "../supervision.ts";
import { readArgument } from "../target-memory.ts";

const NOW = null;
const MICROSECONDS = 1_000_000;

export type Times = Uint8Array | null;

/** struct timespec[2]; 32-bit callers of the old call have 4-byte fields. undefined if the call was answered. */
export function readTimespecs(s: Supervision, arg: number, isNarrow: boolean): Times | undefined {
  return readFour(s, arg, isNarrow, (nanoseconds) => nanoseconds);
}

/** struct timeval[2]. */
export function readTimevals(s: Supervision, arg: number): Times | undefined {
  return readFour(s, arg, s.call.isCompat, (microseconds) =>
    microseconds < 0n || microseconds >= MICROSECONDS ? undefined : microseconds * 1000n,
  );
}

function readFour(
  s: Supervision,
  arg: number,
  isNarrow: boolean,
  fraction: (value: bigint) => bigint | undefined,
): Times | undefined {
  if (s.call.isNull(arg)) return NOW;
  const raw = new Uint8Array(isNarrow ? 16 : 32);
  const read = readArgument(s.call, arg, raw, raw.length);
  if (read < 0) return void s.refuseUnread(read);
  const values = [...(isNarrow ? Array.from(new Int32Array(raw.buffer), BigInt) : new BigInt64Array(raw.buffer))];
  const [seconds, part, otherSeconds, otherPart] = values as [bigint, bigint, bigint, bigint];
  const first = fraction(part);
  const second = fraction(otherPart);
  if (first === undefined || second === undefined) return void s.call.fail(Errno.EINVAL);
  return new Uint8Array(new BigInt64Array([seconds, first, otherSeconds, second]).buffer);
}

/** struct utimbuf: seconds alone. */
export function readUtimbuf(s: Supervision, arg: number): Times | undefined {
  if (s.call.isNull(arg)) return NOW;
  const raw = new Uint8Array(s.call.isCompat ? 8 : 16);
  const read = readArgument(s.call, arg, raw, raw.length);
  if (read < 0) return void s.refuseUnread(read);
  const [access, change] = s.call.isCompat
    ? Array.from(new Int32Array(raw.buffer), BigInt)
    : [...new BigInt64Array(raw.buffer)];
  return new Uint8Array(new BigInt64Array([access!, 0n, change!, 0n]).buffer);
}
