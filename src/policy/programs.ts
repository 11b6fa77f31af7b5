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

class ProgramIndex {
  /** Real folders, each once. */
  readonly folders: readonly string[];
  readonly #names: readonly ReadonlySet<string>[];
  #lines: string | undefined;

  constructor(disk: Disk, path: readonly string[]) {
    const absolute = [...path, ...USUAL].filter((folder) => folder.startsWith("/"));
    this.folders = [...new Set(absolute.map((folder) => follow(folder, disk).path))];
    this.#names = this.folders.map((folder) => disk.names(folder));
  }

  /** The files of a name, or of a glob for names. */
  find(name: string): readonly string[] {
    if (hasGlob(name)) return (expandBraces(name) ?? []).flatMap((each) => this.#findGlob(each));
    return this.#files(name.includes("\\") ? name.replace(/\\(.)/gsu, "$1") : name);
  }

  #files(name: string): string[] {
    const files: string[] = [];
    this.#names.forEach((names, index) => {
      if (names.has(name)) files.push(joinPath(this.folders[index]!, name));
    });
    return files;
  }

  #findGlob(glob: string): readonly string[] {
    if (!hasGlob(glob)) return this.find(glob);
    const [segment] = parsePatterns(`/${glob}`)[0]!.segments;
    const tokens = segment?.kind === "glob" ? segment.tokens : [];
    const expression = new RegExp(`^${tokens.map(tokenSource).join("")}$`, "gmu");
    const found = new Set(Array.from(this.#allNames().matchAll(expression), ([name]) => name));
    return [...found].flatMap((name) => this.#files(name));
  }

  /** One a line, so that a glob is one search and not one a name. */
  #allNames(): string {
    this.#lines ??= this.#names.flatMap((names) => [...names]).join("\n");
    return this.#lines;
  }
}

function tokenSource(token: Token): string {
  if (token === "star") return "[^\\n]*";
  if (token === "any") return "[^\\n]";
  if (typeof token === "number") return source(token);
  return `[${token.negated ? "^" : ""}${token.ranges.map(([low, high]) => `${source(low)}-${source(high)}`).join("")}]`;
}

function source(code: number): string {
  return `\\u{${code.toString(16)}}`;
}
