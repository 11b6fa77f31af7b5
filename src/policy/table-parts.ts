/** The pieces that tables are put together from: words, strings, and the sections that they become. */
import { HEADER_WORDS } from "./layout.ts";
import { encodePath } from "./path-text.ts";

/** Strings one after the other. */
export class StringPool {
  #bytes = new Uint8Array(1 << 14);
  #length = 0;
  readonly #encoder = new TextEncoder();

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Where the text is, and its length in bytes. */
  add(text: string): [at: number, length: number] {
    if (!text.isWellFormed()) return this.addBytes(encodePath(text));
    this.#reserve(text.length * 3);
    const { written } = this.#encoder.encodeInto(text, this.#bytes.subarray(this.#length));
    return this.#advance(written);
  }

  addBytes(bytes: Uint8Array): [at: number, length: number] {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    return this.#advance(bytes.length);
  }

  #advance(length: number): [at: number, length: number] {
    const at = this.#length;
    this.#length += length;
    return [at, length];
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = new Uint8Array((this.#length + more) * 2);
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}

/** The header and what its fields point to. */
export class Sections {
  readonly header = new Uint32Array(HEADER_WORDS);
  readonly #parts: Uint8Array[] = [new Uint8Array(this.header.buffer)];
  length = HEADER_WORDS * 4;

  words(field: number, words: readonly number[] | Uint32Array<ArrayBuffer>): void {
    this.bytes(field, new Uint8Array((words instanceof Uint32Array ? words : Uint32Array.from(words)).buffer));
  }

  /** Sections begin at a multiple of 4. */
  bytes(field: number, bytes: Uint8Array): void {
    this.header[field] = this.length;
    const padding = (4 - (bytes.length % 4)) % 4;
    this.#parts.push(bytes, new Uint8Array(padding));
    this.length += bytes.length + padding;
  }

  join(): Uint8Array {
    const whole = new Uint8Array(this.length);
    let at = 0;
    for (const part of this.#parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }
}
