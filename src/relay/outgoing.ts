/** Bytes on their way to a non-blocking descriptor: written at once where it takes them, kept in order where not. */
import { Errno } from "../../ffi/errno.ts";
import { write } from "../../ffi/fd.ts";

export class Outgoing {
  readonly fd: number;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** The other side is gone; what comes is dropped. */
  isGone = false;

  constructor(fd: number) {
    this.fd = fd;
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** `bytes` may be reused by the caller afterwards. */
  send(bytes: Uint8Array): void {
    if (this.isGone || bytes.length === 0) return;
    const written = this.#waitingBytes === 0 ? this.#writeSome(bytes) : 0;
    if (written === bytes.length || this.isGone) return;
    this.#waiting.push(bytes.slice(written));
    this.#waitingBytes += bytes.length - written;
  }

  /** To be called when the descriptor takes bytes again. */
  flush(): void {
    while (this.#waiting.length > 0 && !this.isGone) {
      const first = this.#waiting[0]!;
      const written = this.#writeSome(first);
      this.#waitingBytes -= written;
      if (written < first.length) {
        this.#waiting[0] = first.subarray(written);
        return;
      }
      this.#waiting.shift();
    }
  }

  drop(): void {
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  #writeSome(bytes: Uint8Array): number {
    let at = 0;
    while (at < bytes.length) {
      const written = write(this.fd, bytes, at);
      if (written === -Errno.EAGAIN) break;
      if (written < 0) {
        this.isGone = true;
        this.drop();
        break;
      }
      at += written;
    }
    return at;
  }
}
