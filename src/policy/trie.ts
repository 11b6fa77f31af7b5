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

export function childrenOf(node: TrieNode): TrieNode[] {
  const globs = [...node.globs.values()].map((edge) => edge.child);
  return [...node.names.values(), ...globs, ...(node.star ? [node.star] : [])];
}

/** Every node of a tree, parents first; works out `beneath` on the way back. */
export function allNodes(root: TrieNode): TrieNode[] {
  const nodes = [root];
  for (let at = 0; at < nodes.length; at++) nodes.push(...childrenOf(nodes[at]!));
  for (const node of nodes.toReversed()) node.beneath = strictest(node);
  return nodes;
}

function strictest(node: TrieNode): number {
  const verdicts = childrenOf(node).flatMap((under) =>
    [under.here, under.below].filter(isRestricting).concat(under.beneath),
  );
  return verdicts.concat([node.below].filter(isRestricting)).reduce((one, other) => Math.min(one, other), NO_RULE);
}
