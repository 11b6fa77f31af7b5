/** As much of a GraphQL server as fakes need: reads one query, gives the arguments of its fields, answers only what was selected. */

export interface Field {
  readonly name: string;
  readonly as: string;
  /** Variables are filled in; a literal is itself. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly fields: readonly Field[];
}

type Variables = Readonly<Record<string, unknown>>;

const TOKEN = /[\s,]+|#[^\n]*|("(?:[^"\\]|\\.)*"|\.\.\.|[A-Za-z_]\w*|\$[A-Za-z_]\w*|-?\d+(?:\.\d+)?|[{}()[\]:!=@])/gy;

/** The root's fields. Throws on what is no query of the plain form. */
export function readQuery(query: string, variables: Variables): readonly Field[] {
  const tokens = [...query.matchAll(TOKEN)].flatMap(([, token]) => token ?? []);
  const start = tokens[0] === "{" ? 0 : tokens.indexOf("{");
  const head = tokens.slice(0, start);
  const unknown = tokens.find((token) => token.startsWith("$") && !head.includes(token));
  if (start < 0 || unknown !== undefined) throw new Error(`no query: ${unknown ?? "no selection"}`);
  return new Reader(tokens.slice(start), variables).fields();
}

class Reader {
  private at = 0;

  constructor(
    private readonly tokens: readonly string[],
    private readonly variables: Variables,
  ) {}

  fields(): Field[] {
    const found: Field[] = [];
    this.expect("{");
    while (!this.skip("}")) found.push(...this.field());
    return found;
  }

  /** An inline fragment's fields stand for themselves. */
  private field(): readonly Field[] {
    const first = this.take();
    if (first === "...") {
      if (this.skip("on")) this.take();
      return this.fields();
    }
    const name = this.skip(":") ? this.take() : first;
    const args = this.skip("(") ? this.args() : {};
    return [{ name, as: first, args, fields: this.tokens[this.at] === "{" ? this.fields() : [] }];
  }

  private args(): Record<string, unknown> {
    const args: Record<string, unknown> = {};
    while (!this.skip(")")) {
      const name = this.take();
      this.expect(":");
      args[name] = this.value();
    }
    return args;
  }

  private value(): unknown {
    const token = this.take();
    if (token.startsWith("$")) return this.variables[token.slice(1)];
    if (token === "[") return this.until("]", () => this.value());
    if (token === "{") return Object.fromEntries(this.until("}", () => this.pair()));
    return /^["\d-]|^(?:true|false|null)$/.test(token) ? (JSON.parse(token) as unknown) : token;
  }

  private pair(): [string, unknown] {
    const name = this.take();
    this.expect(":");
    return [name, this.value()];
  }

  private until<T>(end: string, read: () => T): T[] {
    const found: T[] = [];
    while (!this.skip(end)) found.push(read());
    return found;
  }

  private expect(token: string): void {
    if (!this.skip(token)) throw new Error(`no query: ${token} is missing`);
  }

  private skip(token: string): boolean {
    if (this.tokens[this.at] !== token) return false;
    this.at++;
    return true;
  }

  private take(): string {
    const token = this.tokens[this.at++];
    if (token === undefined) throw new Error("no query: it ends too early");
    return token;
  }
}

/** Of `value` what `fields` select; a function is called with the field's arguments. Throws for a field that is not there. */
export function select(value: unknown, fields: readonly Field[]): unknown {
  if (Array.isArray(value)) return value.map((item) => select(item, fields));
  if (typeof value !== "object" || value === null || fields.length === 0) return value;
  return Object.fromEntries(fields.map((field) => [field.as, chosen(value as Record<string, unknown>, field)]));
}

function chosen(value: Record<string, unknown>, { name, args, fields }: Field): unknown {
  if (!Object.hasOwn(value, name)) throw new Error(`no field ${name}`);
  const found = value[name];
  return select(typeof found === "function" ? (found as (args: unknown) => unknown)(args) : found, fields);
}
