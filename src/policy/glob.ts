/**
 * Globs as minimatch reads them with `dot: true` and without negation, extglobs and numeric ranges, taken apart into
 * segments and tokens. What a pattern reaches follows SPEC §3: `DIR/**` is DIR and below, a path without a glob too.
 */
import { expandBraces, BRACE_LIMIT } from "./braces.ts";
import { parseClass, type CharacterClass } from "./glob-class.ts";

/** One code point (an invalid byte is U+DCNN), any one, any number of them, or a class. */
export type Token = number | "any" | "star" | CharacterClass;

/** `**`, a name, or a glob for one name. */
export type Segment = { readonly kind: "globstar" } | Literal | Glob;
export interface Literal {
  readonly kind: "literal";
  readonly text: string;
}
export interface Glob {
  readonly kind: "glob";
  readonly tokens: readonly Token[];
}

/**
 * `name`: the path itself. `tree`: a folder (what it is, not its name) and everything below. `whole`: the path, its
 * name and everything below.
 */
export type Reach = "name" | "tree" | "whole";

export interface Pattern {
  readonly segments: readonly Segment[];
  readonly reach: Reach;
}

/** What is wrong with a glob, and where in it. */
export class GlobMistake extends Error {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}

const SPECIAL = /[*?[\]{},\\]/g;
const SOME_SPECIAL = /[*?[{\\]/;

/** A real path (or a part of one) as a glob that matches only it. */
export function escapeGlob(path: string): string {
  return path.replace(SPECIAL, "\\$&");
}

/** The inverse of `escapeGlob`; undefined where the text is a glob that can match something else too. */
export function literalPath(glob: string): string | undefined {
  const patterns = parsePatterns(glob);
  const only = patterns.length === 1 ? patterns[0] : undefined;
  return only?.reach === "whole" ? literalPrefix(only) : undefined;
}

/** The names before the first glob, as an absolute path. */
export function literalPrefix(pattern: Pattern): string {
  const names: string[] = [];
  for (const segment of pattern.segments) {
    if (segment.kind !== "literal") break;
    names.push(segment.text);
  }
  return `/${names.join("/")}`;
}

/** An absolute glob, taken apart; one pattern for each alternative of its braces. Throws GlobMistake. */
export function parsePatterns(glob: string): readonly Pattern[] {
  let parsed = known.get(glob);
  if (parsed !== undefined) return parsed;
  parsed = takeApart(glob);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(glob, parsed);
  return parsed;
}

/** A rule is taken apart when it is read and again each time the rules are compiled. */
const known = new Map<string, readonly Pattern[]>();
const MOST_KNOWN = 50_000;

function takeApart(glob: string): Pattern[] {
  if (!SOME_SPECIAL.test(glob)) return [plainPattern(glob)];
  const alternatives = expandBraces(glob);
  if (alternatives === undefined) throw new GlobMistake(`{} stands for more than ${BRACE_LIMIT} paths`, 0);
  return alternatives.map(parsePattern);
}

/** Most rules have no glob in them. */
function plainPattern(path: string): Pattern {
  const names = path.split("/").filter((name) => name !== "");
  return { segments: names.map((text) => ({ kind: "literal", text })), reach: "whole" };
}

function parsePattern(glob: string): Pattern {
  const segments: Segment[] = [];
  let offset = 0;
  for (const part of glob.split("/")) {
    if (part !== "") {
      const segment = parseSegment(part, offset);
      if (segment.kind !== "globstar" || segments.at(-1)?.kind !== "globstar") segments.push(segment);
    }
    offset += part.length + 1;
  }
  if (segments.at(-1)?.kind === "globstar") return { segments: segments.slice(0, -1), reach: "tree" };
  return { segments, reach: segments.every((segment) => segment.kind === "literal") ? "whole" : "name" };
}

function parseSegment(part: string, offset: number): Segment {
  if (part === "**") return { kind: "globstar" };
  if (!SOME_SPECIAL.test(part)) return { kind: "literal", text: part };
  const tokens = parseTokens(part, offset);
  if (tokens.every((token) => typeof token === "number")) {
    return { kind: "literal", text: String.fromCodePoint(...tokens) };
  }
  return { kind: "glob", tokens };
}

function parseTokens(part: string, offset: number): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < part.length;) {
    const [token, length] = parseToken(part, at, offset);
    if (token !== "star" || tokens.at(-1) !== "star") tokens.push(token);
    at += length;
  }
  return tokens;
}

function parseToken(part: string, at: number, offset: number): [token: Token, length: number] {
  const character = part[at]!;
  if (character === "*") return ["star", 1];
  if (character === "?") return ["any", 1];
  if (character === "[") {
    const parsed = parseClass(part, at);
    if (typeof parsed === "string") throw new GlobMistake(parsed, offset + at);
    if (parsed !== undefined) return [parsed.class, parsed.length];
  }
  if (character === "\\") {
    if (at + 1 === part.length) throw new GlobMistake("a backslash has nothing to escape", offset + at);
    const escaped = part.codePointAt(at + 1)!;
    return [escaped, 1 + String.fromCodePoint(escaped).length];
  }
  const code = part.codePointAt(at)!;
  return [code, String.fromCodePoint(code).length];
}
