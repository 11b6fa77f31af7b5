/** The part of HCL that Vault policies are written in: attributes, blocks, lists, objects; anything else is refused (CHECKS §4.18). */

export type Value = string | number | boolean | readonly Value[] | Body;

/** An attribute, or a block with its labels (`path "secret/*" { … }`). */
export interface Item {
  readonly key: string;
  readonly labels: readonly string[];
  readonly value: Value;
}

export class Body {
  constructor(readonly items: readonly Item[]) {}
}

/** Text that is no HCL, or more of it than is read here. */
export class HclError extends Error {
  override readonly name = "HclError";
}

const TOKEN =
  /\s+|#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\/|([A-Za-z_][\w.-]*)|("(?:[^"\\\n]|\\.)*")|(-?\d+(?:\.\d+)?)|([{}[\]=,])/y;

interface Token {
  readonly kind: "word" | "text" | "number" | "mark";
  readonly value: string;
}

export function parseHcl(source: string): Body {
  const parser = new Parser(scan(source));
  const body = parser.body(undefined);
  return body;
}

function scan(source: string): Token[] {
  const found: Token[] = [];
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < source.length;) {
    const match = TOKEN.exec(source);
    if (match === null) throw new HclError("not a policy that is read here");
    const [, word, text, number, mark] = match;
    if (word !== undefined) found.push({ kind: "word", value: word });
    else if (text !== undefined) found.push({ kind: "text", value: unquote(text) });
    else if (number !== undefined) found.push({ kind: "number", value: number });
    else if (mark !== undefined) found.push({ kind: "mark", value: mark });
  }
  return found;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", '"': '"', "\\": "\\" };

function unquote(quoted: string): string {
  const inner = quoted.slice(1, -1);
  if (inner.includes("${")) throw new HclError("interpolation is not read");
  return inner.replace(/\\(.)/g, (_, letter: string) => {
    const plain = ESCAPES[letter];
    if (plain === undefined) throw new HclError("an escape that is not read");
    return plain;
  });
}

class Parser {
  private at = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  /** Items up to `end`, or to the end of the text. */
  body(end: "}" | undefined): Body {
    const items: Item[] = [];
    while (!this.ends(end)) {
      items.push(this.item());
      this.skip(",");
    }
    return new Body(items);
  }

  private item(): Item {
    const key = this.take();
    if (key.kind !== "word" && key.kind !== "text") throw new HclError("a name is missing");
    if (this.skip("=")) return { key: key.value, labels: [], value: this.value() };
    const labels: string[] = [];
    while (this.peek()?.kind === "text") labels.push(this.take().value);
    if (!this.skip("{")) throw new HclError("a block has no body");
    return { key: key.value, labels, value: this.body("}") };
  }

  private value(): Value {
    const token = this.take();
    if (token.kind === "text") return token.value;
    if (token.kind === "number") return Number(token.value);
    if (token.kind === "word" && (token.value === "true" || token.value === "false")) return token.value === "true";
    if (token.kind === "mark" && token.value === "[") return this.list();
    if (token.kind === "mark" && token.value === "{") return this.body("}");
    throw new HclError("a value is missing");
  }

  private list(): Value[] {
    const values: Value[] = [];
    while (!this.skip("]")) {
      values.push(this.value());
      if (!this.skip(",") && !this.sees("]")) throw new HclError("a list has no comma");
    }
    return values;
  }

  private ends(end: "}" | undefined): boolean {
    if (this.peek() !== undefined) return end !== undefined && this.skip(end);
    if (end !== undefined) throw new HclError("a block does not end");
    return true;
  }

  private peek(): Token | undefined {
    return this.tokens[this.at];
  }

  private sees(mark: string): boolean {
    const token = this.peek();
    return token?.kind === "mark" && token.value === mark;
  }

  private skip(mark: string): boolean {
    if (!this.sees(mark)) return false;
    this.at++;
    return true;
  }

  private take(): Token {
    const token = this.tokens[this.at++];
    if (token === undefined) throw new HclError("the text ends too early");
    return token;
  }
}
