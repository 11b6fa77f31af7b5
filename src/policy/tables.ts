/** Lays the collected rules out as the tables of layout.ts. */
import type { Token } from "./glob.ts";
import type { Collected } from "./compile.ts";
import * as layout from "./layout.ts";
import { Header, HEADER_WORDS } from "./layout.ts";
import type { PortRange } from "./networks.ts";
import { isNamed } from "./parse.ts";
import { encodePath } from "./path-text.ts";
import type { PlacedRule } from "./rule.ts";
import { allNodes, type GlobEdge, type TrieNode } from "./trie.ts";

/** Rules as the tables carry them, for `ruleAt` of a worker; the thousand programs of the groups are left out. */
function ruleText(rules: readonly PlacedRule[]): { offsets: number[]; text: Uint8Array } {
  const encoder = new TextEncoder();
  const texts = rules.map((rule) =>
    encoder.encode(JSON.stringify(isNamed(rule) ? { ...rule, patterns: undefined } : rule)),
  );
  const offsets = [0];
  for (const text of texts) offsets.push(offsets.at(-1)! + text.length);
  return { offsets, text: concat(texts) };
}

export function layTables(collected: Collected, rules: readonly PlacedRule[]): Uint8Array {
  const trees = collected.roots.map((root) => allNodes(root));
  const nodes = trees.flat();
  nodes.forEach((node, index) => (node.index = index + 1));
  const builder = new Builder(nodes.length);
  const nodeWords = new Uint32Array((nodes.length + 1) * (layout.NODE_SIZE / 4));
  for (const node of nodes) nodeWords.set(builder.node(node), node.index * (layout.NODE_SIZE / 4));
  builder.networks(collected);
  builder.abstractNames(collected);
  const { slots, mask } = builder.slotTable();

  const sections = new Sections();
  const header = sections.header;
  collected.roots.forEach((root, index) => (header[Header.roots + index] = root.index));
  header[Header.nodeCount] = nodes.length + 1;
  sections.words(Header.nodes, nodeWords);
  sections.words(Header.slots, slots);
  header[Header.slotMask] = mask;
  sections.words(Header.groups, builder.groups);
  header[Header.groupCount] = builder.groups.length / (layout.GROUP_SIZE / 4);
  sections.words(Header.edges, builder.edges);
  header[Header.edgeCount] = builder.edges.length / (layout.EDGE_SIZE / 4);
  sections.words(Header.programs, builder.programs);
  sections.words(Header.ports, builder.ports);
  header[Header.portCount] = builder.ports.length / (layout.PORT_SIZE / 4);
  sections.words(Header.lengths, lengthWords(collected, header));
  header[Header.all] = collected.all;
  sections.bytes(Header.strings, concat(builder.strings));
  header[Header.matchLength] = sections.length;
  finish(sections, rules);
  return sections.join();
}

function finish(sections: Sections, rules: readonly PlacedRule[]): void {
  const { header } = sections;
  const { offsets, text } = ruleText(rules);
  header[Header.ruleCount] = rules.length;
  sections.words(Header.ruleOffsets, offsets);
  sections.bytes(Header.ruleText, text);
  const ends = rules.flatMap((rule) => (rule.expiresAt === undefined ? [] : [rule.expiresAt]));
  const first = ends.length === 0 ? 2 ** 64 - 1 : Math.min(...ends);
  header[Header.expiresLow] = ends.length === 0 ? 0xffff_ffff : first % 2 ** 32;
  header[Header.expiresHigh] = ends.length === 0 ? 0xffff_ffff : Math.floor(first / 2 ** 32);
  header[Header.magic] = layout.MAGIC;
  header[Header.total] = sections.length;
}

/** Longest first: where two decide alike, the nearer one was looked up first. */
function lengthWords(collected: Collected, header: Uint32Array): number[] {
  const down = (lengths: Iterable<number>) => [...new Set(lengths)].toSorted((one, other) => other - one);
  const four = down(collected.networks.lengths4);
  const six = down(collected.networks.lengths6);
  const names = down([...collected.abstractPrefixes.keys()].map((name) => encodePath(name).length));
  header[Header.lengths4] = four.length;
  header[Header.lengths6] = six.length;
  header[Header.lengthsAbstract] = names.length;
  return [...four, ...six, ...names];
}

class Sections {
  readonly header = new Uint32Array(HEADER_WORDS);
  readonly #parts: Uint8Array[] = [new Uint8Array(this.header.buffer)];
  length = HEADER_WORDS * 4;

  words(field: number, words: readonly number[] | Uint32Array<ArrayBuffer>): void {
    this.bytes(field, new Uint8Array((words instanceof Uint32Array ? words : Uint32Array.from(words)).buffer));
  }

  bytes(field: number, bytes: Uint8Array): void {
    this.header[field] = this.length;
    const padding = (4 - (bytes.length % 4)) % 4;
    this.#parts.push(bytes, new Uint8Array(padding));
    this.length += bytes.length + padding;
  }

  join(): Uint8Array {
    return concat(this.#parts);
  }
}

interface SlotEntry {
  readonly owner: number;
  readonly bytes: Uint8Array;
  readonly value: number;
}

interface Affix {
  readonly kind: number;
  readonly bytes: Uint8Array;
}

type AffixedEdge = GlobEdge & { readonly affix: Affix };

class Builder {
  readonly groups: number[] = [];
  readonly edges: number[] = [];
  readonly programs: number[] = [];
  readonly ports: number[] = [];
  readonly strings: Uint8Array[] = [];
  readonly #entries: SlotEntry[] = [];
  readonly #programAt = new Map<string, number>();
  #stringLength = 0;

  constructor(readonly nodeCount: number) {}

  node(node: TrieNode): number[] {
    for (const [name, child] of node.names) this.#slot(node.index, encodePath(name), child.index);
    const group = this.groups.length / (layout.GROUP_SIZE / 4);
    const count = this.#globGroups(node.globs);
    return [node.here, node.name, node.below, node.beneath, node.star?.index ?? 0, group, count, node.loop ? 1 : 0];
  }

  networks({ networks }: Collected): void {
    for (const { owner, address, ports } of networks.tables()) {
      this.#slot(owner, address, this.ports.length / (layout.PORT_SIZE / 4));
      ports.forEach((range, index) => this.ports.push(...portWords(range, ports.length - index)));
    }
  }

  abstractNames({ abstract, abstractPrefixes }: Collected): void {
    for (const [name, verdict] of abstract) this.#slot(layout.Owner.abstract, encodePath(name), verdict);
    for (const [name, verdict] of abstractPrefixes) {
      const bytes = encodePath(name);
      this.#slot(layout.Owner.abstractPrefix + bytes.length, bytes, verdict);
    }
  }

  /** Open addressing, at most half full, so that a miss ends soon. */
  slotTable(): { slots: Uint32Array<ArrayBuffer>; mask: number } {
    let size = 16;
    while (size < this.#entries.length * 2) size *= 2;
    const words = layout.SLOT_SIZE / 4;
    const slots = new Uint32Array(size * words);
    for (const { owner, bytes, value } of this.#entries) {
      const hash = layout.mixHash(layout.hashBytes(bytes), owner);
      let at = hash & (size - 1);
      while (slots[at * words] !== 0) at = (at + 1) & (size - 1);
      slots.set([owner, hash, this.#string(bytes), bytes.length, value], at * words);
    }
    return { slots, mask: size - 1 };
  }

  #slot(owner: number, bytes: Uint8Array, value: number): void {
    this.#entries.push({ owner, bytes, value });
  }

  #string(bytes: Uint8Array): number {
    const at = this.#stringLength;
    this.strings.push(bytes);
    this.#stringLength += bytes.length;
    return at;
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
      for (const same of Map.groupBy(members, ({ affix }) => affix.bytes.join()).values()) this.#edgesOf(same, owner);
    }
    return groups.size;
  }

  /** Edges with one affix, which leads to the first of them. */
  #edgesOf(edges: readonly AffixedEdge[], owner: number): void {
    const { kind, bytes } = edges[0]!.affix;
    if (kind !== layout.GroupKind.any) this.#slot(owner, bytes, this.edges.length / (layout.EDGE_SIZE / 4));
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
  const before = literalBytes(tokens.slice(0, tokens.findIndex(isMeta)));
  const after = literalBytes(tokens.slice(tokens.findLastIndex(isMeta) + 1));
  if (before.length === 0 && after.length === 0) return { kind: layout.GroupKind.any, bytes: before };
  return before.length >= after.length
    ? { kind: layout.GroupKind.prefix, bytes: before }
    : { kind: layout.GroupKind.suffix, bytes: after };
}

function literalBytes(tokens: readonly Token[]): Uint8Array {
  return encodePath(String.fromCodePoint(...tokens.filter((token) => typeof token === "number")));
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
