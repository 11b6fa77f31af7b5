/** The YAML file as fields with line numbers: the first document, scalars only, no aliases (CHECKS §2). */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  type Node,
  type Pair,
  type YAMLMap,
} from "yaml";
import type { At, Field, Fields, Problems, RawConfig } from "./raw.ts";

/** What can be read of `source`; what cannot goes to `problems`. */
export function readYaml(source: string, file: string, problems: Problems): RawConfig {
  return new YamlReader(file, problems).read(source);
}

class YamlReader {
  private readonly lines = new LineCounter();

  constructor(
    private readonly file: string,
    private readonly problems: Problems,
  ) {}

  read(source: string): RawConfig {
    const options = { lineCounter: this.lines, uniqueKeys: false, merge: false, strict: true } as const;
    const documents = parseAllDocuments(source, options);
    const root = Array.isArray(documents) ? documents[0] : undefined;
    for (const error of root?.errors ?? []) this.problems.add(this.line(error.pos[0]), `not YAML: ${error.code}`);
    const top = root?.contents;
    if (isMap(top)) return this.top(top);
    if (root === undefined || root.errors.length === 0)
      this.problems.add(this.line(0), "the file must be a mapping with the key connections");
    return { top: { fields: [], at: this.line(0) }, connections: [] };
  }

  private top(map: YAMLMap<Node, Node | null>): RawConfig {
    const isList = (pair: Pair<Node, Node | null>): boolean => this.name(pair.key) === "connections";
    const lists = map.items.filter(isList);
    if (lists.length > 1) this.problems.add(this.at(lists[1]?.key), "the key connections comes twice");
    const rest = map.items.filter((pair) => !isList(pair));
    return { top: { fields: this.fields(rest), at: this.at(map) }, connections: this.connections(lists[0]) };
  }

  private connections(pair: Pair<Node, Node | null> | undefined): Fields[] {
    if (pair === undefined) return [];
    if (!isSeq(pair.value)) {
      this.problems.add(this.at(pair.key), "connections must be a list of mappings");
      return [];
    }
    return pair.value.items.flatMap((item) => {
      if (isMap(item)) return [{ fields: this.fields((item as YAMLMap<Node, Node | null>).items), at: this.at(item) }];
      this.problems.add(
        this.at(isNode(item) ? item : pair.key),
        isAlias(item) ? "aliases are not read" : "a connection must be a mapping",
      );
      return [];
    });
  }

  private fields(pairs: readonly Pair<Node, Node | null>[]): Field[] {
    const seen = new Set<string>();
    return pairs.flatMap((pair) => {
      const key = this.name(pair.key);
      const at = this.at(pair.key);
      if (key === undefined) return this.refuse(at, "a key must be plain text");
      if (seen.has(key)) return this.refuse(at, `the key ${key} comes twice`);
      seen.add(key);
      return this.field(key, pair.value, at);
    });
  }

  private field(key: string, value: Node | null, at: At): Field[] {
    if (isAlias(value)) return this.refuse(at, `${key}: aliases are not read`);
    if (value !== null && !isScalar(value))
      return this.refuse(at, `${key} must be a single value, not a list or a mapping`);
    // The text as written: 012345678901 is an account, not a number.
    const text = typeof value?.value === "string" ? value.value : undefined;
    const written = value?.type === "PLAIN" ? value.source : text;
    const isEmpty = value === null || value.value === null || written === undefined || written === "";
    return isEmpty ? this.refuse(at, `${key} has no value`) : [{ key, value: written, at: this.at(value) }];
  }

  private refuse(at: At, message: string): [] {
    this.problems.add(at, message);
    return [];
  }

  private name(key: Node | undefined): string | undefined {
    return isScalar(key) && typeof key.value === "string" ? key.value : undefined;
  }

  private at(node: Node | undefined): At {
    return this.line(node?.range?.[0] ?? 0);
  }

  private line(offset: number): At {
    return { file: this.file, line: Math.max(1, this.lines.linePos(offset).line) };
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "range" in value;
}
