/** Calls that wait for somebody else, on threads of their own that can be called back (native/blocking.c). */
import { Errno } from "./errno.ts";
import { close, pollOne, read } from "./fd.ts";
import { POLLHUP, POLLIN } from "./constants.ts";
import { lib } from "./lib.ts";

/** One call that was started. */
export class BlockingCall {
  #pipe: number;
  #tid = 0;
  readonly #words = new Int32Array(1);

  private constructor(pipe: number) {
    this.#pipe = pipe;
  }

  /** -errno if it could not be started. `dirfd` must stay open until there is a result. */
  static open(dirfd: number, path: Uint8Array, flags: number, mode: number): BlockingCall | number {
    const pipe = lib.hp_blocking_open(dirfd, path, 0, flags, mode);
    return pipe < 0 ? pipe : new BlockingCall(pipe);
  }

  static connect(fd: number, address: Uint8Array, length: number): BlockingCall | number {
    const pipe = lib.hp_blocking_connect(fd, address, length);
    return pipe < 0 ? pipe : new BlockingCall(pipe);
  }

  /** The call's result once it has one; never waits. A descriptor in it is the caller's. */
  result(): number | undefined {
    if (this.#tid === 0) this.#tid = this.#next() ?? 0;
    const result = this.#tid === 0 ? undefined : this.#next();
    if (result === undefined) return undefined;
    close(this.#pipe);
    this.#pipe = -1;
    return result;
  }

  /** Ends it with EINTR; to be repeated until there is a result. */
  interrupt(): void {
    if (this.#tid > 0 && this.#pipe >= 0) lib.hp_blocking_interrupt(this.#tid);
  }

  #next(): number | undefined {
    const events = pollOne(this.#pipe, POLLIN, 0);
    if ((events & (POLLIN | POLLHUP)) === 0) return undefined;
    return read(this.#pipe, new Uint8Array(this.#words.buffer)) === 4 ? this.#words[0]! : -Errno.EIO;
  }
}
