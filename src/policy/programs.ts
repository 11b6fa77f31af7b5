/** Names of programs to the files that they run. */
import { escapeGlob, parsePatterns, type Token } from "./glob.ts";
import { expandBraces } from "./braces.ts";
import { follow, type Disk } from "./links.ts";
import { hasGlob, joinPath } from "./paths.ts";

export interface ProgramPlaces {
  readonly disk: Disk;
  readonly path: readonly string[];
  readonly mayReplace?: (path: string) => boolean;
}

/** Where programs are on every Linux, whatever $PATH says: scripts name them by full path. */
const USUAL = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/**
 * The real files that a bare name stands for, as globs: in every folder of $PATH and the usual ones. `there`: only those
 * that are there now; `anywhere`: also those that may come (what is forbidden stays so).
 */
export function lookUp(name: string, places: ProgramPlaces, which: "there" | "anywhere"): string[] {
  const { disk, path, mayReplace } = places;
  const index = indexOf(disk, path);
  // The folders are real already, so a file that is no link is its own real path.
  const isLink = (file: string) => disk.readlink(file) !== undefined;
  const found = index.find(name).map((file) => ({ file, real: isLink(file) ? follow(file, disk).path : file }));
  if (which === "there") {
    const trusted = mayReplace === undefined ? found : found.filter(({ file }) => !isLink(file) || !mayReplace(file));
    return trusted.map(({ real }) => escapeGlob(real));
  }
  const coming = index.folders.map((folder) => joinPath(escapeGlob(folder), name));
  return [...new Set([...found.map(({ real }) => escapeGlob(real)), ...coming])];
}

const indexes = new WeakMap<Disk, { path: readonly string[]; index: ProgramIndex }>();

function indexOf(disk: Disk, path: readonly string[]): ProgramIndex {
  const known = indexes.get(disk);
  if (known?.path === path) return known.index;
  const index = new ProgramIndex(disk, path);
  indexes.set(disk, { path, index });
  return index;
}

/** Every name in the folders, sorted, so that a name or what a glob begins with is found without looking at all. */
class ProgramIndex {
  /** Real folders, each once. */
  readonly folders: readonly string[];
  readonly #names: readonly string[];
  readonly #files = new Map<string, string[]>();

  constructor(disk: Disk, path: readonly string[]) {
    const absolute = [...path, ...USUAL].filter((folder) => folder.startsWith("/"));
    this.folders = [...new Set(absolute.map((folder) => follow(folder, disk).path))];
    for (const folder of this.folders) {
      for (const name of disk.names(folder)) this.#add(name, joinPath(folder, name));
    }
    this.#names = [...this.#files.keys()].toSorted();
  }

  find(name: string): readonly string[] {
    if (!hasGlob(name)) return this.#files.get(name.replace(/\\(.)/gsu, "$1")) ?? [];
    return (expandBraces(name) ?? []).flatMap((each) => this.#findGlob(each));
  }

  #add(name: string, file: string): void {
    const files = this.#files.get(name);
    if (files === undefined) this.#files.set(name, [file]);
    else files.push(file);
  }

  #findGlob(glob: string): string[] {
    if (!hasGlob(glob)) return [...this.find(glob)];
    const [segment] = parsePatterns(`/${glob}`)[0]!.segments;
    const tokens = segment?.kind === "glob" ? segment.tokens : [];
    const begins = String.fromCodePoint(
      ...tokens
        .slice(
          0,
          tokens.findIndex((token) => typeof token !== "number"),
        )
        .filter(isCode),
    );
    const ends = tokens.slice(tokens.findLastIndex((token) => typeof token !== "number") + 1).filter(isCode);
    const end = String.fromCodePoint(...ends);
    const expression = new RegExp(`^${tokens.map(tokenSource).join("")}$`, "su");
    return this.#beginning(begins)
      .filter((name) => name.endsWith(end) && expression.test(name))
      .flatMap((name) => this.#files.get(name)!);
  }

  #beginning(text: string): readonly string[] {
    if (text === "") return this.#names;
    const from = this.#names.slice(this.#firstFrom(text));
    const past = from.findIndex((name) => !name.startsWith(text));
    return past < 0 ? from : from.slice(0, past);
  }

  #firstFrom(text: string): number {
    let low = 0;
    let high = this.#names.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#names[middle]! < text) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function isCode(token: Token): token is number {
  return typeof token === "number";
}

function tokenSource(token: Token): string {
  if (token === "star") return ".*";
  if (token === "any") return ".";
  if (typeof token === "number") return source(token);
  return `[${token.negated ? "^" : ""}${token.ranges.map(([low, high]) => `${source(low)}-${source(high)}`).join("")}]`;
}

function source(code: number): string {
  return `\\u{${code.toString(16)}}`;
}
