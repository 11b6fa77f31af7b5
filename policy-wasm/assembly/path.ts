// Paths: the tree of names is walked with all nodes that the path so far can be at; each node is at most once in the list.

import { matchesGlob } from "./glob";
import { NO_RULE, NOT_FOUND, edge, find, group, hashBytes, header, listOne, listTwo, marks, node } from "./tables";

const SLASH: u32 = 0x2f;
const DOT: u32 = 0x2e;
const EINVAL: i32 = 22;

const PREFIX: u32 = 1;

/** Asked by default, by no rule that has an index. */
const ASKED: u32 = 0x50ffffff;

let list: u32 = 0;
let spare: u32 = 0;
let count: u32 = 0;
let stamp: u32 = 0;

/** The lowest verdict of the rules that cover a folder which the path goes through. */
let covered: u32 = NO_RULE;

function lower(one: u32, other: u32): u32 {
  return one < other ? one : other;
}

/** Whether a verdict denies or asks: tiers builtin 0, deny 1, ask 3, asked by default 5. */
function isRestricting(verdict: u32): bool {
  const tier = verdict >> 28;
  return verdict != NO_RULE && (tier < 2 || tier == 3 || tier == 5);
}

function newStamp(): void {
  if (++stamp != 0) return;
  memory.fill(marks, 0, header.nodeCount * 4);
  stamp = 1;
}

/** Puts a node into the list, and what `**` after it leads to. */
function reach(index: u32): void {
  const mark = marks + index * 4;
  if (load<u32>(mark) == stamp) return;
  store<u32>(mark, stamp);
  store<u32>(list + count * 4, index);
  count++;
  const star = node(index).star;
  if (star != 0) reach(star);
}

/** The globs of a node that begin or end with the right bytes. */
function followGlobs(index: u32, name: u32, end: u32): void {
  const from = node(index);
  const length = end - name;
  for (let at = from.group; at < from.group + from.groupCount; at++) {
    const globs = group(at);
    if (globs.length > length) continue;
    let first = globs.edge;
    if (globs.kind != 0) {
      const affix = globs.kind == PREFIX ? name : end - globs.length;
      const inner = load<u8>(globs.kind == PREFIX ? affix + globs.length - 1 : affix);
      if (((((inner & 32) == 0 ? globs.innerLow : globs.innerHigh) >> (inner & 31)) & 1) == 0) continue;
      first = find(header.nodeCount + at, hashBytes(affix, globs.length), affix, globs.length);
      if (first == NOT_FOUND) continue;
    }
    for (let each = first; ; each++) {
      const glob = edge(each);
      if (matchesGlob(glob.program, glob.length, name, end)) reach(glob.child);
      if (glob.last != 0) break;
    }
  }
}

/** Goes on by one name from every node of the list. */
function step(name: u32, end: u32, hash: u32): void {
  const from = list;
  const fromCount = count;
  list = spare;
  spare = from;
  count = 0;
  newStamp();
  for (let at: u32 = 0; at < fromCount; at++) {
    const index = load<u32>(from + at * 4);
    const here = node(index);
    covered = lower(covered, here.below);
    if (here.loop != 0) reach(index);
    const child = find(index, hash, name, end - name);
    if (child != NOT_FOUND) reach(child);
    if (here.groupCount != 0) followGlobs(index, name, end);
  }
}

/** Walks an absolute path from `root`; a negative errno where it is none, or has a NUL, `.` or `..` in it. */
export function walk(root: u32, path: u32, end: u32): i32 {
  if (path >= end || load<u8>(path) != SLASH) return -EINVAL;
  list = listOne;
  spare = listTwo;
  count = 0;
  covered = NO_RULE;
  newStamp();
  reach(root);
  let at = path;
  while (at < end) {
    if (load<u8>(at) == SLASH) {
      at++;
      continue;
    }
    const name = at;
    let hash: u32 = 0x811c9dc5;
    for (; at < end && load<u8>(at) != SLASH; at++) {
      if (load<u8>(at) == 0) return -EINVAL;
      hash = (hash ^ <u32>load<u8>(at)) * 0x01000193;
    }
    if (isDots(name, at)) return -EINVAL;
    step(name, at, hash);
  }
  return 0;
}

function isDots(name: u32, end: u32): bool {
  if (load<u8>(name) != DOT) return false;
  return end - name == 1 || (end - name == 2 && load<u8>(name + 1) == DOT);
}

/** The verdict on the path that was walked; on its name alone where `isName`. */
export function verdictHere(isName: bool): u32 {
  let best = covered;
  for (let at: u32 = 0; at < count; at++) {
    const here = node(load<u32>(list + at * 4));
    best = lower(best, isName ? here.name : here.here);
  }
  return best;
}

/** The strictest verdict that a path below the walked one could meet, less what a better rule on all of it takes away. */
export function verdictBelow(): u32 {
  return strictestBelow(false);
}

/**
 * What a link in the place of the walked path meets: the strictest rule below that names the path's last name; else
 * ASKED where the name is allowed only by a rule for this very path, which is for a file and not for a way to others.
 */
export function verdictLink(): u32 {
  const strictest = strictestBelow(true);
  if (strictest != NO_RULE || isRestricting(covered)) return strictest;
  const named = verdictHere(true);
  return covered == NO_RULE && named != NO_RULE && !isRestricting(named) ? ASKED : strictest;
}

function strictestBelow(isLink: bool): u32 {
  let cover = covered;
  let strictest = NO_RULE;
  for (let at: u32 = 0; at < count; at++) {
    const here = node(load<u32>(list + at * 4));
    cover = lower(cover, here.below);
    if (!isLink || here.loop == 0) strictest = lower(strictest, here.beneath);
  }
  if (isRestricting(cover)) strictest = lower(strictest, cover);
  return strictest <= cover ? strictest : NO_RULE;
}
