/**
 * The host of the WASM matcher. The main thread publishes tables into shared memory; each worker has an instance of its
 * own and copies them when the generation has moved.
 */
import { readFileSync } from "node:fs";
import { HallpassBug, HallpassError } from "../src/errors.ts";
import type { CategoryCode } from "../src/policy/layout.ts";
import type { PlacedRule } from "../src/policy/rule.ts";
import { built } from "../src/tree.ts";

//  words 0 generation (its lowest bit: which half holds the tables; 0: none yet)   1, 2 bytes in each half
//  bytes 64 first half | second half
const GENERATION = 0;
const LENGTHS = 1;
const HALVES = 64;
const DEFAULT_CAPACITY = 16 << 20;

/** Words of the tables' header that the host reads; src/policy/layout.ts has them all, a test compares. */
export const HEADER = {
  matchLength: 1,
  nodeCount: 6,
  entryCount: 9,
  ruleCount: 23,
  ruleOffsets: 24,
  ruleText: 25,
  expiresLow: 26,
  expiresHigh: 27,
} as const;

/** Bytes of the instance's memory that tables and the lists of the walk can take. */
const ROOM = 384 * 65_536 - (4_096 + 131_072);

/** A seqlock of two halves: the writer fills the one that nobody reads, then moves the generation. */
export class PolicyChannel {
  readonly #words: Int32Array;

  private constructor(
    /** For workers: `new Matcher(shared)`. */
    readonly shared: SharedArrayBuffer,
  ) {
    this.#words = new Int32Array(shared, 0, HALVES / 4);
  }

  static create(capacity = DEFAULT_CAPACITY): PolicyChannel {
    return new PolicyChannel(new SharedArrayBuffer(HALVES + 2 * capacity));
  }

  /** Puts tables in force; the generation they got. Throws HallpassError where they do not fit, and the old ones stay. */
  publish(tables: Uint8Array): number {
    const capacity = halfCapacity(this.shared);
    if (tables.length > capacity || roomFor(tables) > ROOM) {
      throw new HallpassError(`the rules take ${tables.length} bytes, more than hallpass can hold: remove some`);
    }
    const next = (Atomics.load(this.#words, GENERATION) + 1) & 0x7fff_ffff || 2;
    new Uint8Array(this.shared, HALVES + (next & 1) * capacity, tables.length).set(tables);
    Atomics.store(this.#words, LENGTHS + (next & 1), tables.length);
    Atomics.store(this.#words, GENERATION, next);
    return next;
  }
}

/** What the matcher lays out: the tables, slots for twice as many entries and a power of two, three lists of nodes. */
function roomFor(tables: Uint8Array): number {
  const words = new Uint32Array(tables.buffer, tables.byteOffset, HEADER.entryCount + 1);
  const slots = 2 ** Math.max(4, Math.ceil(Math.log2(words[HEADER.entryCount]! * 2)));
  return words[HEADER.matchLength]! + slots * 8 + words[HEADER.nodeCount]! * 12;
}

function halfCapacity(shared: SharedArrayBuffer): number {
  return (shared.byteLength - HALVES) / 2;
}

interface MatcherExports {
  readonly memory: WebAssembly.Memory;
  pathBase(): number;
  pathCapacity(): number;
  tablesBase(): number;
  loadTables(length: number): number;
  match(category: number, length: number): number;
  matchName(category: number, length: number): number;
  matchBelow(category: number, length: number): number;
  matchLink(category: number, length: number): number;
}

let compiled: WebAssembly.Module | undefined;

function instantiate(): MatcherExports {
  compiled ??= new WebAssembly.Module(readModule());
  return new WebAssembly.Instance(compiled).exports as unknown as MatcherExports;
}

function readModule(): Uint8Array<ArrayBuffer> {
  const path = built("policy.wasm");
  try {
    return new Uint8Array(readFileSync(path));
  } catch {
    throw new HallpassError(`${path} is missing: run npm run build`);
  }
}

/**
 * Decides. Put the bytes in question into `pathBytes` (a real path without NUL at its end; for connect the record of
 * policy-wasm/assembly/connect.ts, see `encodeDest`), then ask. Answers are packed verdicts (src/policy/verdict.ts);
 * a negative one is an error and means deny.
 */
export class Matcher {
  /** Scratch inside the instance's memory; it never moves. */
  readonly pathBytes: Uint8Array;
  readonly pathCapacity: number;
  readonly #exports: MatcherExports;
  readonly #words: Int32Array;
  readonly #shared: SharedArrayBuffer;
  #generation = 0;
  #rules: Uint8Array = new Uint8Array(0);
  #known = new Map<number, PlacedRule>();
  #expiresAt = Infinity;

  constructor(shared: SharedArrayBuffer) {
    this.#exports = instantiate();
    this.#shared = shared;
    this.#words = new Int32Array(shared, 0, HALVES / 4);
    this.pathCapacity = this.#exports.pathCapacity();
    this.pathBytes = new Uint8Array(this.#exports.memory.buffer, this.#exports.pathBase(), this.pathCapacity);
    this.refresh();
  }

  /** When the first rule ends (milliseconds since the epoch); the main thread publishes anew then. */
  get expiresAt(): number {
    return this.#expiresAt;
  }

  /** Takes over what was published since; true where something was. One atomic load where nothing was. */
  refresh(): boolean {
    if (Atomics.load(this.#words, GENERATION) === this.#generation) return false;
    for (;;) {
      const generation = Atomics.load(this.#words, GENERATION);
      const error = this.#copy(generation & 1);
      // Two publications during the copy may have overwritten what was copied; then it is copied anew.
      if (Atomics.load(this.#words, GENERATION) !== generation) continue;
      if (error !== 0) throw new HallpassBug(`the matcher refused its tables (errno ${-error})`);
      this.#generation = generation;
      return true;
    }
  }

  match(category: CategoryCode, length: number): number {
    return this.#exports.match(category, length);
  }

  /** For calls that remove or replace a name, or make it a link: `DIR/**` does not allow that for DIR. */
  matchName(category: CategoryCode, length: number): number {
    return this.#exports.matchName(category, length);
  }

  /** The strictest rule that could match something strictly below the folder, or NO_RULE. */
  matchBelow(category: CategoryCode, length: number): number {
    return this.#exports.matchBelow(category, length);
  }

  /**
   * For what makes a path lead elsewhere, beside matchName: the strictest rule below it that names the path's own last
   * name (a link put at `.git`), or that nothing but a file is allowed there (a verdict without a rule), or NO_RULE.
   */
  matchLink(category: CategoryCode, length: number): number {
    return this.#exports.matchLink(category, length);
  }

  /** The rule of a verdict's index (`indexOfVerdict`); undefined for -1. Parsed once a generation. */
  ruleAt(index: number): PlacedRule | undefined {
    if (index < 0) return undefined;
    const known = this.#known.get(index);
    if (known !== undefined) return known;
    const rule = this.#readRule(index);
    if (rule !== undefined) this.#known.set(index, rule);
    return rule;
  }

  #copy(half: number): number {
    const length = Atomics.load(this.#words, LENGTHS + half);
    const tables = new Uint8Array(this.#shared, HALVES + half * halfCapacity(this.#shared), length);
    const header = new Uint32Array(this.#shared, tables.byteOffset, HEADER.expiresHigh + 1);
    const matchLength = Math.min(header[HEADER.matchLength]!, length, ROOM);
    const { memory } = this.#exports;
    new Uint8Array(memory.buffer, this.#exports.tablesBase(), matchLength).set(tables.subarray(0, matchLength));
    this.#rules = tables.slice();
    this.#known = new Map();
    const [low, high] = [header[HEADER.expiresLow]!, header[HEADER.expiresHigh]!];
    this.#expiresAt = high === 0xffff_ffff ? Infinity : high * 2 ** 32 + low;
    return this.#exports.loadTables(matchLength);
  }

  #readRule(index: number): PlacedRule | undefined {
    const header = new Uint32Array(this.#rules.buffer, 0, HEADER.expiresHigh + 1);
    if (index >= header[HEADER.ruleCount]!) return undefined;
    const offsets = new Uint32Array(this.#rules.buffer, header[HEADER.ruleOffsets], header[HEADER.ruleCount]! + 1);
    const text = header[HEADER.ruleText]!;
    const bytes = this.#rules.subarray(text + offsets[index]!, text + offsets[index + 1]!);
    return JSON.parse(new TextDecoder().decode(bytes)) as PlacedRule;
  }
}
