/** Bytes on their way to a peer that may be slow: kept up to a limit, never waited for. */

/** The part of a Bun socket that the outbox writes to. */
export interface Pipe {
  write(bytes: Uint8Array): number;
}

export class Outbox {
  private readonly waiting: Uint8Array[] = [];
  private bytes = 0;

  constructor(
    private readonly pipe: Pipe,
    private readonly limit: number,
  ) {}

  /** False when the peer has fallen so far behind that it has to go. */
  send(bytes: Uint8Array): boolean {
    this.waiting.push(bytes);
    this.bytes += bytes.length;
    this.flush();
    return this.bytes <= this.limit;
  }

  /** The peer takes bytes again. */
  flush(): void {
    while (this.waiting.length > 0) {
      const next = this.waiting[0]!;
      const written = Math.max(0, this.pipe.write(next));
      this.bytes -= written;
      if (written < next.length) return void (this.waiting[0] = next.subarray(written));
      this.waiting.shift();
    }
  }

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }
}
