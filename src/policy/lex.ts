/** A rule line cut into its words, escapes read; what each character came from is kept for the column of a mistake. */
import { decodePath, encodePath } from "./path-text.ts";

/** What is wrong in a line and where (from 0). */
export class LineMistake extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

/** A word that may be quoted: as a glob (what was escaped still is), with the place in the line of each character. */
export interface Word {
  readonly glob: string;
  /** The place in the line of the glob's character at `offset`. */
  readonly column: (offset: number) => number;
  readonly start: number;
  readonly end: number;
}

/** The word at `start`; it ends at white space, or at its closing quote. */
export function readWord(line: string, start: number): Word {
  const quoted = line[start] === '"';
  const reader = new WordReader(line, quoted ? start + 1 : start);
  while (!reader.ended && (quoted ? !reader.at('"') : !/\s/.test(reader.current))) {
    if (!quoted && reader.at("#"))
      throw new LineMistake('a target with # in it is written in quotes ("…")', reader.position);
    if (!quoted && reader.at('"'))
      throw new LineMistake("a quote stands at the start and the end of a target", reader.position);
    reader.take();
  }
  if (!quoted) return reader.word(start, reader.position);
  if (reader.ended) throw new LineMistake("this quote is never closed", start);
  const end = reader.position + 1;
  if (end < line.length && !/\s/.test(line[end]!))
    throw new LineMistake("the target goes on after its closing quote", end);
  return reader.word(start, end);
}

/** A whole text as one word, as a flag gives it: spaces, quotes and # are themselves. */
export function readWhole(text: string): Word {
  const reader = new WordReader(text, 0);
  while (!reader.ended) reader.take();
  return reader.word(0, text.length);
}

/** Characters that a backslash takes the meaning from, in a glob. */
const GLOB = "*?[]{},\\-!^";
/** Characters that a backslash takes the meaning from in a line only. */
const PLAIN = '"# ~@:';

class WordReader {
  #glob = "";
  readonly #columns: number[] = [];

  constructor(
    readonly line: string,
    public position: number,
  ) {}

  get ended(): boolean {
    return this.position >= this.line.length;
  }

  get current(): string {
    return this.line[this.position]!;
  }

  at(character: string): boolean {
    return this.current === character;
  }

  word(start: number, end: number): Word {
    // Bytes that were written apart may be one character together, and must then be it.
    const glob = this.#glob.isWellFormed() ? this.#glob : decodePath(encodePath(this.#glob));
    return { glob, column: (offset) => this.#columns[offset] ?? start, start, end };
  }

  take(): void {
    if (this.at("\\")) this.#takeEscape();
    else if (this.at("\0")) throw new LineMistake("no path has a NUL in it", this.position);
    else this.#put(this.current, this.position++);
  }

  #takeEscape(): void {
    const start = this.position;
    const next = this.line[start + 1];
    if (next === "x") return this.#takeBytes();
    if (next === undefined) throw new LineMistake("a backslash has nothing to escape", start);
    if (!GLOB.includes(next) && !PLAIN.includes(next)) {
      throw new LineMistake(`\\${next} is no escape (\\\\ is a backslash, \\xNN a byte)`, start);
    }
    this.position += 2;
    this.#put(GLOB.includes(next) ? `\\${next}` : next, start);
  }

  /** A run of `\xNN`: together they may be a character. */
  #takeBytes(): void {
    const start = this.position;
    const bytes: number[] = [];
    let match;
    while ((match = /^\\x([0-9a-fA-F]{2})/.exec(this.line.slice(this.position, this.position + 4)))) {
      bytes.push(Number.parseInt(match[1]!, 16));
      this.position += 4;
    }
    if (bytes.length === 0) throw new LineMistake("\\x wants two hexadecimal digits", start);
    if (bytes.includes(0x2f)) throw new LineMistake("a slash cannot be written as \\x2f", start);
    for (const character of decodePath(Uint8Array.from(bytes))) {
      this.#put("*?[]{},\\".includes(character) ? `\\${character}` : character, start);
    }
  }

  #put(text: string, column: number): void {
    this.#glob += text;
    for (let count = text.length; count > 0; count--) this.#columns.push(column);
  }
}
