/** Turns nodes, networks and names into the records of layout.ts. */
import type { Collected } from "./compile.ts";
import type { Token } from "./glob.ts";
import * as layout from "./layout.ts";
import type { PortRange } from "./networks.ts";
import { encodePath } from "./path-text.ts";
import { StringPool } from "./table-parts.ts";
import type { GlobEdge, TrieNode } from "./trie.ts";

interface Affix {
  readonly kind: number;
  readonly text: string;
  readonly bytes: Uint8Array;
}

type AffixedEdge = GlobEdge & { readonly affix: Affix };

export class TableBuilder {
  readonly entries: number[] = [];
  readonly groups: number[] = [];
  readonly edges: number[] = [];
  readonly programs: number[] = [];
  readonly ports: number[] = [];
  readonly strings = new StringPool();
  readonly #programAt = new Map<string, number>();

  constructor(readonly nodeCount: number) {}

  node(node: TrieNode): number[] {
    for (const [name, child] of node.names) this.#entry(node.index, name, child.index);
    const group = this.groups.length / (layout.GROUP_SIZE / 4);
    const count = this.#globGroups(node.globs);
    return [node.here, node.name, node.below, node.beneath, node.star?.index ?? 0, group, count, node.loop ? 1 : 0];
  }

  networks({ networks }: Collected): void {
    for (const { owner, address, ports } of networks.tables()) {
      this.entries.push(owner, ...this.strings.addBytes(address), this.ports.length / (layout.PORT_SIZE / 4));
      ports.forEach((range, index) => this.ports.push(...portWords(range, ports.length - index)));
    }
  }

  names({ programs, abstract, abstractPrefixes }: Collected): void {
    for (const [path, verdict] of programs) this.#entry(layout.Owner.program, path, verdict);
    for (const [name, verdict] of abstract) this.#entry(layout.Owner.abstract, name, verdict);
    for (const [name, verdict] of abstractPrefixes) {
      this.#entry(layout.Owner.abstractPrefix + encodePath(name).length, name, verdict);
    }
  }

  #entry(owner: number, text: string, value: number): void {
    const [at, length] = this.strings.add(text);
    this.entries.push(owner, at, length, value);
  }

  /** Globs are found by what they begin or end with, so that ten thousand of them in one folder cost no more than ten. */
  #globGroups(globs: ReadonlyMap<string, GlobEdge>): number {
    if (globs.size === 0) return 0;
    const edges = Array.from(globs.values(), (edge) => ({ ...edge, affix: affixOf(edge.tokens) }));
    const groups = Map.groupBy(edges, ({ affix: { kind, bytes } }) => `${kind}/${bytes.length}`);
    for (const members of groups.values()) {
      const { kind, bytes } = members[0]!.affix;
      const first = this.edges.length / (layout.EDGE_SIZE / 4);
      const owner = this.nodeCount + 1 + this.groups.length / (layout.GROUP_SIZE / 4);
      this.groups.push(kind, bytes.length, first, members.length, ...innerBits(members));
      for (const same of Map.groupBy(members, ({ affix }) => affix.text).values()) this.#edgesOf(same, owner);
    }
    return groups.size;
  }

  /** Edges with one affix, which leads to the first of them. */
  #edgesOf(edges: readonly AffixedEdge[], owner: number): void {
    const { kind, text } = edges[0]!.affix;
    if (kind !== layout.GroupKind.any) this.#entry(owner, text, this.edges.length / (layout.EDGE_SIZE / 4));
    edges.forEach(({ tokens, child }, index) => {
      const [program, length] = this.#program(tokens);
      this.edges.push(program, length, child.index, index === edges.length - 1 ? 1 : 0);
    });
  }

  #program(tokens: readonly Token[]): [at: number, length: number] {
    const words = tokens.flatMap(tokenWords);
    const key = words.join();
    const at = this.#programAt.get(key) ?? this.programs.length;
    if (at === this.programs.length) this.programs.push(...words);
    this.#programAt.set(key, at);
    return [at, words.length];
  }
}

function portWords({ low, high, verdict }: PortRange, left: number): number[] {
  return [low, high, verdict, left];
}

function tokenWords(token: Token): number[] {
  if (typeof token === "number") return [token];
  if (typeof token === "string") return [layout.Op[token]];
  return [token.negated ? layout.Op.notClass : layout.Op.class, token.ranges.length, ...token.ranges.flat()];
}

/** The longer of the literal beginning and the literal end. */
/** The bits of the bytes at which a prefix ends or a suffix begins. */
function innerBits(edges: readonly AffixedEdge[]): [low: number, high: number] {
  const bits: [number, number] = [0, 0];
  for (const { affix } of edges) {
    const byte = (affix.kind === layout.GroupKind.prefix ? affix.bytes.at(-1) : affix.bytes[0]) ?? 0;
    const half = (byte & 32) === 0 ? 0 : 1;
    bits[half] = (bits[half] | (1 << (byte & 31))) >>> 0;
  }
  return bits;
}

function affixOf(tokens: readonly Token[]): Affix {
  const isMeta = (token: Token) => typeof token !== "number";
  const before = makeAffix(layout.GroupKind.prefix, tokens.slice(0, tokens.findIndex(isMeta)));
  const after = makeAffix(layout.GroupKind.suffix, tokens.slice(tokens.findLastIndex(isMeta) + 1));
  if (before.bytes.length === 0 && after.bytes.length === 0) return { ...before, kind: layout.GroupKind.any };
  return before.bytes.length >= after.bytes.length ? before : after;
}

function makeAffix(kind: number, tokens: readonly Token[]): Affix {
  const text = String.fromCodePoint(...tokens.filter((token) => typeof token === "number"));
  return { kind, text, bytes: encodePath(text) };
}
