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
 * The real files that bare names stand for, as globs: in every folder of $PATH and the usual ones. `there`: only those
 * that are there now; `anywhere`: also those that may come (what is forbidden stays so).
 */
export function lookUp(names: readonly string[], places: ProgramPlaces, which: "there" | "anywhere"): string[] {
  const { disk, path, mayReplace } = places;
  const index = indexOf(disk, path);
  const plain = names.filter(isPlainName);
  const files = index.findAll(new Set(plain));
  for (const name of names) if (!isPlainName(name)) files.push(...index.find(name));
  if (which === "there") return files.flatMap((file) => realFile(file, disk, mayReplace));
  const coming = names.flatMap((name) => index.folders.map((folder) => joinPath(escapeGlob(folder), name)));
  return [...new Set([...files.flatMap((file) => realFile(file, disk, undefined)), ...coming])];
}

/** A file of a real folder, as a glob; none where the sandbox may have put a link there. */
function realFile(file: string, disk: Disk, mayReplace: ((path: string) => boolean) | undefined): string[] {
  if (disk.readlink(file) === undefined) return [escapeGlob(file)];
  const { path, links } = follow(file, disk);
  return mayReplace !== undefined && links.some(mayReplace) ? [] : [escapeGlob(path)];
}

/** Whether an exec target is a name in $PATH without a glob or an escape. */
export function isPlainName(target: string): boolean {
  return /^[\w.+-]+$/.test(target);
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
  /** All names, each between two line ends: a search for what one begins with is one look. */
  #lines: string | undefined;

  constructor(disk: Disk, path: readonly string[]) {
    const absolute = [...path, ...USUAL].filter((folder) => folder.startsWith("/"));
    this.folders = [...new Set(absolute.map((folder) => follow(folder, disk).path))];
    this.#names = this.folders.map((folder) => disk.names(folder));
  }

  /** The files of many plain names: one look for each folder. */
  findAll(wanted: Set<string>): string[] {
    return this.folders.flatMap((folder, index) =>
      Array.from(wanted.intersection(this.#names[index]!), (name) => joinPath(folder, name)),
    );
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
    const literal = tokens.slice(
      0,
      tokens.findIndex((token) => typeof token !== "number"),
    );
    const begins = String.fromCodePoint(...literal.filter((token) => typeof token === "number"));
    const expression = new RegExp(`^${tokens.map(tokenSource).join("")}$`, "su");
    return this.#beginning(begins)
      .filter((name) => expression.test(name))
      .flatMap((name) => this.#files(name));
  }

  /** The names that begin so, each once. */
  #beginning(begins: string): string[] {
    this.#lines ??= `\n${this.#names.flatMap((names) => [...names]).join("\n")}\n`;
    const lines = this.#lines;
    const found = new Set<string>();
    for (let at = lines.indexOf(`\n${begins}`); at >= 0; at = lines.indexOf(`\n${begins}`, at + 1)) {
      found.add(lines.slice(at + 1, lines.indexOf("\n", at + 1)));
    }
    return [...found];
  }
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
