/** Lays the collected rules out as the tables of layout.ts. */
import type { Collected } from "./compile.ts";
import * as layout from "./layout.ts";
import { Header } from "./layout.ts";
import { isNamed } from "./parse.ts";
import { encodePath } from "./path-text.ts";
import type { PlacedRule } from "./rule.ts";
import { TableBuilder } from "./table-builder.ts";
import { Sections } from "./table-parts.ts";
import { allNodes } from "./trie.ts";

/** Rules as the tables carry them, for `ruleAt` of a worker; the thousand programs of the groups are left out. */
function ruleText(rules: readonly PlacedRule[]): { offsets: number[]; text: Uint8Array } {
  const encoder = new TextEncoder();
  const texts = rules.map((rule) =>
    encoder.encode(JSON.stringify(isNamed(rule) ? { ...rule, patterns: undefined } : rule)),
  );
  const offsets = [0];
  for (const text of texts) offsets.push(offsets.at(-1)! + text.length);
  return { offsets, text: Buffer.concat(texts) };
}

export function layTables(collected: Collected, rules: readonly PlacedRule[]): Uint8Array {
  const trees = collected.roots.map((root) => allNodes(root));
  const nodes = trees.flat();
  nodes.forEach((node, index) => (node.index = index + 1));
  const builder = new TableBuilder(nodes.length);
  const nodeWords = new Uint32Array((nodes.length + 1) * (layout.NODE_SIZE / 4));
  for (const node of nodes) nodeWords.set(builder.node(node), node.index * (layout.NODE_SIZE / 4));
  builder.networks(collected);
  builder.names(collected);

  const sections = new Sections();
  const header = sections.header;
  collected.roots.forEach((root, index) => (header[Header.roots + index] = root.index));
  header[Header.nodeCount] = nodes.length + 1;
  sections.words(Header.nodes, nodeWords);
  sections.words(Header.entries, builder.entries);
  header[Header.entryCount] = builder.entries.length / (layout.ENTRY_SIZE / 4);
  sections.words(Header.groups, builder.groups);
  header[Header.groupCount] = builder.groups.length / (layout.GROUP_SIZE / 4);
  sections.words(Header.edges, builder.edges);
  header[Header.edgeCount] = builder.edges.length / (layout.EDGE_SIZE / 4);
  sections.words(Header.programs, builder.programs);
  sections.words(Header.ports, builder.ports);
  header[Header.portCount] = builder.ports.length / (layout.PORT_SIZE / 4);
  sections.words(Header.lengths, lengthWords(collected, header));
  header[Header.all] = collected.all;
  sections.bytes(Header.strings, builder.strings.bytes);
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
