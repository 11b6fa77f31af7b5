/** The program's output that is kept from the terminal while the bar is up: bounded, in order, to the byte. */

export class Held {
  #chunks: Uint8Array[] = [];
  bytes = 0;

  /** `bytes` may be reused by the caller afterwards. */
  add(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#chunks.push(bytes.slice());
    this.bytes += bytes.length;
  }

  take(): Uint8Array[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    this.bytes = 0;
    return chunks;
  }
}
