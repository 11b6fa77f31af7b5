/** The patterns of one category as a tree of names, each node with the verdicts of what ends or begins there. */
import type { Pattern, Segment, Token } from "./glob.ts";
import { isRestricting, NO_RULE } from "./verdict.ts";

export class TrieNode {
  here = NO_RULE;
  name = NO_RULE;
  below = NO_RULE;
  beneath = NO_RULE;
  /** Set when the tables are laid. */
  index = 0;
  readonly names = new Map<string, TrieNode>();
  readonly globs = new Map<string, GlobEdge>();
  star: TrieNode | undefined;

  /** A loop node is what `**` leads to: it stays for every further name. */
  constructor(readonly loop = false) {}
}

export interface GlobEdge {
  readonly tokens: readonly Token[];
  readonly child: TrieNode;
}

/** Adds a pattern; of two verdicts on the same paths the lower stays. */
export function insert(root: TrieNode, pattern: Pattern, verdict: number): void {
  const node = pattern.segments.reduce(follow, root);
  node.here = Math.min(node.here, verdict);
  // DIR/** allows what DIR is, not its name, which belongs to the parent; what it forbids, it forbids for the name too.
  if (pattern.reach !== "tree" || isRestricting(verdict)) node.name = Math.min(node.name, verdict);
  if (pattern.reach !== "name") node.below = Math.min(node.below, verdict);
}

function follow(node: TrieNode, segment: Segment): TrieNode {
  switch (segment.kind) {
    case "globstar":
      return (node.star ??= new TrieNode(true));
    case "literal":
      return child(node.names, segment.text, () => new TrieNode());
    case "glob":
      return child(node.globs, JSON.stringify(segment.tokens), () => ({
        tokens: segment.tokens,
        child: new TrieNode(),
      })).child;
  }
}

function child<T>(children: Map<string, T>, key: string, make: () => T): T {
  let found = children.get(key);
  if (found === undefined) children.set(key, (found = make()));
  return found;
}

/** Every node of a tree, parents first; works out `beneath` on the way back. */
export function allNodes(root: TrieNode): TrieNode[] {
  const nodes = [root];
  for (let at = 0; at < nodes.length; at++) {
    const node = nodes[at]!;
    for (const under of node.names.values()) nodes.push(under);
    for (const edge of node.globs.values()) nodes.push(edge.child);
    if (node.star) nodes.push(node.star);
  }
  for (let at = nodes.length - 1; at >= 0; at--) nodes[at]!.beneath = strictestBelow(nodes[at]!);
  return nodes;
}

function strictestBelow(node: TrieNode): number {
  let best = restricting(node.below);
  const take = (under: TrieNode) =>
    (best = Math.min(best, restricting(under.here), restricting(under.below), under.beneath));
  for (const under of node.names.values()) take(under);
  for (const edge of node.globs.values()) take(edge.child);
  if (node.star) take(node.star);
  return best;
}

function restricting(verdict: number): number {
  return isRestricting(verdict) ? verdict : NO_RULE;
}
