/**
 * Scripts of random calls on a few names, the same for the same seed: links, dots, slashes, odd flags, missing parents.
 * They are made as root too, and bare: no path is absolute, none climbs further than the folders they are given, and no
 * descriptor is used but one that the line before opened.
 */
import { AT_FDCWD } from "./scripts.ts";

/** mulberry32. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/** Folders between the test's own and the one in which calls are made: a link to "." and ".." climb one at a time. */
export const DEPTH = 12;

const NAMES = [
  "a",
  "b",
  "c",
  "d",
  "e",
  "a",
  "b",
  "a/..",
  "b/..",
  ".",
  "%e4",
  "-x",
  `${"n".repeat(251)}long`,
  `${"m".repeat(252)}long`,
];
const FRONTS = ["", "", "", "", "", "", "./", "/proc/self/cwd/", "/proc/thread-self/cwd/"];
const OPEN_BITS = [0o100, 0o200, 0o1000, 0o2000, 0o4000, 0o200000, 0o400000, 0o2000000, 0o20000000];
const MODES = ["0", "0600", "0644", "0755", "04755", "01777", "07777", "0100644"];
const HERE = String(AT_FDCWD);

class Writer {
  constructor(private readonly random: () => number) {}

  private pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.random() * list.length)]!;
  }

  private chance(of: number): boolean {
    return this.random() < of;
  }

  path(): string {
    const length = 1 + Math.floor(this.random() * 3);
    const names = Array.from({ length }, () => this.pick(NAMES));
    const text = this.pick(FRONTS) + names.join(this.chance(0.1) ? "//" : "/") + (this.chance(0.12) ? "/" : "");
    if (this.chance(0.01)) return this.pick(["-", '"', "!10"]);
    return `"${text}`;
  }

  at(): string {
    return this.chance(0.97) ? HERE : "999";
  }

  flags(): number {
    let flags = this.pick([0, 1, 2, 1, 3]);
    for (const bit of OPEN_BITS) if (this.chance(bit === 0o100 ? 0.6 : 0.12)) flags |= bit;
    return flags;
  }

  open(): string {
    return `openat ${this.at()} ${this.path()} ${this.flags()} ${this.pick(MODES)}`;
  }

  lines(): string[] {
    const random = this.random();
    if (random < 0.85) return [this.name(random / 0.85)];
    if (random < 0.9) return [this.open(), `fchmod $-1 ${this.pick(MODES)}`, "close $-2"];
    if (random < 0.93) return [this.open(), 'fsetxattr $-1 "user.f &3132 2 0', "close $-2"];
    if (random < 0.96) return [this.open(), `utimensat $-1 - - 0`, "close $-2"];
    return [this.open(), `linkat $-1 "" ${HERE} ${this.path()} 0x1000`, "close $-2"];
  }

  private name(random: number): string {
    const mode = this.pick(MODES);
    if (random < 0.25) return this.open();
    if (random < 0.35) return `mkdirat ${this.at()} ${this.path()} ${mode}`;
    if (random < 0.4) return `mknodat ${this.at()} ${this.path()} ${this.pick(["0100644", "0140600"])} 0`;
    if (random < 0.53) return `unlinkat ${this.at()} ${this.path()} ${this.pick(["0", "0", "0x200", "1"])}`;
    if (random < 0.67) return `renameat2 ${this.two()} ${this.pick(["0", "0", "0", "1", "2", "3"])}`;
    if (random < 0.75) return `linkat ${this.two()} ${this.pick(["0", "0x400", "8"])}`;
    if (random < 0.85) return `symlinkat ${this.path()} ${this.at()} ${this.path()}`;
    if (random < 0.9) return `fchmodat ${this.at()} ${this.path()} ${mode}`;
    if (random < 0.93) return `truncate ${this.path()} ${this.pick(["0", "3", "100", "-1"])}`;
    if (random < 0.96) return `utimensat ${this.at()} ${this.path()} - ${this.pick(["0", "0x100", "2"])}`;
    if (random < 0.98) return `umask ${this.pick(["0", "022", "077"])}`;
    return `setxattr ${this.path()} "user.${this.pick(["a", "b"])} &3132 2 ${this.pick(["0", "1", "2"])}`;
  }

  private two(): string {
    return `${this.at()} ${this.path()} ${this.at()} ${this.path()}`;
  }
}

export function randomCalls(seed: number, count: number): string[] {
  const writer = new Writer(randomFrom(seed));
  const lines: string[] = [];
  while (lines.length < count) lines.push(...writer.lines());
  return lines;
}
