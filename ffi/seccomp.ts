/** The listener of a seccomp filter (seccomp_unotify(2)), and what this kernel knows of it. */
import {
  SECCOMP_ADDFD_FLAG_SEND,
  SECCOMP_ADDFD_FLAG_SETFD,
  SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP,
  SECCOMP_USER_NOTIF_FLAG_CONTINUE,
} from "./constants.ts";
import { lib } from "./lib.ts";

/**
 * Where the fields of `struct seccomp_notif` lie, as indexes into its 20 u32 words. Argument n is word `args + 2 * n`
 * (low half) and the one after it.
 *
 *   byte 0 id   8 pid   12 flags   16 nr   20 arch   24 instruction pointer   32 args[6]   = 80 bytes
 */
export const NOTIF = { idLow: 0, idHigh: 1, pid: 2, flags: 3, nr: 4, arch: 5, ipLow: 6, ipHigh: 7, args: 8 } as const;
export const NOTIF_BYTES = 80;
export const NOTIF_WORDS = NOTIF_BYTES / 4;

/** Bits of `Listener.wait`. */
export const WAIT_NOTIFICATION = 1;
export const WAIT_ENDED = 2;
export const WAIT_WOKEN = 4;

/** Results are >= 0 or -errno; -ENOENT everywhere means that the caller is gone. Nothing here allocates. */
export class Listener {
  /** The last notification received; overwritten by the next. Same memory as `words`. */
  readonly bytes = new Uint8Array(NOTIF_BYTES);
  readonly words = new Uint32Array(this.bytes.buffer);

  /** The fd stays its opener's: several threads may each have a Listener on it. */
  constructor(readonly fd: number) {}

  /** Blocks in the kernel until a call is trapped, and fills `bytes`. */
  receive(): number {
    return lib.hp_seccomp_receive(this.fd, this.bytes);
  }

  /** Blocks until there is a notification, the last task ended, or the eventfd `wake` was written; 0 on time-out. */
  wait(wake = -1, timeoutMs = -1): number {
    return lib.hp_seccomp_wait(this.fd, wake, timeoutMs);
  }

  sendContinue(idLow: number, idHigh: number): number {
    return lib.hp_seccomp_send(this.fd, idLow, idHigh, 0, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
  }

  /** `errno` positive, as the caller shall find it. */
  sendError(idLow: number, idHigh: number, errno: number): number {
    return lib.hp_seccomp_send(this.fd, idLow, idHigh, -errno, 0, 0);
  }

  sendValue(idLow: number, idHigh: number, value: number): number {
    return lib.hp_seccomp_send(this.fd, idLow, idHigh, 0, value, 0);
  }

  /** Answers with a result as a call gives it: a value, or -errno. */
  sendResult(idLow: number, idHigh: number, result: number): number {
    return result < 0
      ? lib.hp_seccomp_send(this.fd, idLow, idHigh, result, 0, 0)
      : lib.hp_seccomp_send(this.fd, idLow, idHigh, 0, result, 0);
  }

  /** Puts a copy of `fd` at the lowest free number of the caller, and answers the call with that number (5.14). */
  addfdSend(idLow: number, idHigh: number, fd: number, flags: number): number {
    return lib.hp_seccomp_addfd(this.fd, idLow, idHigh, SECCOMP_ADDFD_FLAG_SEND, fd, 0, flags);
  }

  /** The same without the answer: the result is the number in the caller. */
  addfd(idLow: number, idHigh: number, fd: number, flags: number): number {
    return lib.hp_seccomp_addfd(this.fd, idLow, idHigh, 0, fd, 0, flags);
  }

  /** Replaces the caller's descriptor `at`. */
  addfdAt(idLow: number, idHigh: number, fd: number, at: number, flags: number): number {
    return lib.hp_seccomp_addfd(this.fd, idLow, idHigh, SECCOMP_ADDFD_FLAG_SETFD, fd, at, flags);
  }

  /** 0 while the call waits. To be asked after each look at the caller and before the result is used. */
  idValid(idLow: number, idHigh: number): number {
    return lib.hp_seccomp_id_valid(this.fd, idLow, idHigh);
  }

  /** Wakes the other side on the same CPU: a factor of eight (6.6). False where the kernel has no such thing. */
  setSyncWakeUp(): boolean {
    return lib.hp_seccomp_set_flags(this.fd, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP) === 0;
  }
}

/** True if seccomp(2) here takes all these SECCOMP_FILTER_FLAG_ bits (WAIT_KILLABLE_RECV only with NEW_LISTENER). */
export function knowsFilterFlags(flags: number): boolean {
  return lib.hp_seccomp_knows_filter_flags(flags) === 1;
}

/** Sizes of seccomp_notif, seccomp_notif_resp and seccomp_data here, or -errno where there is no notification. */
export function notificationSizes(): readonly [number, number, number] | number {
  const sizes = new Uint16Array(3);
  const result = lib.hp_seccomp_notification_sizes(sizes);
  return result < 0 ? result : [sizes[0]!, sizes[1]!, sizes[2]!];
}

/** Puts the calling thread under a filter for good: probes and tests only. */
export function setFilter(instructions: Uint8Array, flags: number): number {
  return lib.hp_seccomp_set_filter(instructions, instructions.length / 8, flags);
}
