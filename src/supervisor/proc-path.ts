/** Names below /proc as bytes that end with NUL, written into one buffer again and again. */

const SLASH = 0x2f;
const ZERO = 0x30;

function latin(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** What follows /proc/TID. */
export const CWD = latin("/cwd\0");
export const ROOT = latin("/root\0");
export const EXE = latin("/exe\0");
export const STATUS = latin("/status\0");
export const STAT = latin("/stat\0");
export const CMDLINE = latin("/cmdline\0");
export const MOUNT_NAMESPACE = latin("/ns/mnt\0");
export const USER_NAMESPACE = latin("/ns/user\0");
export const TASK = latin("/task\0");
export const ITSELF = latin("\0");
/** The same seen from /proc/TID. */
export const CWD_THERE = latin("cwd\0");
export const EXE_THERE = latin("exe\0");
export const FDS = latin("/fd\0");
const FD = latin("/fd/");
const FDINFO = latin("/fdinfo/");
const PROC = latin("/proc/");

/** Each call overwrites what the one before returned. */
export class ProcPath {
  readonly bytes = new Uint8Array(64);

  constructor() {
    this.bytes.set(PROC);
  }

  /** /proc/PID and a suffix (above), which ends with NUL. */
  of(pid: number, suffix: Uint8Array): Uint8Array {
    const at = this.number(PROC.length, pid);
    for (let index = 0; index < suffix.length; index++) this.bytes[at + index] = suffix[index]!;
    return this.bytes;
  }

  /** /proc/PID/ and a name with its NUL. */
  below(pid: number, name: Uint8Array): Uint8Array {
    let at = this.number(PROC.length, pid);
    this.bytes[at++] = SLASH;
    for (let index = 0; index < name.length && at < this.bytes.length; index++) this.bytes[at++] = name[index]!;
    return this.bytes;
  }

  fd(pid: number, fd: number): Uint8Array {
    return this.numbered(pid, FD, fd);
  }

  fdinfo(pid: number, fd: number): Uint8Array {
    return this.numbered(pid, FDINFO, fd);
  }

  private numbered(pid: number, folder: Uint8Array, number: number): Uint8Array {
    let at = this.number(PROC.length, pid);
    for (let index = 0; index < folder.length; index++) this.bytes[at++] = folder[index]!;
    this.bytes[this.number(at, number)] = 0;
    return this.bytes;
  }

  private number(at: number, number: number): number {
    return writeNumber(this.bytes, at, number);
  }
}

/** "fd/N", seen from /proc/TID. */
export class FdName {
  readonly bytes = new Uint8Array(16);

  constructor() {
    this.bytes.set(latin("fd/"));
  }

  of(fd: number): Uint8Array {
    this.bytes[writeNumber(this.bytes, 3, fd)] = 0;
    return this.bytes;
  }
}

/** Decimal digits from `at` on; where they end. */
function writeNumber(bytes: Uint8Array, at: number, number: number): number {
  let divisor = 1;
  while (number / divisor >= 10) divisor *= 10;
  for (; divisor >= 1; divisor /= 10) bytes[at++] = ZERO + (Math.floor(number / divisor) % 10);
  return at;
}

/**
 * Names of what one of our own descriptors holds. Named by our pid, not by "self": with another thread's file-system
 * ids the kernel still knows us by our thread group.
 */
export class OwnFdPath {
  readonly bytes = new Uint8Array(4400);
  private readonly prefix: number;

  constructor() {
    const prefix = latin(`/proc/${process.pid}/fd/`);
    this.bytes.set(prefix);
    this.prefix = prefix.length;
  }

  /** The object itself, through the magic link. */
  of(fd: number): Uint8Array {
    this.bytes[this.number(fd)] = 0;
    return this.bytes;
  }

  /** A name in the folder that `fd` holds. */
  child(fd: number, name: Uint8Array, length: number): Uint8Array {
    let at = this.number(fd);
    this.bytes[at++] = SLASH;
    for (let index = 0; index < length; index++) this.bytes[at++] = name[index]!;
    this.bytes[at] = 0;
    return this.bytes;
  }

  private number(fd: number): number {
    return writeNumber(this.bytes, this.prefix, fd);
  }
}
