/**
 * Splits what comes from the terminal into what a person typed, what was pasted and what the terminal said by itself.
 * Every byte is in exactly one token, in order.
 */
import { csiKey, plainKey, win32Key } from "./keys.ts";

export type TokenKind =
  | "key"
  /** An answer to a query: cursor position, attributes, colors, … */
  | "reply"
  | "focus"
  | "mouse"
  | "paste";

export interface Token {
  readonly kind: TokenKind;
  /** `key` only; see keys.ts. */
  readonly key: string;
  readonly bytes: Uint8Array;
  /** `reply` to CSI 6 n only. */
  readonly position?: { readonly x: number; readonly y: number };
}

const ESC = 0x1b;
const PASTE_END = new TextEncoder().encode("\x1b[201~");
/** A string or sequence without an end is no token; its bytes are let go at this length. */
const MAX_BYTES = 64 * 1024;
const latin1 = new TextDecoder("latin1");
const utf8 = new TextDecoder();

const Shape = { start: 0, escape: 1, csi: 2, ss3: 3, string: 4, paste: 5, character: 6, x10Mouse: 7 } as const;
type Shape = (typeof Shape)[keyof typeof Shape];

export class InputReader {
  #shape: Shape = Shape.start;
  #bytes: number[] = [];
  #missing = 0;
  #matched = 0;

  /** Bytes of a token that is not whole. */
  get pending(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }

  get isPending(): boolean {
    return this.#bytes.length > 0;
  }

  /** An ESC that has come without its tail, if it is to have one. */
  get isLoneEscape(): boolean {
    return this.#shape === Shape.escape && this.#bytes.length === 1;
  }

  get isInPaste(): boolean {
    return this.#shape === Shape.paste;
  }

  feed(bytes: Uint8Array): Token[] {
    const tokens: Token[] = [];
    for (const byte of bytes) {
      const token = this.#step(byte);
      if (token !== undefined) tokens.push(token);
    }
    // A paste may be long: its pieces are tokens of their own.
    if (this.isInPaste && this.isPending) tokens.push(this.#pasted(true));
    return tokens;
  }

  #pasted(goesOn: boolean): Token {
    const token = this.#done("paste", "");
    if (goesOn) this.#shape = Shape.paste;
    return token;
  }

  /** An ESC that was given up as Esc may have been the beginning of what comes now: it is read again before it. */
  reopenEscape(): void {
    this.#bytes = [ESC];
    this.#shape = Shape.escape;
  }

  /** What is pending is all there will be: an Esc, or the broken beginning of something. */
  giveUp(): Token | undefined {
    if (!this.isPending || this.isInPaste) return undefined;
    return this.isLoneEscape ? this.#done("key", "escape") : this.#done("key", "");
  }

  #step(byte: number): Token | undefined {
    this.#bytes.push(byte);
    if (this.#shape === Shape.start) return this.#start(byte);
    if (this.#shape === Shape.paste) return this.#inPaste(byte);
    if (this.#bytes.length > MAX_BYTES) return this.#done("reply", "");
    if (this.#shape === Shape.string) return this.#inString(byte);
    if (this.#shape === Shape.character || this.#shape === Shape.x10Mouse) return this.#counted();
    if (byte === ESC) return this.#restart();
    if (this.#shape === Shape.escape) return this.#afterEscape(byte);
    return this.#inSequence(byte);
  }

  #start(byte: number): Token | undefined {
    if (byte === ESC) this.#shape = Shape.escape;
    else if (byte >= 0xc2 && byte < 0xf5) {
      this.#shape = Shape.character;
      this.#missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    } else return this.#done("key", byte < 0x80 ? plainKey(String.fromCharCode(byte)) : "");
    return undefined;
  }

  #counted(): Token | undefined {
    if (--this.#missing > 0) return undefined;
    if (this.#shape === Shape.x10Mouse) return this.#done("mouse", "");
    return this.#done("key", utf8.decode(Uint8Array.from(this.#bytes)));
  }

  /** An ESC in the middle: what came before it is a token without meaning, and it begins another. */
  #restart(): Token {
    this.#bytes.pop();
    const token = this.#bytes.length === 1 ? this.#done("key", "escape") : this.#done("key", "");
    this.#bytes.push(ESC);
    this.#shape = Shape.escape;
    return token;
  }

  #afterEscape(byte: number): Token | undefined {
    if (byte === 0x5b) this.#shape = Shape.csi;
    else if (byte === 0x4f) this.#shape = Shape.ss3;
    else if (byte === 0x5d || byte === 0x50 || byte === 0x5f || byte === 0x5e || byte === 0x58) {
      this.#shape = Shape.string;
    } else return this.#done("key", "");
    return undefined;
  }

  #inSequence(byte: number): Token | undefined {
    if (this.#shape === Shape.ss3) return this.#done("key", csiKey("", String.fromCharCode(byte)));
    if (byte < 0x40 || byte > 0x7e) return undefined;
    const body = latin1.decode(Uint8Array.from(this.#bytes.slice(2, -1)));
    return this.#sequence(body, String.fromCharCode(byte));
  }

  #sequence(body: string, final: string): Token | undefined {
    if (final === "~" && body === "200") {
      this.#shape = Shape.paste;
      this.#matched = 0;
      return undefined;
    }
    if (final === "M" && body === "") {
      this.#shape = Shape.x10Mouse;
      this.#missing = 3;
      return undefined;
    }
    if ((final === "M" || final === "m") && /^[<\d;]+$/.test(body)) return this.#done("mouse", "");
    if ((final === "I" || final === "O") && body === "") return this.#done("focus", "");
    if (final === "_") return this.#done("key", win32Key(body));
    if (isReply(body, final)) return this.#done("reply", "", positionOf(body, final));
    return this.#done("key", csiKey(body, final));
  }

  #inString(byte: number): Token | undefined {
    const { length } = this.#bytes;
    const isEnd = byte === 0x07 || (byte === 0x5c && this.#bytes[length - 2] === ESC);
    return isEnd ? this.#done("reply", "") : undefined;
  }

  #inPaste(byte: number): Token | undefined {
    this.#matched = byte === PASTE_END[this.#matched] ? this.#matched + 1 : byte === ESC ? 1 : 0;
    return this.#matched === PASTE_END.length ? this.#pasted(false) : undefined;
  }

  #done(kind: TokenKind, key: string, position?: Token["position"]): Token {
    const bytes = Uint8Array.from(this.#bytes);
    this.#bytes = [];
    this.#shape = Shape.start;
    return position === undefined ? { kind, key, bytes } : { kind, key, bytes, position };
  }
}

/** Finals that keys do not have, or private ones. `R` without a prefix is also a modified F3: as a reply it answers nothing. */
function isReply(body: string, final: string): boolean {
  if (/^[?>=<]/.test(body)) return true;
  if (/[$*"' !]$/.test(body)) return true;
  return "cntxy".includes(final) || (final === "R" && /^\d+;\d+$/.test(body));
}

function positionOf(body: string, final: string): Token["position"] {
  const match = /^(\d+);(\d+)$/.exec(body);
  if (final !== "R" || match === null) return undefined;
  return { x: Number(match[2]) - 1, y: Number(match[1]) - 1 };
}
