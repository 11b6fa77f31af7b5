/** Allowed without a rule because nothing outside can come of it (SPEC §3 "Implicitly writable"). */
import { ascii } from "../../ffi/bytes.ts";
import {
  AT_FDCWD,
  O_ACCMODE,
  O_CLOEXEC,
  O_DIRECTORY,
  O_EXCL,
  O_RDONLY,
  S_IFBLK,
  S_IFCHR,
} from "../../ffi/constants.ts";
import { close, readFile, statusFlags } from "../../ffi/fd.ts";
import { fstatx, openat, readlinkat } from "../../ffi/path-ops.ts";
import { STATX, STATX_INO, StatxBuffer } from "../../ffi/statx.ts";
import { Tier } from "../policy/rule.ts";
import { NO_RULE, packVerdict, INDEX_MASK, tierOfVerdict } from "../policy/verdict.ts";
import { borrow } from "./borrowed.ts";
import type { PathBytes } from "./path-bytes.ts";
import type { Place } from "./place.ts";
import { FDS, ProcPath } from "./proc-path.ts";
import { entries } from "./folder-entries.ts";

/** A verdict without a rule of its own: allowed, implicitly. */
export const FREE = packVerdict(Tier.implicit, 0, INDEX_MASK);

const OWN_ENTRIES =
  /^\/proc\/(\d+)(?:\/task\/(\d+))?\/(?:comm|oom_score_adj|oom_adj|uid_map|gid_map|projid_map|setgroups|timens_offsets|coredump_filter|clear_refs|timerslack_ns|sched|autogroup|mem|attr\/.*)$/;
const PTS = /^\/dev\/pts\/(\d+)$/;
const PTMX: ReadonlySet<string> = new Set(["/dev/ptmx", "/dev/pts/ptmx"]);
const SHARED_MEMORY = "/dev/shm/";

const MEMORY_MAJOR = 1;
const TTY_MAJOR = 5;
const PTS_MAJORS = { first: 136, last: 143 };
/** null, zero, full, random, urandom; /dev/kmsg and /dev/mem are others. */
const HARMLESS_MEMORY = new Set([3, 5, 7, 8, 9]);
const TTY_MINOR = 0;
const PTMX_MINOR = 2;

export class Specials {
  private readonly proc = new ProcPath();
  private readonly buffer = new Uint8Array(4096);
  private readonly stat = new StatxBuffer();
  private readonly otherStat = new StatxBuffer();
  /** First names below /dev/shm that this session made. */
  private readonly shared = new Set<string>();

  constructor(
    private readonly options: {
      readonly hasImplicit: boolean;
      readonly allowsTerminal: boolean;
      readonly ptyNumber: number;
      readonly isInside: (pid: number) => boolean;
      readonly insidePids: () => Iterable<number>;
    },
  ) {}

  /** The verdict on opening or changing `place`, where no rule speaks of it. */
  judge(place: Place, verdict: number, isThere: boolean): number {
    if (place.isPrivate && !isForeignDevice(place)) return FREE;
    if (isThere && isForeignDevice(place) && tierOfVerdict(verdict) === Tier.implicit) return NO_RULE;
    if (verdict !== NO_RULE) return verdict;
    return this.isOwn(place, isThere) ? FREE : verdict;
  }

  private isOwn(place: Place, isThere: boolean): boolean {
    const { hasImplicit, allowsTerminal } = this.options;
    const text = place.real.text();
    if (allowsTerminal && isThere && this.isOwnTerminal(text)) return true;
    if (!hasImplicit) return false;
    if (this.isWritableAlready(place)) return true;
    if (text.startsWith("/dev/")) return PTMX.has(text) || this.isOwnMemory(text, isThere) || this.isOwnPty(text);
    return isThere && this.isOwnEntry(text);
  }

  /** Making, removing or renaming a name, where no rule speaks of it. */
  judgeName(place: Place, verdict: number, isThere: boolean): number {
    if (place.isPrivate) return FREE;
    if (verdict !== NO_RULE || !this.options.hasImplicit || place.real.bytes[1] !== 0x64) return verdict;
    return this.isOwnMemory(place.real.text(), isThere) ? FREE : verdict;
  }

  /** O_TMPFILE in /tmp that can never get a name. */
  judgeUnnamed(place: Place, flags: number, verdict: number): number {
    if (verdict !== NO_RULE || !this.options.hasImplicit || (flags & O_EXCL) === 0) return verdict;
    const text = place.real.text();
    return text === "/tmp" || text === "/dev/shm" ? FREE : verdict;
  }

  /** A name came to exist. */
  made(path: PathBytes): void {
    if (path.bytes[1] !== 0x64) return;
    const text = path.text();
    if (text.startsWith(SHARED_MEMORY)) this.shared.add(firstName(text));
  }

  /** A name was taken away: whoever makes it anew may be somebody else. */
  removed(path: PathBytes): void {
    if (this.shared.size === 0 || path.bytes[1] !== 0x64) return;
    const text = path.text();
    if (text.startsWith(SHARED_MEMORY) && !text.includes("/", SHARED_MEMORY.length))
      this.shared.delete(firstName(text));
  }

  /** Reopened through a descriptor that is open for writing already. */
  private isWritableAlready({ via, object }: Place): boolean {
    if (!via || object < 0) return false;
    // One copy for both looks: the number may stand for another file by now.
    const copy = borrow(via.pid, via.fd);
    if (copy < 0) return false;
    const mode = statusFlags(copy) & O_ACCMODE;
    const isWritable = (mode === 1 || mode === 2) && this.isSameFile(copy, object);
    close(copy);
    return isWritable;
  }

  private isSameFile(fd: number, other: number): boolean {
    const one = this.stat.words;
    const two = this.otherStat.words;
    if (fstatx(fd, STATX_INO, one) < 0 || fstatx(other, STATX_INO, two) < 0) return false;
    return [STATX.inoLow, STATX.inoHigh, STATX.devMajor, STATX.devMinor].every((word) => one[word] === two[word]);
  }

  private isOwnEntry(path: string): boolean {
    const found = OWN_ENTRIES.exec(path);
    return found !== null && this.options.isInside(Number(found[2] ?? found[1]));
  }

  private isOwnTerminal(path: string): boolean {
    return path === "/dev/tty" || path === `/dev/pts/${this.options.ptyNumber}`;
  }

  private isOwnPty(path: string): boolean {
    const found = PTS.exec(path);
    return found !== null && this.hasMaster(Number(found[1]));
  }

  /** The other side of the pty is held in the sandbox; numbers are used again, so it is looked at each time. */
  private hasMaster(number: number): boolean {
    for (const pid of this.options.insidePids()) if (this.holdsMaster(pid, number)) return true;
    return false;
  }

  private holdsMaster(pid: number, number: number): boolean {
    const folder = openat(AT_FDCWD, this.proc.of(pid, FDS), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return false;
    try {
      for (const name of entries(folder)) {
        const length = readlinkat(folder, name, this.buffer);
        if (length <= 0 || !ascii(this.buffer, 0, length).endsWith("ptmx")) continue;
        const fd = Number(ascii(name, 0, name.length - 1));
        const read = readFile(AT_FDCWD, this.proc.fdinfo(pid, fd), this.buffer);
        if (new RegExp(`^tty-index:\\t${number}$`, "m").test(ascii(this.buffer, 0, Math.max(read, 0)))) return true;
      }
      return false;
    } finally {
      close(folder);
    }
  }

  /** New names in /dev/shm, and what lies below those that this session made. */
  private isOwnMemory(path: string, isThere: boolean): boolean {
    if (!path.startsWith(SHARED_MEMORY)) return false;
    const name = firstName(path);
    return this.shared.has(name) || (!isThere && name.length === path.length - SHARED_MEMORY.length);
  }
}

function firstName(path: string): string {
  const end = path.indexOf("/", SHARED_MEMORY.length);
  return path.slice(SHARED_MEMORY.length, end < 0 ? undefined : end);
}

/** A device file other than the well-known ones: where it lies says nothing about what it reaches. */
function isForeignDevice({ stat, real }: Place): boolean {
  if (stat.type === S_IFBLK) return true;
  if (stat.type !== S_IFCHR) return false;
  const { rdevMajor: major, rdevMinor: minor } = stat;
  if (major === 0 && minor === 0) return false;
  if (major === MEMORY_MAJOR) return !HARMLESS_MEMORY.has(minor);
  if (major === TTY_MAJOR) return minor !== TTY_MINOR && minor !== PTMX_MINOR;
  return !(isPts(major) && real.text().startsWith("/dev/pts/"));
}

function isPts(major: number): boolean {
  return major >= PTS_MAJORS.first && major <= PTS_MAJORS.last;
}

/** The caller's own controlling terminal: nobody can open that for it. */
export function isControllingTerminal({ stat }: Place): boolean {
  return stat.type === S_IFCHR && stat.rdevMajor === TTY_MAJOR && stat.rdevMinor === TTY_MINOR;
}

/** Its open never waits. */
export function isPromptDevice({ stat }: Place): boolean {
  const { rdevMajor: major, rdevMinor: minor } = stat;
  if (stat.type !== S_IFCHR) return false;
  if (major === MEMORY_MAJOR) return HARMLESS_MEMORY.has(minor);
  return isPts(major) || (major === TTY_MAJOR && minor === PTMX_MINOR);
}
