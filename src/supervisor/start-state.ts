/**
 * How hallpass itself was started: what bin/hallpass's starter wrote down before Bun changed any of it (Bun raises
 * limits, takes signals, and spells arguments and environment as UTF-8).
 */
import { close, isOpen, pread, readFile } from "../../ffi/fd.ts";
import { ascii, cstring } from "../../ffi/bytes.ts";
import { AT_FDCWD } from "../../ffi/constants.ts";
import { getLimit, RLIMIT_COUNT } from "../../ffi/limits.ts";
import { HallpassError } from "../errors.ts";
import { decodePath } from "../policy/path-text.ts";

export interface StartState {
  /** Blocked and ignored signals: signal n is bit n - 1. */
  readonly blocked: bigint;
  readonly ignored: bigint;
  readonly umask: number;
  /** Per resource, soft and hard: 32 numbers. */
  readonly limits: BigUint64Array;
  /** Path text, without the program's own name. */
  readonly arguments: readonly string[];
  /** `NAME=value` as path text, in the order they were. */
  readonly environment: readonly string[];
  /** Descriptors from 3 on that were open: CMD gets them too. */
  readonly descriptors: readonly number[];
}

/** The name under which the starter leaves the number of its descriptor. */
export const START_VARIABLE = "HALLPASS_START";

/**
 *   0 magic   4 size   8 blocked   16 ignored   24 limits[16] (soft u64, hard u64)   280 umask   284 argument_count
 *   288 environment_count   292 descriptor_count   296 descriptors (u32 each), then arguments and environment, each
 *   ending with NUL
 */
const MAGIC = 0x31535048;
const HEAD = 296;

/** Reads and closes what the starter left; without a starter, what can still be seen. */
export function readStartState(): StartState {
  const left = process.env[START_VARIABLE];
  if (left === undefined) return stateNow();
  delete process.env[START_VARIABLE];
  const fd = Number(left);
  if (!Number.isInteger(fd) || fd < 3 || !isOpen(fd)) {
    throw new HallpassError(`${START_VARIABLE}=${left} names no descriptor: start hallpass by bin/hallpass`);
  }
  const state = parseStartState(readAll(fd));
  close(fd);
  return state;
}

function readAll(fd: number): Uint8Array {
  const head = new Uint8Array(HEAD);
  pread(fd, head);
  const size = new DataView(head.buffer).getUint32(4, true);
  const bytes = new Uint8Array(Math.max(size, HEAD));
  for (let at = 0; at < size;) {
    const got = pread(fd, bytes, at, at, size - at);
    if (got <= 0) throw new HallpassError("what the starter left cannot be read: start hallpass by bin/hallpass");
    at += got;
  }
  return bytes;
}

export function parseStartState(bytes: Uint8Array): StartState {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (view.getUint32(0, true) !== MAGIC) throw new HallpassError("build/hallpass is of another version: npm run build");
  const limits = BigUint64Array.from({ length: 2 * RLIMIT_COUNT }, (_, i) => view.getBigUint64(24 + 8 * i, true));
  const count = (at: number): number => view.getUint32(at, true);
  const descriptors = Array.from({ length: count(292) }, (_, i) => view.getUint32(HEAD + 4 * i, true));
  const strings = splitStrings(bytes.subarray(HEAD + 4 * descriptors.length), count(284) + count(288));
  return {
    blocked: view.getBigUint64(8, true),
    ignored: view.getBigUint64(16, true),
    umask: count(280),
    limits,
    arguments: strings.slice(1, count(284)),
    environment: strings.slice(count(284)),
    descriptors,
  };
}

function splitStrings(bytes: Uint8Array, count: number): string[] {
  const strings: string[] = [];
  for (let at = 0; strings.length < count;) {
    const end = bytes.indexOf(0, at);
    strings.push(decodePath(bytes.subarray(at, end)));
    at = end + 1;
  }
  return strings;
}

/** For a hallpass that was started as `bun src/main.ts`: Bun's own changes show. */
function stateNow(): StartState {
  return {
    blocked: 0n,
    ignored: 0n,
    umask: process.umask(),
    limits: limitsNow(),
    arguments: process.argv.slice(2),
    environment: environmentNow(),
    descriptors: [],
  };
}

function limitsNow(): BigUint64Array {
  const limits = new BigUint64Array(2 * RLIMIT_COUNT);
  for (let resource = 0; resource < RLIMIT_COUNT; resource++) {
    getLimit(0, resource, new Uint32Array(limits.buffer, 16 * resource, 4));
  }
  return limits;
}

const LONGEST_ENVIRONMENT = 4 << 20;

/** As the process got it, not as Bun's `process.env` spells it. */
function environmentNow(): string[] {
  const bytes = new Uint8Array(LONGEST_ENVIRONMENT);
  const length = readFile(AT_FDCWD, cstring("/proc/self/environ"), bytes);
  const text = ascii(bytes, 0, Math.max(length, 0));
  return splitStrings(bytes, text.split("\0").length - 1);
}
