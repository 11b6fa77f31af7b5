// The matcher: rules as flat tables in, one number a question out. No imports, no allocation, memory that never grows.
// Every export takes and gives integers; a negative result is an errno, and the caller denies.

import { abstractVerdict, inetVerdict } from "./connect";
import { verdictBelow, verdictHere, verdictLink, walk } from "./path";
import {
  Edge,
  Entry,
  Group,
  Header,
  NO_RULE,
  Node,
  PATH_BASE,
  PATH_CAPACITY,
  Port,
  TABLES_BASE,
  NOT_FOUND,
  find,
  hashBytes,
  header,
  isLoaded,
  useTables,
} from "./tables";

const EINVAL: i32 = 22;
const ENAMETOOLONG: i32 = 36;

const EXEC: u32 = 1;
const CONNECT: u32 = 2;
const OWNER_PROGRAM: u32 = 0x40004000;
const INET: u32 = 1;
const UNIX: u32 = 2;
const ABSTRACT: u32 = 3;

/** Where the host puts the path in question; fixed for the life of the instance. */
export function pathBase(): u32 {
  return PATH_BASE;
}

/** Bytes that fit there. */
export function pathCapacity(): u32 {
  return PATH_CAPACITY;
}

/** Where the host copies the tables to before `loadTables`. */
export function tablesBase(): u32 {
  return TABLES_BASE;
}

/** Takes `length` bytes of tables into use: 0, EINVAL for what are no tables, ENOMEM where the lists do not fit. */
export function loadTables(length: u32): i32 {
  return useTables(length);
}

/** The verdict on the path (write, exec, read) or the address (connect) in the scratch. */
export function match(category: u32, length: u32): i32 {
  const error = check(category, length);
  if (error != 0) return error;
  if (category == CONNECT) return connectVerdict(length);
  const walked = walk(root(category), PATH_BASE, PATH_BASE + length);
  if (walked < 0) return walked;
  const found = verdictHere(false);
  return <i32>(category == EXEC ? lower(found, programVerdict(length)) : found);
}

/** Files that names and groups stand for are not in the tree: there are many, and only the whole path counts. */
function programVerdict(length: u32): u32 {
  const found = find(OWNER_PROGRAM, hashBytes(PATH_BASE, length), PATH_BASE, length);
  return found == NOT_FOUND ? NO_RULE : found;
}

function lower(one: u32, other: u32): u32 {
  return one < other ? one : other;
}

/** The verdict on removing, replacing or making the path's name: `DIR/**` allows nothing about the name DIR. */
export function matchName(category: u32, length: u32): i32 {
  const error = walkOnly(category, length);
  return error != 0 ? error : <i32>verdictHere(true);
}

/** The strictest verdict that something below the folder could meet, or NO_RULE. */
export function matchBelow(category: u32, length: u32): i32 {
  const error = walkOnly(category, length);
  return error != 0 ? error : <i32>verdictBelow();
}

/** What making the path lead elsewhere meets beyond matchName: a rule below it, or that only a file is allowed here. */
export function matchLink(category: u32, length: u32): i32 {
  const error = walkOnly(category, length);
  return error != 0 ? error : <i32>verdictLink();
}

function walkOnly(category: u32, length: u32): i32 {
  const error = check(category, length);
  if (error != 0) return error;
  return category == CONNECT ? -EINVAL : walk(root(category), PATH_BASE, PATH_BASE + length);
}

function check(category: u32, length: u32): i32 {
  if (!isLoaded || category > 3) return -EINVAL;
  return length > PATH_CAPACITY ? -ENAMETOOLONG : 0;
}

function root(category: u32): u32 {
  if (category == 0) return header.rootWrite;
  if (category == 1) return header.rootExec;
  return category == CONNECT ? header.rootUnix : header.rootRead;
}

function connectVerdict(length: u32): i32 {
  if (length == 0) return -EINVAL;
  const kind = <u32>load<u8>(PATH_BASE);
  let found = NO_RULE;
  if (kind == INET) {
    if (length != 20) return -EINVAL;
    found = inetVerdict(PATH_BASE);
  } else if (kind == ABSTRACT) {
    found = abstractVerdict(PATH_BASE + 1, length - 1);
  } else if (kind == UNIX) {
    const walked = walk(header.rootUnix, PATH_BASE + 1, PATH_BASE + length);
    if (walked < 0) return walked;
    found = verdictHere(false);
  } else if (kind != 4) return -EINVAL;
  return <i32>(found < header.all ? found : header.all);
}

// What the layout test compares with src/policy/layout.ts.
export const HEADER_STRINGS: u32 = offsetof<Header>("strings");
export const HEADER_ALL: u32 = offsetof<Header>("all");
export const HEADER_LENGTHS: u32 = offsetof<Header>("lengths");
export const HEADER_PORTS: u32 = offsetof<Header>("ports");
export const HEADER_PROGRAMS: u32 = offsetof<Header>("programs");
export const HEADER_EDGES: u32 = offsetof<Header>("edges");
export const HEADER_GROUPS: u32 = offsetof<Header>("groups");
export const HEADER_ENTRIES: u32 = offsetof<Header>("entries");
export const HEADER_ENTRY_COUNT: u32 = offsetof<Header>("entryCount");
export const HEADER_NODES: u32 = offsetof<Header>("nodes");
export const HEADER_NODE_COUNT: u32 = offsetof<Header>("nodeCount");
export const HEADER_ROOTS: u32 = offsetof<Header>("rootWrite");
export const NODE_SIZE: u32 = offsetof<Node>();
export const NODE_HERE: u32 = offsetof<Node>("here");
export const NODE_NAME: u32 = offsetof<Node>("name");
export const NODE_BELOW: u32 = offsetof<Node>("below");
export const NODE_BENEATH: u32 = offsetof<Node>("beneath");
export const NODE_STAR: u32 = offsetof<Node>("star");
export const NODE_GROUP: u32 = offsetof<Node>("group");
export const NODE_GROUP_COUNT: u32 = offsetof<Node>("groupCount");
export const NODE_LOOP: u32 = offsetof<Node>("loop");
export const ENTRY_SIZE: u32 = offsetof<Entry>();
export const ENTRY_VALUE: u32 = offsetof<Entry>("value");
export const ENTRY_STRING: u32 = offsetof<Entry>("string");
export const GROUP_SIZE: u32 = offsetof<Group>();
export const GROUP_EDGE: u32 = offsetof<Group>("edge");
export const GROUP_INNER: u32 = offsetof<Group>("innerLow");
export const EDGE_SIZE: u32 = offsetof<Edge>();
export const EDGE_CHILD: u32 = offsetof<Edge>("child");
export const PORT_SIZE: u32 = offsetof<Port>();
export const PORT_VERDICT: u32 = offsetof<Port>("verdict");
