/** Underline colors and hyperlinks: rare, so cells hold an index into this table (see cell.ts). */
import { EXT_SHIFT, EXT_UNDERLINE } from "./cell.ts";

export interface Extra {
  /** A color as in a cell, 0 for that of the text. */
  readonly underlineColor: number;
  /** `PARAMS;URI` of OSC 8, "" for none. */
  readonly link: string;
}

const NONE: Extra = { underlineColor: 0, link: "" };

export class Extras {
  #table: Extra[] = [NONE];
  #index = new Map<string, number>([["0 ", 0]]);
  #free: number[] = [];

  /** How many are in use, marked or not. */
  get size(): number {
    return this.#index.size;
  }

  of(ext: number): Extra {
    return this.#table[ext >>> EXT_SHIFT] ?? NONE;
  }

  withUnderlineColor(ext: number, underlineColor: number): number {
    if (ext >>> EXT_SHIFT === 0 && underlineColor === 0) return ext;
    return this.#with(ext, { ...this.of(ext), underlineColor });
  }

  withLink(ext: number, link: string): number {
    if (this.of(ext).link === link) return ext;
    return this.#with(ext, { ...this.of(ext), link });
  }

  #with(ext: number, extra: Extra): number {
    const key = `${extra.underlineColor} ${extra.link}`;
    let at = this.#index.get(key);
    if (at === undefined) {
      at = this.#free.pop() ?? this.#table.length;
      this.#table[at] = extra;
      this.#index.set(key, at);
    }
    return (ext & EXT_UNDERLINE) | (at << EXT_SHIFT);
  }

  /** Keeps only what `used` marks; everything else may come again under another index. */
  sweep(used: ReadonlySet<number>): void {
    for (const [key, at] of this.#index) {
      if (at === 0 || used.has(at)) continue;
      this.#index.delete(key);
      this.#free.push(at);
    }
  }
}
