/**
 * Follows the output with the model and lets it go on only up to the end of a whole character or sequence, so that the
 * bar can be put between any two pieces. The bytes and their order are never changed, save in a string that a program
 * leaves open while it is asked about.
 */
import type { Screen } from "./screen/screen.ts";

/** An unfinished sequence longer than this goes on in pieces (pictures). */
const MAX_TAIL = 4096;

export class Splitter {
  readonly #screen: Screen;
  readonly #send: (bytes: Uint8Array) => void;
  #tail: Uint8Array[] = [];
  #tailBytes = 0;
  /** The terminal has the beginning of something whose end has not come: nothing may come in between. */
  isCut = false;
  #isDropping = false;

  constructor(screen: Screen, send: (bytes: Uint8Array) => void) {
    this.#screen = screen;
    this.#send = send;
  }

  take(bytes: Uint8Array): void {
    let from = 0;
    if (this.#isDropping) {
      from = this.#drop(bytes);
      if (from === bytes.length) return;
    }
    const rest = from === 0 ? bytes : bytes.subarray(from);
    const boundary = this.#screen.feed(rest);
    if (boundary > 0) {
      // In one piece: some terminals lose a character whose bytes come in two.
      this.#send(this.#tailBytes === 0 ? rest.subarray(0, boundary) : this.#withTail(rest.subarray(0, boundary)));
      this.isCut = false;
    }
    this.#keep(rest.subarray(boundary));
  }

  #keep(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#tail.push(bytes.slice());
    this.#tailBytes += bytes.length;
    if (this.#tailBytes <= MAX_TAIL) return;
    this.#sendTail();
    this.isCut = true;
  }

  #withTail(bytes: Uint8Array): Uint8Array {
    const whole = Buffer.concat([...this.#tail, bytes]);
    this.#tail = [];
    this.#tailBytes = 0;
    return whole;
  }

  #sendTail(): void {
    for (const bytes of this.#tail) this.#send(bytes);
    this.#tail = [];
    this.#tailBytes = 0;
  }

  /** All that is left, whole or not. */
  end(): void {
    this.#sendTail();
  }

  /** The terminal is made to forget the string it is in; what else comes of it is dropped. Returns what does that. */
  breakOff(): string {
    this.isCut = false;
    this.#isDropping = true;
    return "\x18\x1b\\";
  }

  /** Up to the end of the string, byte by byte. */
  #drop(bytes: Uint8Array): number {
    for (let at = 0; at < bytes.length; at++) {
      this.#screen.feed(bytes.subarray(at, at + 1));
      if (!this.#screen.parser.isGround) continue;
      this.#isDropping = false;
      return at + 1;
    }
    return bytes.length;
  }
}
