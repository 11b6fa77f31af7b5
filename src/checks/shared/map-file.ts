/** A local file that maps people to accounts, read again at most once a minute (CHECKS §1.6, §4.3, §4.11). */
import { readFileSync } from "node:fs";
import type { Clock } from "../clock.ts";
import type { Logger } from "../logger.ts";

const EVERY_MS = 60_000;

export class MapFile<T> {
  private value: T;
  private readAt: number;

  /** Throws an Error whose message says what is wrong: a connection does not start on a broken file. */
  constructor(
    private readonly file: string,
    private readonly parse: (text: string) => T,
    private readonly parts: { readonly clock: Clock; readonly log: Logger },
  ) {
    this.value = this.read();
    this.readAt = parts.clock.ticks();
  }

  /** What the file says; while it is broken or gone, what it said last. */
  current(): T {
    if (this.parts.clock.ticks() - this.readAt < EVERY_MS) return this.value;
    this.readAt = this.parts.clock.ticks();
    try {
      this.value = this.read();
    } catch {
      this.parts.log.warn("a map file cannot be read; the one before stays in use", { file: this.file });
    }
    return this.value;
  }

  private read(): T {
    let text: string;
    try {
      text = readFileSync(this.file, "utf8");
    } catch {
      throw new Error(`${this.file} cannot be read`);
    }
    return this.parse(text);
  }
}

/** `[left, right]` of every line; blank lines and `#` comments are skipped. Throws with the number of a line that has no two parts. */
export function mapLines(text: string, separator: RegExp = /\s+/): [string, string][] {
  return text.split(/\r?\n/).flatMap((line, index): [string, string][] => {
    const bare = line.replace(/(^|\s)#.*$/, "").trim();
    if (bare === "") return [];
    const [left, right, ...rest] = bare.split(separator);
    if (!left || !right || rest.length > 0) throw new Error(`line ${index + 1} of the map file is not a pair`);
    return [[left, right]];
  });
}
