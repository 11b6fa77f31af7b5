/**
 * Splits the program's output into text, controls and sequences (the state machine of ECMA-48 terminals, UTF-8), and
 * says where it may be cut: `boundary` is the end of the last whole character or sequence of the bytes just fed.
 */
import { Parameters } from "./parameters.ts";

/** What the sequences mean. Intermediates are one string, the prefix of a private CSI first: "?", "$", "?$", … */
export interface Terminal {
  /** Printable ASCII. */
  printRun(bytes: Uint8Array, from: number, to: number): void;
  printCharacter(code: number): void;
  control(code: number): void;
  escape(intermediates: string, final: string): void;
  csi(intermediates: string, final: number, parameters: Parameters): void;
  /** The text of an OSC, cut at `STRING_BYTES`. */
  osc(text: Uint8Array): void;
  dcs(intermediates: string, final: number, text: Uint8Array): void;
  apc(text: Uint8Array): void;
}

const State = {
  ground: 0,
  escape: 1,
  csi: 2,
  csiIgnore: 3,
  osc: 4,
  dcsHeader: 5,
  dcs: 6,
  apc: 7,
  /** SOS and PM: no terminal does anything with them. */
  ignoredString: 8,
} as const;
type State = (typeof State)[keyof typeof State];

const ESC = 0x1b;
const CAN = 0x18;
const SUB = 0x1a;
const REPLACEMENT = 0xfffd;
/** What is kept of a string; longer ones are pictures and the like. */
const STRING_BYTES = 4096;

export class Parser {
  readonly #terminal: Terminal;
  readonly #parameters = new Parameters();
  #state: State = State.ground;
  #intermediates = "";
  #string = new Uint8Array(STRING_BYTES);
  #stringLength = 0;
  /** Of a character whose bytes have not all come: what is known of it, and how many are missing. */
  #character = 0;
  #missing = 0;
  #smallest = 0;
  /** A character in the middle of a sequence ends the sequence and is not printed. */
  #isSwallowed = false;
  /** Where the sequence or character that is not over began, in the bytes being fed; below 0 in earlier ones. */
  #began = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  get isGround(): boolean {
    return this.#state === State.ground && this.#missing === 0;
  }

  /** Inside an OSC, DCS, APC or the like, which only its end ends. */
  get isInString(): boolean {
    return this.#state >= State.osc && this.#state !== State.dcsHeader;
  }

  /** Returns the boundary: bytes before it are whole. 0 where everything belongs to something unfinished. */
  feed(bytes: Uint8Array): number {
    const { length } = bytes;
    this.#began = 0;
    let at = 0;
    while (at < length) at = this.#state === State.ground ? this.#ground(bytes, at) : this.#sequence(bytes, at);
    return this.isGround ? length : Math.max(this.#began, 0);
  }

  #ground(bytes: Uint8Array, from: number): number {
    const byte = bytes[from]!;
    if (this.#missing > 0) return this.#continue(byte, from);
    if (byte >= 0x20 && byte < 0x7f) {
      let to = from + 1;
      while (to < bytes.length) {
        const next = bytes[to]!;
        if (next < 0x20 || next > 0x7e) break;
        to++;
      }
      this.#terminal.printRun(bytes, from, to);
      return to;
    }
    if (byte < 0x20) {
      if (byte === ESC) this.#enter(State.escape, from);
      else this.#terminal.control(byte);
    } else if (byte >= 0x80) this.#lead(byte, from);
    return from + 1;
  }

  #enter(state: State, began: number): void {
    this.#state = state;
    this.#began = began;
    this.#intermediates = "";
  }

  #lead(byte: number, from: number): void {
    if (byte >= 0xc2 && byte < 0xe0) this.#expect(byte & 0x1f, 1, 0x80);
    else if (byte >= 0xe0 && byte < 0xf0) this.#expect(byte & 0x0f, 2, 0x800);
    else if (byte >= 0xf0 && byte < 0xf5) this.#expect(byte & 0x07, 3, 0x10000);
    else this.#print(REPLACEMENT);
    this.#began = from;
  }

  #expect(bits: number, missing: number, smallest: number): void {
    this.#character = bits;
    this.#missing = missing;
    this.#smallest = smallest;
  }

  #continue(byte: number, from: number): number {
    if ((byte & 0xc0) !== 0x80) {
      this.#missing = 0;
      this.#print(REPLACEMENT);
      return from;
    }
    this.#character = (this.#character << 6) | (byte & 0x3f);
    if (--this.#missing === 0) this.#whole(from + 1);
    return from + 1;
  }

  #whole(end: number): void {
    const code = this.#character;
    if (code < this.#smallest || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) this.#print(REPLACEMENT);
    else if (code < 0xa0) this.#c1(code, end);
    else this.#print(code);
  }

  #print(code: number): void {
    if (this.#isSwallowed) this.#isSwallowed = false;
    else this.#terminal.printCharacter(code);
  }

  /** U+0080 to U+009F are ESC and the character 0x40 below. */
  #c1(code: number, end: number): void {
    if (this.#isSwallowed) this.#isSwallowed = false;
    else {
      this.#intermediates = "";
      this.#escapeFinal(code - 0x40, end - 2);
    }
  }

  #sequence(bytes: Uint8Array, from: number): number {
    const byte = bytes[from]!;
    if (this.#state >= State.osc && this.#state !== State.dcsHeader) return this.#inString(bytes, from);
    if (byte === ESC) this.#enter(State.escape, from);
    else if (byte === CAN || byte === SUB) this.#state = State.ground;
    else if (byte < 0x20) {
      if (this.#state !== State.dcsHeader) this.#terminal.control(byte);
    } else if (byte >= 0x80) return this.#swallow(bytes, from);
    else if (byte !== 0x7f) this.#step(byte, from);
    return from + 1;
  }

  #swallow(bytes: Uint8Array, from: number): number {
    this.#state = State.ground;
    this.#isSwallowed = true;
    this.#lead(bytes[from]!, this.#began);
    return from + 1;
  }

  #step(byte: number, from: number): void {
    if (this.#state === State.escape) {
      if (byte < 0x30) this.#collect(byte);
      else this.#escapeFinal(byte, Math.min(this.#began, from));
    } else this.#header(byte);
  }

  #collect(byte: number): void {
    if (this.#intermediates.length < 4) this.#intermediates += String.fromCharCode(byte);
  }

  #escapeFinal(final: number, began: number): void {
    if (this.#intermediates === "" && this.#startsLonger(final, began)) return;
    this.#state = State.ground;
    this.#terminal.escape(this.#intermediates, String.fromCharCode(final));
  }

  #startsLonger(final: number, began: number): boolean {
    if (final === 0x5b) this.#enter(State.csi, began);
    else if (final === 0x5d) this.#enter(State.osc, began);
    else if (final === 0x50) this.#enter(State.dcsHeader, began);
    else if (final === 0x5f) this.#enter(State.apc, began);
    else if (final === 0x58 || final === 0x5e) this.#enter(State.ignoredString, began);
    else return false;
    this.#parameters.clear();
    this.#stringLength = 0;
    return true;
  }

  /** CSI and the beginning of a DCS: prefix, numbers, intermediates, final. */
  #header(byte: number): void {
    if (byte >= 0x40) this.#headerFinal(byte);
    else if (this.#state === State.csiIgnore) return;
    else if (byte < 0x30) this.#collect(byte);
    else if (byte < 0x3a) this.#parameters.digit(byte - 0x30);
    else if (byte === 0x3b) this.#parameters.separate(0);
    else if (byte === 0x3a) this.#parameters.separate(1);
    else if (this.#parameters.count === 0 && this.#intermediates === "") this.#collect(byte);
    else if (this.#state === State.csi) this.#state = State.csiIgnore;
  }

  #headerFinal(final: number): void {
    if (this.#state === State.dcsHeader) {
      this.#state = State.dcs;
      this.#dcsFinal = final;
      return;
    }
    const isMeant = this.#state === State.csi;
    this.#state = State.ground;
    if (isMeant) this.#terminal.csi(this.#intermediates, final, this.#parameters);
  }

  #dcsFinal = 0;

  #inString(bytes: Uint8Array, from: number): number {
    let to = from;
    while (to < bytes.length && !this.#mayEnd(bytes[to]!)) to++;
    this.#keep(bytes, from, to);
    if (to === bytes.length) return to;
    return this.#end(bytes[to]!, to);
  }

  #mayEnd(byte: number): boolean {
    return (
      byte === ESC || byte === CAN || byte === SUB || byte === 0x9c || (byte === 0x07 && this.#state === State.osc)
    );
  }

  #keep(bytes: Uint8Array, from: number, to: number): void {
    const room = Math.min(to - from, STRING_BYTES - this.#stringLength);
    if (room <= 0) return;
    this.#string.set(bytes.subarray(from, from + room), this.#stringLength);
    this.#stringLength += room;
  }

  #end(byte: number, at: number): number {
    // 0x9c ends a string only as the second byte of U+009C.
    if (byte === 0x9c && this.#string[this.#stringLength - 1] !== 0xc2) {
      this.#string[Math.min(this.#stringLength++, STRING_BYTES - 1)] = byte;
      this.#stringLength = Math.min(this.#stringLength, STRING_BYTES);
      return at + 1;
    }
    if (byte === 0x9c) this.#stringLength--;
    if (byte !== CAN && byte !== SUB) this.#dispatchString();
    // An ESC ends the string by itself; what follows (`\`, as a rule) is a sequence of its own, but no place to cut.
    if (byte === ESC) this.#enter(State.escape, this.#began);
    else this.#state = State.ground;
    return at + 1;
  }

  #dispatchString(): void {
    const text = this.#string.subarray(0, this.#stringLength);
    if (this.#state === State.osc) this.#terminal.osc(text);
    else if (this.#state === State.dcs) this.#terminal.dcs(this.#intermediates, this.#dcsFinal, text);
    else if (this.#state === State.apc) this.#terminal.apc(text);
  }

  /** The sequence that is open was broken off from outside. */
  abandon(): void {
    this.#state = State.ground;
    this.#missing = 0;
    this.#isSwallowed = false;
  }
}
