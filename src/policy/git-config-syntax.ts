/** git's configuration files, read as git reads them (git-config(1), "Syntax"). */
import { decodePath } from "./path-text.ts";

/** Section and key in lower case; the subsection as it is written, "" where there is none. */
export interface ConfigEntry {
  readonly section: string;
  readonly subsection: string;
  readonly key: string;
  /** "true" where the line has no `=`. */
  readonly value: string;
}

/** The entries in their order, or undefined where git would refuse the file. */
export function parseGitConfig(bytes: Uint8Array): ConfigEntry[] | undefined {
  try {
    return new ConfigReader(decodePath(bytes).replace(/^\u{feff}/u, "")).read();
  } catch (error) {
    if (error instanceof BadConfig) return undefined;
    throw error;
  }
}

class BadConfig extends Error {}

class ConfigReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    // git reads CR LF as LF, and a last line without its end as a line.
    this.#text = `${text.replaceAll("\r\n", "\n")}\n`;
  }

  read(): ConfigEntry[] {
    const entries: ConfigEntry[] = [];
    let section: { section: string; subsection: string } | undefined;
    for (;;) {
      this.#match(/[\s]*/y);
      const next = this.#text[this.#at];
      if (next === undefined) return entries;
      if (next === "#" || next === ";") this.#match(/[^\n]*/y);
      else if (next === "[") section = this.#header();
      else if (section === undefined) throw new BadConfig();
      else entries.push({ ...section, ...this.#variable() });
    }
  }

  #match(expression: RegExp): RegExpExecArray {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.#text);
    if (match === null) throw new BadConfig();
    this.#at += match[0].length;
    return match;
  }

  #header(): { section: string; subsection: string } {
    const [, name, quoted] = this.#match(/\[([A-Za-z0-9.-]+)(?:[ \t\v\f\r]+"((?:[^"\\\n]|\\[^\n])*)")?\]/y);
    if (quoted !== undefined) return { section: name!.toLowerCase(), subsection: quoted.replace(/\\(.)/gs, "$1") };
    const [section, ...rest] = name!.toLowerCase().split(".");
    return { section: section!, subsection: rest.join(".") };
  }

  #variable(): { key: string; value: string } {
    const [, key] = this.#match(/([A-Za-z][A-Za-z0-9-]*)[ \t]*/y);
    const next = this.#text[this.#at];
    if (next === "\n") return { key: key!.toLowerCase(), value: "true" };
    if (next !== "=") throw new BadConfig();
    this.#at++;
    return { key: key!.toLowerCase(), value: this.#value() };
  }

  #value(): string {
    let value = "";
    let kept = 0;
    let isQuoted = false;
    for (;;) {
      const character = this.#text[this.#at++];
      if (character === undefined || (character === "\n" && isQuoted)) throw new BadConfig();
      if (character === "\n") break;
      if (!isQuoted && (character === "#" || character === ";")) {
        this.#match(/[^\n]*\n/y);
        break;
      }
      const isSpace = !isQuoted && /[ \t\v\f\r]/.test(character);
      if (isSpace && value === "") continue;
      if (character === '"') isQuoted = !isQuoted;
      else if (character === "\\") value += this.#escape();
      else value += character;
      // White space at the end counts only inside quotes.
      if (!isSpace) kept = value.length;
    }
    return value.slice(0, kept);
  }

  #escape(): string {
    const character = this.#text[this.#at++];
    const known = { "\n": "", n: "\n", t: "\t", b: "\b", '"': '"', "\\": "\\" }[character ?? ""];
    if (known === undefined) throw new BadConfig();
    return known;
  }
}
