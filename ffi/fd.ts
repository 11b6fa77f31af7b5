/** Calls on descriptors. Results are >= 0 or -errno; new descriptors are CLOEXEC and the caller's to close. */
import {
  F_ADD_SEALS,
  F_DUPFD_CLOEXEC,
  F_GETFD,
  F_GETFL,
  F_SEAL_ALL,
  F_SETFD,
  F_SETFL,
  FD_CLOEXEC,
  MFD_ALLOW_SEALING,
  MFD_CLOEXEC,
  O_CLOEXEC,
} from "./constants.ts";
import { cstring } from "./bytes.ts";
import { must } from "./errno.ts";
import { lib } from "./lib.ts";

export function close(fd: number): number {
  return lib.hp_close(fd);
}

export function read(fd: number, into: Uint8Array, at = 0, length = into.length - at): number {
  return lib.hp_read(fd, into, at, length);
}

export function pread(fd: number, into: Uint8Array, offset = 0, at = 0, length = into.length - at): number {
  return lib.hp_pread(fd, into, at, length, offset >>> 0, Math.floor(offset / 0x100000000));
}

export function write(fd: number, from: Uint8Array, at = 0, length = from.length - at): number {
  return lib.hp_write(fd, from, at, length);
}

export function dup(fd: number): number {
  return lib.hp_fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

export function dup3(fd: number, newFd: number, flags: number): number {
  return lib.hp_dup3(fd, newFd, flags);
}

export function fcntl(fd: number, command: number, argument = 0): number {
  return lib.hp_fcntl(fd, command, argument);
}

/** O_ flags of the open file. */
export function statusFlags(fd: number): number {
  return lib.hp_fcntl(fd, F_GETFL, 0);
}

export function setStatusFlags(fd: number, flags: number): number {
  return lib.hp_fcntl(fd, F_SETFL, flags);
}

export function isOpen(fd: number): boolean {
  return lib.hp_fcntl(fd, F_GETFD, 0) >= 0;
}

export function setCloexec(fd: number, on: boolean): number {
  return lib.hp_fcntl(fd, F_SETFD, on ? FD_CLOEXEC : 0);
}

/** [read end, write end]; throws. */
export function pipe(flags = O_CLOEXEC): [number, number] {
  const fds = new Int32Array(2);
  must(lib.hp_pipe2(fds, flags), "pipe2");
  return [fds[0]!, fds[1]!];
}

/** An eventfd to wake `Listener.wait`; throws. */
export function eventfd(initial = 0): number {
  return must(lib.hp_eventfd(initial, O_CLOEXEC), "eventfd2");
}

const ONE = new Uint8Array(new BigUint64Array([1n]).buffer);

export function wakeEventfd(fd: number): number {
  return lib.hp_write(fd, ONE, 0, 8);
}

/** An empty anonymous file; throws. */
export function memfd(name: string): number {
  return must(lib.hp_memfd_create(cstring(name), MFD_CLOEXEC), "memfd_create");
}

/** A sealed anonymous file that holds `bytes`; throws. */
export function sealedMemfd(name: string, bytes: Uint8Array): number {
  const fd = must(lib.hp_memfd_create(cstring(name), MFD_CLOEXEC | MFD_ALLOW_SEALING), "memfd_create");
  for (let at = 0; at < bytes.length;) at += must(lib.hp_write(fd, bytes, at, bytes.length - at), "write");
  must(lib.hp_fcntl(fd, F_ADD_SEALS, F_SEAL_ALL), "fcntl(F_ADD_SEALS)");
  return fd;
}

export function ftruncate(fd: number, lengthLow: number, lengthHigh: number): number {
  return lib.hp_ftruncate(fd, lengthLow, lengthHigh);
}

export function getdents(fd: number, into: Uint8Array): number {
  return lib.hp_getdents(fd, into, into.length);
}

/** Fills struct statfs (120 bytes on 64-bit); f_type is its first word. */
export function fstatfs(fd: number, into: Uint8Array): number {
  return lib.hp_fstatfs(fd, into);
}

/** `pollfds`: 8 bytes each: fd i32, events u16, revents u16. */
export function poll(pollfds: Uint8Array, count: number, timeoutMs: number): number {
  return lib.hp_poll(pollfds, count, timeoutMs);
}

const onePollfd = new Int32Array(2);

/** The returned events of one fd, 0 on time-out, -errno. */
export function pollOne(fd: number, events: number, timeoutMs: number): number {
  onePollfd[0] = fd;
  onePollfd[1] = events;
  const result = lib.hp_poll(onePollfd, 1, timeoutMs);
  return result <= 0 ? result : onePollfd[1] >>> 16;
}

/** With memory that the kernel reads or fills. */
export function ioctl(fd: number, request: number, argument: NodeJS.TypedArray | null): number {
  return lib.hp_ioctl_pointer(fd, request, argument);
}

/** With a plain value. */
export function ioctlValue(fd: number, request: number, argument: number): number {
  return lib.hp_ioctl_value(fd, request, argument);
}

export function flock(fd: number, operation: number): number {
  return lib.hp_flock(fd, operation);
}

/** Reads a small file whole (at most `into.length` bytes) in one crossing; `path` ends with NUL. */
export function readFile(dirfd: number, path: Uint8Array, into: Uint8Array, at = 0): number {
  return lib.hp_read_file(dirfd, path, at, into, into.length);
}

/** Writes all bytes in one write(2) to an existing file. */
export function writeFile(dirfd: number, path: Uint8Array, from: Uint8Array, at = 0): number {
  return lib.hp_write_file(dirfd, path, at, from, from.length);
}

/** A descriptor that closes itself at the end of its `using` block. */
export class OwnedFd implements Disposable {
  #fd: number;
  constructor(fd: number) {
    this.#fd = fd;
  }
  get fd(): number {
    return this.#fd;
  }
  /** Hands the descriptor on; nothing is closed any more. */
  release(): number {
    const fd = this.#fd;
    this.#fd = -1;
    return fd;
  }
  [Symbol.dispose](): void {
    if (this.#fd >= 0) close(this.release());
  }
}
