/**
 * The tables that the WASM matcher reads: little-endian u32 words, offsets in bytes from the start of the tables.
 *
 *     header | nodes | entries | groups | edges | programs | ports | lengths | prefixes | strings | rules (JSON)
 *
 * The matcher is given everything before the rules. policy-wasm/assembly/tables.ts draws the same; a test compares.
 */

/** "HPT" and the version of the layout. */
export const MAGIC = 0x01545048;

/** Words of the header. */
export const Header = {
  magic: 0,
  /** Bytes that the matcher needs. */
  matchLength: 1,
  /** Nodes at which a path of each category begins: write, exec, connect (unix), read. */
  roots: 2,
  nodeCount: 6,
  nodes: 7,
  entries: 8,
  entryCount: 9,
  groups: 10,
  groupCount: 11,
  edges: 12,
  edgeCount: 13,
  programs: 14,
  ports: 15,
  portCount: 16,
  /** Prefix lengths of networks that occur: IPv4, then IPv6, then of abstract names. */
  lengths: 17,
  lengths4: 18,
  lengths6: 19,
  lengthsAbstract: 20,
  /** The verdict of `all`. */
  all: 21,
  strings: 22,
  ruleCount: 23,
  /** Offsets (ruleCount + 1 words, from the start of the JSON) and the JSON itself. */
  ruleOffsets: 24,
  ruleText: 25,
  /** Milliseconds since the epoch at which the first rule ends, low and high word; all ones: never. */
  expiresLow: 26,
  expiresHigh: 27,
  total: 28,
} as const;
export const HEADER_WORDS = 29;

/** A name in the tree of patterns. */
export const NODE_SIZE = 32;
export const Node = {
  /** Verdict on the path that ends here. */
  here: 0,
  /** Verdict on removing, replacing or making that path's name. */
  name: 4,
  /** Verdict on everything below. */
  below: 8,
  /** The strictest that some path below could meet (only what denies or asks). */
  beneath: 12,
  /** The node for `**` after this one; 0: none. */
  star: 16,
  /** First of the node's groups of globs, and how many. */
  group: 20,
  groupCount: 24,
  /** 1: stays for every further name (`**`). */
  loop: 28,
} as const;

/** What the matcher's one hash table is made of when it loads: (owner, bytes) to value. Strings: from `strings`. */
export const ENTRY_SIZE = 16;
export const Entry = { owner: 0, string: 4, length: 8, value: 12 } as const;

/** Globs of a node that share the kind and length of what they begin or end with. */
export const GROUP_SIZE = 24;
/** `inner`: 64 bits, one for each value (modulo 64) of the affix's byte nearest to the glob: most names stop there. */
export const Group = { kind: 0, length: 4, edge: 8, edgeCount: 12, innerLow: 16, innerHigh: 20 } as const;
export const GroupKind = { any: 0, prefix: 1, suffix: 2 } as const;

/** One glob for one name: its program and where it leads. Edges with one affix stand together; the last has `last` 1. */
export const EDGE_SIZE = 16;
export const Edge = { program: 0, length: 4, child: 8, last: 12 } as const;

/** A range of ports with its verdict; those of one network and protocol are sorted, `left` counts them down to 1. */
export const PORT_SIZE = 16;
export const Port = { low: 0, high: 4, verdict: 8, left: 12 } as const;

/** Words of a program that are no code point. */
export const Op = { star: 0x8000_0000, any: 0x8000_0001, class: 0x8000_0002, notClass: 0x8000_0003 } as const;

/** What owns an entry: nodes are 1 and up, their groups follow; the rest is here. */
export const Owner = {
  /** plus the prefix length; bytes: the masked address */
  network4: 0x4000_0000,
  network6: 0x4000_1000,
  /** bytes: the name */
  abstract: 0x4000_2000,
  /** plus the length; bytes: the first so many of the name */
  abstractPrefix: 0x4000_3000,
  /** bytes: the whole path of a program that a name or a group stands for */
  program: 0x4000_4000,
} as const;

/** First byte of what the matcher is asked for `connect`. */
export const ConnectKind = { inet: 1, unix: 2, abstract: 3, other: 4 } as const;
export const Protocol = { other: 0, tcp: 1, udp: 2 } as const;

export const CategoryCode = { write: 0, exec: 1, connect: 2, read: 3 } as const;
export type CategoryCode = (typeof CategoryCode)[keyof typeof CategoryCode];
