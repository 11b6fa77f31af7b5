// Typed views of the tables that src/policy/tables.ts lays out. Each class is one record; nothing here allocates.
// Offsets are in bytes from the start of the tables unless a field says otherwise.

/** "HPT" and the version of the layout. */
export const MAGIC: u32 = 0x01545048;

/** No rule matched. */
export const NO_RULE: u32 = 0x7fffffff;

/** Nothing found in the hash table. */
export const NOT_FOUND: u32 = 0xffffffff;

//  0 magic        4 matchLength   8 roots[4]     24 nodeCount   28 nodes       32 entries     36 entryCount
// 40 groups      44 groupCount   48 edges        52 edgeCount   56 programs    60 ports       64 portCount
// 68 lengths     72 lengths4     76 lengths6     80 lengthsAbstract            84 all         88 strings
@unmanaged
export class Header {
  magic: u32;
  matchLength: u32;
  rootWrite: u32;
  rootExec: u32;
  rootUnix: u32;
  rootRead: u32;
  nodeCount: u32;
  nodes: u32;
  entries: u32;
  entryCount: u32;
  groups: u32;
  groupCount: u32;
  edges: u32;
  edgeCount: u32;
  programs: u32;
  ports: u32;
  portCount: u32;
  lengths: u32;
  lengths4: u32;
  lengths6: u32;
  lengthsAbstract: u32;
  all: u32;
  strings: u32;
}

//  0 here   4 name   8 below   12 beneath   16 star   20 group   24 groupCount   28 loop                       (32)
@unmanaged
export class Node {
  here: u32;
  name: u32;
  below: u32;
  beneath: u32;
  star: u32;
  group: u32;
  groupCount: u32;
  loop: u32;
}

//  0 owner   4 string (from strings)   8 length   12 value                                                     (16)
@unmanaged
export class Entry {
  owner: u32;
  string: u32;
  length: u32;
  value: u32;
}

//  0 entry + 1 (0: free)   4 hash                                                                              (8)
@unmanaged
export class Slot {
  entry: u32;
  hash: u32;
}

//  0 kind   4 length of the affix   8 first edge   12 edges   16, 20 bits of its byte nearest to the glob      (24)
@unmanaged
export class Group {
  kind: u32;
  length: u32;
  edge: u32;
  edgeCount: u32;
  innerLow: u32;
  innerHigh: u32;
}

//  0 program (word)   4 length (words)   8 child   12 last                                                     (16)
@unmanaged
export class Edge {
  program: u32;
  length: u32;
  child: u32;
  last: u32;
}

//  0 low   4 high   8 verdict   12 left: records of this network from here on                                  (16)
@unmanaged
export class Port {
  low: u32;
  high: u32;
  verdict: u32;
  left: u32;
}

//      4096          +131072                  +length   +8*2^k   +4*n    +4*n     +4*n
//  0 --- path scratch --- | tables (copied) -- | slots -- | marks | current | next |              end of memory
export const PATH_BASE: u32 = 4096;
export const PATH_CAPACITY: u32 = 131072;
export const TABLES_BASE: u32 = PATH_BASE + PATH_CAPACITY;

/** Fields below are set by `load`; addresses, not offsets. */
export let header: Header = changetype<Header>(TABLES_BASE);
export let isLoaded: bool = false;
let slots: u32 = 0;
let slotMask: u32 = 0;
export let marks: u32 = 0;
export let listOne: u32 = 0;
export let listTwo: u32 = 0;

export function node(index: u32): Node {
  return changetype<Node>(TABLES_BASE + header.nodes + index * offsetof<Node>());
}

export function group(index: u32): Group {
  return changetype<Group>(TABLES_BASE + header.groups + index * offsetof<Group>());
}

export function edge(index: u32): Edge {
  return changetype<Edge>(TABLES_BASE + header.edges + index * offsetof<Edge>());
}

export function port(index: u32): Port {
  return changetype<Port>(TABLES_BASE + header.ports + index * offsetof<Port>());
}

function slotAt(index: u32): Slot {
  return changetype<Slot>(slots + index * offsetof<Slot>());
}

function entryAt(index: u32): Entry {
  return changetype<Entry>(TABLES_BASE + header.entries + index * offsetof<Entry>());
}

/** The value that (owner, bytes) has, or NOT_FOUND. The table is at most half full, so a miss ends. */
export function find(owner: u32, bytesHash: u32, bytes: u32, length: u32): u32 {
  const hash = mixHash(bytesHash, owner);
  let at = hash & slotMask;
  let slot = slotAt(at);
  while (slot.entry != 0) {
    if (slot.hash == hash) {
      const entry = entryAt(slot.entry - 1);
      const isAlike = entry.owner == owner && entry.length == length;
      if (isAlike && isSame(TABLES_BASE + header.strings + entry.string, bytes, length)) return entry.value;
    }
    at = (at + 1) & slotMask;
    slot = slotAt(at);
  }
  return NOT_FOUND;
}

/** The hash table is made here and not by the host, whose first run is slow. */
function fillSlots(): void {
  memory.fill(slots, 0, (slotMask + 1) * offsetof<Slot>());
  for (let index: u32 = 0; index < header.entryCount; index++) {
    const entry = entryAt(index);
    const hash = mixHash(hashBytes(TABLES_BASE + header.strings + entry.string, entry.length), entry.owner);
    let at = hash & slotMask;
    while (slotAt(at).entry != 0) at = (at + 1) & slotMask;
    const slot = slotAt(at);
    slot.entry = index + 1;
    slot.hash = hash;
  }
}

/** A power of two, so that at most half of the slots are taken. */
function slotCount(entries: u32): u32 {
  let count: u32 = 16;
  while (count < entries * 2) count *= 2;
  return count;
}

export function hashBytes(bytes: u32, length: u32): u32 {
  let hash: u32 = 0x811c9dc5;
  for (let at: u32 = 0; at < length; at++) hash = (hash ^ <u32>load<u8>(bytes + at)) * 0x01000193;
  return hash;
}

export function mixHash(hash: u32, owner: u32): u32 {
  const mixed = (hash ^ (owner * 0x9e3779b1)) * 0x85ebca6b;
  return mixed ^ (mixed >> 15);
}

function isSame(one: u32, other: u32, length: u32): bool {
  for (let at: u32 = 0; at < length; at++) {
    if (load<u8>(one + at) != load<u8>(other + at)) return false;
  }
  return true;
}

/** Takes the tables that the host has put at TABLES_BASE into use. 0, or a negative errno and no tables are in use. */
export function useTables(length: u32): i32 {
  isLoaded = false;
  header = changetype<Header>(TABLES_BASE);
  if (length < offsetof<Header>() || header.magic != MAGIC || header.matchLength != length) return -22; // EINVAL
  if (header.nodes > length || header.entries > length || header.strings > length) return -22;
  const perNode = header.nodeCount * 4;
  const slotBytes = slotCount(header.entryCount) * offsetof<Slot>();
  const memoryEnd = (<u64>memory.size()) << 16;
  if (<u64>TABLES_BASE + <u64>length + <u64>slotBytes + <u64>perNode * 3 > memoryEnd) return -12; // ENOMEM
  slots = TABLES_BASE + length;
  slotMask = slotBytes / offsetof<Slot>() - 1;
  marks = slots + slotBytes;
  listOne = marks + perNode;
  listTwo = listOne + perNode;
  memory.fill(marks, 0, perNode);
  fillSlots();
  isLoaded = true;
  return 0;
}
