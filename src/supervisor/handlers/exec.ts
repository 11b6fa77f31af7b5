/** Starting programs: judged on the real file, its `#!` interpreters and what a loader is told to load; then continued. */
import { ascii } from "../../../ffi/bytes.ts";
import {
  AT_EACCESS,
  AT_EMPTY_PATH,
  AT_FDCWD,
  AT_SYMLINK_NOFOLLOW,
  O_CLOEXEC,
  O_NONBLOCK,
  O_RDONLY,
  S_IFLNK,
  S_IFREG,
} from "../../../ffi/constants.ts";
import { EMPTY_PATH } from "../../../ffi/bytes.ts";
import { Errno } from "../../../ffi/errno.ts";
import { close, pread } from "../../../ffi/fd.ts";
import { faccessat2, fstatx, openat } from "../../../ffi/path-ops.ts";
import { STATX_BASIC_STATS } from "../../../ffi/statx.ts";
import { isNamedVerdict, NO_RULE } from "../../policy/verdict.ts";
import { verdictOf } from "../judge.ts";
import { PathBytes } from "../path-bytes.ts";
import { Place } from "../place.ts";
import type { Supervision, Target } from "../supervision.ts";
import { readAt, readTextAt } from "../target-memory.ts";

const MAGIC_PATH = Uint8Array.from("/.hallpass/1/request?", (character) => character.charCodeAt(0));
const HEAD = 256;
const DEEPEST = 5;
const X_OK = 1;
const LONGEST_WORD = 4096;
const LONGEST_LOADER_LINE = 32;

/** Programs that are told which program to load: ld-linux-x86-64.so.2, ld-musl-x86_64.so.1, ld.so. */
const LOADER = /^ld(?:-[\w.-]+)?\.so(?:\.\d+)?$/;
const LOADER_OPTIONS_WITH_VALUE = new Set([
  "--library-path",
  "--inhibit-rpath",
  "--audit",
  "--preload",
  "--argv0",
  "--glibc-hwcaps-prepend",
  "--glibc-hwcaps-mask",
]);

export function exec(s: Supervision, dirfd: number, pathArg: number, argvArg: number, flags: number): void {
  if ((flags & ~(AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW)) !== 0) return s.call.fail(Errno.EINVAL);
  if (!s.readPath(pathArg, s.path)) return;
  if (s.path.startsWith(MAGIC_PATH)) return s.askInAdvance(ascii(s.path.bytes, MAGIC_PATH.length, s.path.length));
  if (!s.setup.mediate.includes("exec")) return s.call.continue();
  const found = find(s, dirfd, flags);
  if (found < 0) return s.call.result(found);
  const chain: Place[] = [];
  try {
    const result = follow(s, argvArg, chain);
    if (result < 0) return s.call.result(result);
    run(s, [s.first, ...chain]);
  } finally {
    for (const place of chain) place.close();
  }
}

function find(s: Supervision, dirfd: number, flags: number): number {
  const isEmpty = s.path.length === 0 && (flags & AT_EMPTY_PATH) !== 0;
  const isFollowed = (flags & AT_SYMLINK_NOFOLLOW) === 0;
  const found = isEmpty ? s.lookup.descriptor(dirfd, s.first) : s.lookup.object(dirfd, s.path, isFollowed, s.first);
  return found < 0 ? found : canRun(s, s.first);
}

/** What execve looks at before anything else. */
function canRun(s: Supervision, place: Place): number {
  const looked = fstatx(place.object, STATX_BASIC_STATS, place.stat.words);
  if (looked < 0) return looked;
  if (place.stat.type === S_IFLNK) return -Errno.ELOOP;
  if (place.stat.type !== S_IFREG) return -Errno.EACCES;
  const worn = s.disguise.wear(s.call.tid, false);
  const allowed = worn < 0 ? worn : faccessat2(place.object, EMPTY_PATH, X_OK, AT_EACCESS | AT_EMPTY_PATH);
  s.disguise.takeOff();
  return allowed;
}

/** Adds the interpreters to `chain`, each with the next one's; and the program that a loader is given. */
function follow(s: Supervision, argvArg: number, chain: Place[]): number {
  let place = s.first;
  for (let depth = 0; ; depth++) {
    const interpreter = interpreterOf(s, place);
    if (interpreter === undefined) break;
    if (depth >= DEEPEST) return -Errno.ELOOP;
    const next = new Place();
    chain.push(next);
    const path = new PathBytes();
    path.set(interpreter, interpreter.length);
    const found = s.lookup.object(AT_FDCWD, path, true, next);
    const result = found < 0 ? found : canRun(s, next);
    if (result < 0) return result;
    place = next;
  }
  return isLoader(place) ? followLoader(s, argvArg, chain) : 0;
}

/** The path behind `#!`, or undefined: no script, or one that cannot be read. */
function interpreterOf(s: Supervision, place: Place): Uint8Array | undefined {
  const fd = openat(AT_FDCWD, s.lookup.own.of(place.object), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return undefined;
  const head = new Uint8Array(HEAD);
  const length = pread(fd, head);
  close(fd);
  place.isNative = length >= 20 && isNativeElf(head);
  if (length < 2 || head[0] !== 0x23 || head[1] !== 0x21) return undefined;
  const end = head.subarray(0, length).indexOf(0x0a);
  const line = head.subarray(2, end < 0 ? length : end);
  let start = 0;
  while (line[start] === 0x20 || line[start] === 0x09) start++;
  let stop = start;
  while (stop < line.length && line[stop] !== 0x20 && line[stop] !== 0x09 && line[stop] !== 0) stop++;
  return stop > start ? line.slice(start, stop) : undefined;
}

/** An ELF file that the kernel runs by itself; anything else may be given to an interpreter by binfmt_misc. */
function isNativeElf(head: Uint8Array): boolean {
  if (head[0] !== 0x7f || head[1] !== 0x45 || head[2] !== 0x4c || head[3] !== 0x46) return false;
  const machine = head[18]! | (head[19]! << 8);
  return process.arch === "arm64" ? machine === 183 || machine === 40 : machine === 62 || machine === 3;
}

function isLoader(place: Place): boolean {
  const text = place.real.text();
  return LOADER.test(text.slice(text.lastIndexOf("/") + 1));
}

function followLoader(s: Supervision, argvArg: number, chain: Place[]): number {
  const words = readArguments(s, argvArg, LONGEST_LOADER_LINE);
  for (let index = 1; index < words.length; index++) {
    const word = words[index]!;
    const text = ascii(word.bytes, 0, word.length);
    if (LOADER_OPTIONS_WITH_VALUE.has(text)) index++;
    else if (!text.startsWith("--")) {
      const next = new Place();
      chain.push(next);
      if (s.lookup.object(AT_FDCWD, word, true, next) < 0) chain.pop();
      return 0;
    }
  }
  return 0;
}

function readArguments(s: Supervision, argvArg: number, most: number): PathBytes[] {
  const { call } = s;
  const size = call.isCompat ? 4 : 8;
  const words: PathBytes[] = [];
  const pointer = new Uint32Array(2);
  const bytes = new Uint8Array(pointer.buffer, 0, size);
  for (let index = 0; index < most; index++) {
    if (readAt(call, call.low(argvArg) + index * size, call.high(argvArg), bytes, size) < 0) return words;
    if (pointer[0] === 0 && pointer[1] === 0) return words;
    const word = new PathBytes();
    const length = readTextAt(call, pointer[0]!, pointer[1]!, word.bytes, LONGEST_WORD);
    if (length < 0) return words;
    word.end(length);
    words.push(word);
  }
  return words;
}

function run(s: Supervision, places: readonly Place[]): void {
  const targets = places.map((place): Target => ({ operation: "run", place, verdict: verdictFor(s, place) }));
  if (!s.permit("exec", targets)) return;
  if (!s.call.isValid) return void (s.call.outcome = "gone");
  s.means.watchExec(s, places);
  s.tasks.expectExec();
  s.call.continue();
}

/** A program that the sandbox may write could be anything by now: no group and no name from $PATH stands for it. */
function verdictFor(s: Supervision, place: Place): number {
  if (place.isNameless && place.real.bytes[0] !== 0x2f) return NO_RULE;
  const verdict = s.judge.exec(place.real);
  if (!isNamedVerdict(verdict) || verdictOf(verdict) !== "allow") return verdict;
  return verdictOf(s.judge.write(place.real)) === "allow" ? NO_RULE : verdict;
}
