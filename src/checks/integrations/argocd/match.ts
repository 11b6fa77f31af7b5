/** Patterns of policy lines: gobwas globs without separators, or Go's regular expressions (CHECKS §4.2). */
import { RE2JS, RE2JSSyntaxException } from "re2js";
import { stop } from "../../codes.ts";

export type MatchMode = "glob" | "regex";
export type Matcher = (pattern: string, value: string) => boolean;

/** Both run in linear time: the patterns are written by others. Throws `unsupported` for a pattern that is not read here. */
export function matcherFor(mode: MatchMode): Matcher {
  const compiled = new Map<string, RE2JS | undefined>();
  return (pattern, value) => {
    if (!compiled.has(pattern)) compiled.set(pattern, mode === "glob" ? ofGlob(pattern) : ofRegex(pattern));
    const regex = compiled.get(pattern);
    return regex !== undefined && (mode === "glob" ? regex.matches(value) : regex.test(value));
  };
}

/** Undefined for one that is invalid: it never matches. */
function ofRegex(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return undefined;
    throw unread();
  }
}

function ofGlob(pattern: string): RE2JS {
  return RE2JS.compile(new Glob(pattern).regex(), RE2JS.DOTALL);
}

class Glob {
  private at = 0;
  private readonly letters: readonly string[];

  constructor(pattern: string) {
    this.letters = Array.from(pattern);
  }

  regex(): string {
    let text = "";
    while (this.at < this.letters.length) text += this.piece(false);
    return text;
  }

  private piece(isInside: boolean): string {
    const letter = this.take();
    if (letter === "*") return ".*";
    if (letter === "?") return ".";
    if (letter === "\\") return RE2JS.quote(this.take());
    if (letter === "[") return this.set();
    if (letter === "{" && !isInside) return this.choice();
    if (letter === "{" || (letter === "]" && !isInside)) throw unread();
    return RE2JS.quote(letter);
  }

  /** `[abc]` or `[a-z]`, each with `!` for its opposite. */
  private set(): string {
    let inner = "";
    while (this.letters[this.at] !== "]") inner += this.take();
    this.at++;
    const [, not = "", range, list] = /^(!?)(?:([^\\!-]-[^\\!-])|([^\\!-]+))$/u.exec(inner) ?? [];
    const members = range ?? list;
    if (members === undefined) throw unread();
    const escaped = Array.from(members, (one) => (one === "-" && range !== undefined ? "-" : quoteInSet(one))).join("");
    return `[${not === "" ? "" : "^"}${escaped}]`;
  }

  private choice(): string {
    const options = [""];
    for (;;) {
      const next = this.letters[this.at];
      if (next === "}") break;
      if (next === ",") options.push("");
      else options.push((options.pop() ?? "") + this.piece(true));
      if (next === ",") this.at++;
    }
    this.at++;
    return `(?:${options.join("|")})`;
  }

  private take(): string {
    const letter = this.letters[this.at++];
    if (letter === undefined) throw unread();
    return letter;
  }
}

function quoteInSet(letter: string): string {
  return /[\]^\\[&~-]/.test(letter) ? `\\${letter}` : letter;
}

function unread(): Error {
  return stop("unsupported", "a policy has a pattern that is not read here");
}
