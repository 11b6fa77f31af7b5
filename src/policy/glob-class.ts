/** `[...]` of a glob: single characters, ranges and POSIX classes, as sorted ranges of code points. */

export interface CharacterClass {
  readonly negated: boolean;
  /** Sorted, apart from each other, ends included. */
  readonly ranges: readonly (readonly [low: number, high: number])[];
}

type Range = [low: number, high: number];

/** Unicode's properties, as minimatch translates the POSIX names. */
const POSIX: Readonly<Record<string, string>> = {
  alnum: String.raw`[\p{L}\p{Nl}\p{Nd}]`,
  alpha: String.raw`[\p{L}\p{Nl}]`,
  ascii: String.raw`\p{ASCII}`,
  blank: String.raw`[\p{Zs}\t]`,
  cntrl: String.raw`\p{Cc}`,
  digit: String.raw`\p{Nd}`,
  graph: String.raw`[^\p{Z}\p{C}]`,
  lower: String.raw`\p{Ll}`,
  print: String.raw`\P{C}`,
  punct: String.raw`[\p{P}\p{S}]`,
  space: String.raw`[\p{Z}\t\r\n\v\f]`,
  upper: String.raw`\p{Lu}`,
  word: String.raw`[\p{L}\p{Nl}\p{Nd}\p{Pc}]`,
  xdigit: String.raw`[A-Fa-f0-9]`,
};

/** The class that starts at `[`; undefined where it is never closed (then `[` means itself); a text says what is wrong. */
export function parseClass(
  part: string,
  start: number,
): { readonly class: CharacterClass; readonly length: number } | string | undefined {
  const scan = new Scan(part, start + 1);
  const negated = scan.skip("!") || scan.skip("^");
  const ranges: Range[] = [];
  for (let first = true; first || !scan.at("]"); first = false) {
    if (scan.ended) return undefined;
    const posix = scan.posix();
    if (posix !== undefined) {
      const known = POSIX[posix];
      if (known === undefined) return `[:${posix}:] is no class of characters`;
      ranges.push(...rangesOf(posix, known));
      continue;
    }
    const low = scan.character();
    const high = scan.rangeEnd() ? scan.character() : low;
    if (low === undefined || high === undefined) return undefined;
    if (high < low)
      return `the range ${String.fromCodePoint(low)}-${String.fromCodePoint(high)} is the wrong way round`;
    ranges.push([low, high]);
  }
  return { class: { negated, ranges: join(ranges) }, length: scan.position + 1 - start };
}

class Scan {
  constructor(
    readonly text: string,
    public position: number,
  ) {}

  get ended(): boolean {
    return this.position >= this.text.length;
  }

  at(text: string): boolean {
    return this.text.startsWith(text, this.position);
  }

  skip(text: string): boolean {
    if (!this.at(text)) return false;
    this.position += text.length;
    return true;
  }

  /** The name in `[:name:]`, passed over. */
  posix(): string | undefined {
    const match = /^\[:([a-z]+):\]/.exec(this.text.slice(this.position, this.position + 16));
    if (match) this.position += match[0].length;
    return match?.[1];
  }

  /** One character, a backslash before it taken off. */
  character(): number | undefined {
    this.skip("\\");
    const code = this.text.codePointAt(this.position);
    if (code !== undefined) this.position += code > 0xffff ? 2 : 1;
    return code;
  }

  /** Passes over the `-` of a range; the one before `]` means itself. */
  rangeEnd(): boolean {
    return !this.at("-]") && this.skip("-");
  }
}

function join(ranges: readonly Range[]): Range[] {
  const joined: Range[] = [];
  for (const [low, high] of ranges.toSorted((one, other) => one[0] - other[0])) {
    const last = joined.at(-1);
    if (last !== undefined && low <= last[1] + 1) last[1] = Math.max(last[1], high);
    else joined.push([low, high]);
  }
  return joined;
}

const known = new Map<string, readonly Range[]>();

function rangesOf(name: string, expression: string): readonly Range[] {
  let ranges = known.get(name);
  if (ranges === undefined) known.set(name, (ranges = scanRanges(new RegExp(expression, "u"))));
  return ranges;
}

function scanRanges(expression: RegExp): Range[] {
  const ranges: Range[] = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    if (!expression.test(String.fromCodePoint(code))) continue;
    const last = ranges.at(-1);
    if (last?.[1] === code - 1) last[1] = code;
    else ranges.push([code, code]);
  }
  return ranges;
}
