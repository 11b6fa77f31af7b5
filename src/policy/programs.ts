/** Names of programs to the files that they run. */
import { expandBraces } from "./braces.ts";
import { escapeGlob, parsePatterns, type Token } from "./glob.ts";
import { follow, type Disk } from "./links.ts";
import { hasGlob, joinPath } from "./paths.ts";

export interface ProgramPlaces {
  readonly disk: Disk;
  readonly path: readonly string[];
}

/** Where programs are on every Linux, whatever $PATH says: scripts name them by full path. */
const USUAL = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/**
 * The real files that a bare name stands for, as globs: in every folder of $PATH and the usual ones. `there`: only those
 * that are there now; `anywhere`: also those that may come (what is forbidden stays so).
 */
export function lookUp(name: string, { disk, path }: ProgramPlaces, which: "there" | "anywhere"): string[] {
  const folders = [...new Set([...path, ...USUAL].filter((folder) => folder.startsWith("/")))];
  return folders.flatMap((folder) => {
    const found = namesIn(folder, name, disk).map((each) => escapeGlob(follow(joinPath(folder, each), disk).path));
    return which === "there" ? found : [...found, joinPath(escapeGlob(follow(folder, disk).path), name)];
  });
}

function namesIn(folder: string, name: string, disk: Disk): string[] {
  const there = disk.names(folder);
  if (!hasGlob(name)) {
    const plain = name.replace(/\\(.)/gsu, "$1");
    return there.has(plain) ? [plain] : [];
  }
  const expressions = (expandBraces(name) ?? []).map(nameExpression);
  return [...there].filter((each) => expressions.some((expression) => expression.test(each)));
}

const expressionsByName = new Map<string, RegExp>();

function nameExpression(name: string): RegExp {
  let known = expressionsByName.get(name);
  if (known === undefined) {
    const [segment] = parsePatterns(`/${name}`)[0]!.segments;
    const tokens =
      segment?.kind === "glob" ? segment.tokens : Array.from(segment?.kind === "literal" ? segment.text : "", codeOf);
    expressionsByName.set(name, (known = new RegExp(`^${tokens.map(tokenSource).join("")}$`, "su")));
  }
  return known;
}

function codeOf(character: string): number {
  return character.codePointAt(0)!;
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
