/** Seeded random output as programs make it and as nobody would: text, colors, movement, regions, modes, strings. */

export class Random {
  #state: number;
  constructor(seed: number) {
    this.#state = (seed * 2654435761) >>> 0 || 1;
  }
  /** 0 to below `limit`. */
  next(limit: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    this.#state >>>= 0;
    return this.#state % limit;
  }
  pick<T>(from: readonly T[]): T {
    return from[this.next(from.length)]!;
  }
  chance(percent: number): boolean {
    return this.next(100) < percent;
  }
}

export interface StreamKind {
  /** Sequences that move on to the other screen and back. */
  readonly alternate?: boolean;
  /** Wide and combining characters. */
  readonly wide?: boolean;
  readonly strings?: boolean;
  /** Only text, line ends and colors, as a compiler or a shell has them. */
  readonly simple?: boolean;
  /** What the terminal answers. */
  readonly questions?: boolean;
  /** Saved cursors are left out: xterm.js counts their rows from the top of the scrollback. */
  readonly absolute?: boolean;
}

const WORDS = [
  "lorem",
  "ipsum",
  "warning:",
  "error[E0382]",
  "->",
  "src/main.rs:12:9",
  "ok",
  "100%",
  "├──",
  "done",
  "a",
];
const WIDE = ["漢字", "かな", "한글", "e\u0301", "o\u0308x", "全", "n\u0303"];

function text(random: Random, kind: StreamKind): string {
  if (kind.wide === true && random.chance(25)) return random.pick(WIDE);
  if (random.chance(8)) return "x".repeat(random.next(200));
  return random.pick(WORDS) + (random.chance(70) ? " " : "");
}

function sgr(random: Random): string {
  const one = (): string =>
    random.pick([
      () => String(random.pick([0, 0, 1, 2, 3, 4, 5, 7, 8, 9, 21, 22, 23, 24, 25, 27, 28, 29, 53, 55])),
      () => String(30 + random.next(8)),
      () => String(90 + random.next(8)),
      () => String(40 + random.next(8)),
      () => String(100 + random.next(8)),
      () => `38;5;${random.next(256)}`,
      () => `48;5;${random.next(256)}`,
      () => `38;2;${random.next(256)};${random.next(256)};${random.next(256)}`,
      () => `48:2::${random.next(256)}:${random.next(256)}:${random.next(256)}`,
      () => `4:${random.next(6)}`,
      () => `58;5;${random.next(256)}`,
      () => "39;49",
    ])();
  return `\x1b[${Array.from({ length: 1 + random.next(3) }, one).join(";")}m`;
}

const PLAIN = "\x1b[0m\x1b(B\x1b)B\x0f";

function movement(random: Random, columns: number, rows: number, kind: StreamKind): string {
  const n = random.next(6);
  return random.pick([
    () => `\x1b[${1 + random.next(rows)};${1 + random.next(columns)}H`,
    () => `\x1b[${n}${random.pick(["A", "B", "C", "D", "E", "F", "G", "I", "Z", "d", "a", "e", "`"])}`,
    () => random.pick(["\r", "\n", "\r\n", "\b", "\t", "\x1bM", "\x1bD", "\x1bE", "\x0b", "\x0c"]),
    // xterm.js restores colors without underlines and links, and half of the character sets: saved here is none of them.
    () => `${PLAIN}\x1b7\x1b[${1 + random.next(rows)};${1 + random.next(columns)}H${random.pick(WORDS)}\x1b8`,
    () => (kind.absolute === true ? "" : `${PLAIN}${random.pick(["\x1b7", "\x1b8", "\x1b[s", "\x1b[u"])}`),
  ])();
}

function editing(random: Random): string {
  const n = random.next(5);
  return random.pick([
    () => `\x1b[${n}${random.pick(["@", "P", "X", "L", "M", "S", "T"])}`,
    // Not 1 J, on which xterm.js fails in the last row; nor a full row erased behind its end, which still wraps there.
    () => random.pick(["\x1b[0J", "\r\x1b[2J", "\x1b[0K", "\b\x1b[1K", "\r\x1b[2K"]),
    () => "\x1b[K",
    () => "\x1b[J",
    () => `\x1b[${1 + random.next(9)}b`,
  ])();
}

function mode(random: Random, rows: number, kind: StreamKind): string {
  const top = 1 + random.next(rows - 1);
  const plain = [
    () => `\x1b[${top};${top + 1 + random.next(rows - top)}r`,
    () => "\x1b[r",
    // Without wrapping xterm.js leaves half of a wide character in the last column.
    () => (kind.wide === true ? "" : `\x1b[?7${random.pick(["h", "l", "h", "h"])}`),
    () => `\x1b[4${random.pick(["h", "l", "l"])}`,
    () => `\x1b[?25${random.pick(["h", "l"])}`,
    () => random.pick(["\x1b(0", "\x1b(B", "\x1b)0", "\x0e", "\x0f", "\x1b(B\x0f"]),
    () => `\x1b[?${random.pick([1, 1000, 1002, 1003, 1004, 1006, 2004])}${random.pick(["h", "l"])}`,
    // Whether the two screens share their tab stops is another thing terminals differ in.
    () => (kind.alternate === true ? "" : random.pick(["\x1bH", "\x1b[3g", "\x1b[g"])),
    () => random.pick(["\x1b=", "\x1b>", "\x1b[!p"]),
    // Relative moves in origin mode go astray in xterm.js: only absolute ones in between.
    () => `\x1b[?6h\x1b[${1 + random.next(rows)};1H origin\x1b[2;3H\x1b[?6l`,
    () => random.pick(["\x1b[?2026h", "\x1b[?2026l"]),
    () => random.pick(["\x1b[2 q", "\x1b[5 q", "\x1b[0 q"]),
  ];
  const alternate = [
    () => PLAIN + random.pick(["\x1b[?1049h", "\x1b[?1049l", "\x1b[?1047h", "\x1b[?1047l", "\x1b[?47h", "\x1b[?47l"]),
  ];
  return random.pick(kind.alternate === true && random.chance(20) ? alternate : plain)();
}

function string(random: Random): string {
  return random.pick([
    () => `\x1b]0;title ${random.next(100)}\x07`,
    () => `\x1b]2;other ${random.next(100)}\x1b\\`,
    () => `\x1b]8;id=${random.next(3)};https://example.org/${random.next(5)}\x1b\\link\x1b]8;;\x1b\\`,
    () => "\x1b]133;A\x1b\\",
    () => "\x1bP0;1q#0;2;0;0;0#0~~@@vv-\x1b\\",
    () => "\x1b_not graphics\x1b\\",
  ])();
}

/** Pieces of output in order; each is whole. */
export function randomPieces(seed: number, columns: number, rows: number, count: number, kind: StreamKind): string[] {
  const random = new Random(seed);
  return Array.from({ length: count }, () => {
    const dice = random.next(100);
    if (dice < 45) return text(random, kind);
    if (dice < 57) return random.pick(["\r\n", "\r\n", "\r", "\n"]);
    if (dice < 70) return sgr(random);
    if (kind.simple === true) return dice < 90 ? text(random, kind) : "\r\n";
    if (dice < 82) return movement(random, columns, rows, kind);
    if (dice < 91) return editing(random);
    if (dice === 91 && kind.questions === true)
      return random.pick(["\x1b[6n", "\x1b[c", "\x1b[5n", "\x1b[>c", "\x1b[?2004$p", "\x1bP$qm\x1b\\"]);
    if (dice < 97 || kind.strings !== true) return mode(random, rows, kind);
    return string(random);
  });
}

/** The same bytes, cut where programs and kernels cut: anywhere. */
export function cutAnywhere(bytes: Uint8Array, seed: number, largest = 60): Uint8Array[] {
  const random = new Random(seed);
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = 1 + random.next(largest);
    pieces.push(bytes.subarray(at, at + length));
    at += length;
  }
  return pieces;
}
