/**
 * After an execve went on: did it become the program that was judged? The path in memory may have changed since, so
 * /proc/PID/exe is compared, and a process that became something else is ended.
 */
import { ascii, cstring } from "../../ffi/bytes.ts";
import { AT_FDCWD } from "../../ffi/constants.ts";
import { Errno } from "../../ffi/errno.ts";
import { readFile } from "../../ffi/fd.ts";
import { fstatx, statx } from "../../ffi/path-ops.ts";
import { kill, Signal } from "../../ffi/signal.ts";
import { STATX_INO, StatxBuffer } from "../../ffi/statx.ts";
import type { Outbox } from "./outbox.ts";
import type { Place } from "./place.ts";
import { EXE, ProcPath } from "./proc-path.ts";
import { descendants, programOf, readStatus } from "./process-status.ts";

interface Watched {
  /** Device and inode. */
  readonly allowed: string[];
  readonly before: string;
  since: number;
  next: number;
}

/** Milliseconds: an execve that takes longer than this has failed or is the same program again. */
const LONGEST = 2000;
/** Milliseconds. */
const SETTLING = 100;
const SETTLING_STEP = 0.2;
const nobody = new Int32Array(new SharedArrayBuffer(4));
/** Milliseconds for which what an ended process may have forked at the last moment is looked for. */
const REMEMBERED = 10_000;
/** Of the flags in /proc/PID/stat: forked, and has not started a program since. */
const PF_FORKNOEXEC = 0x40;
/** A process that is there and cannot be seen, as for a moment in the midst of an execve. */
const HIDDEN = "";

export class ExecWatch {
  private readonly watched = new Map<number, Watched>();
  /** Programs that were ended, and until when. */
  private readonly refused = new Map<string, number>();
  private readonly proc = new ProcPath();
  private readonly stat = new StatxBuffer();

  constructor(private readonly outbox: Outbox) {}

  add(tid: number, programs: readonly Place[]): void {
    if (programs.some((place) => !place.isNative && place === programs.at(-1))) return;
    const pid = readStatus(tid)?.tgid ?? tid;
    const before = this.programOf(pid);
    if (before === undefined) return;
    const now = performance.now();
    const known = this.watched.get(pid);
    const allowed = known ? known.allowed : [];
    for (const { object } of programs) {
      const program = this.identity(object);
      allowed.push(program);
      this.refused.delete(program);
    }
    this.watched.set(pid, { allowed, before: known?.before ?? before, since: now, next: now + 1 });
  }

  /** Milliseconds until `check` is due; -1: nothing to check. */
  get due(): number {
    if (this.watched.size === 0) return -1;
    let next = Infinity;
    for (const one of this.watched.values()) next = Math.min(next, one.next);
    return Math.max(0, Math.ceil(next - performance.now()));
  }

  check(): void {
    if (this.watched.size === 0) return;
    const now = performance.now();
    for (const [pid, one] of this.watched) if (one.next <= now) this.look(pid, one, now);
  }

  /**
   * Waits a moment for what was just continued: the next execve of the same process may be another worker's, and what that
   * one allows would be a stranger here.
   */
  settle(): void {
    for (const end = performance.now() + SETTLING; this.watched.size > 0 && performance.now() < end;) {
      Atomics.wait(nobody, 0, 0, SETTLING_STEP);
      for (const [pid, one] of this.watched) this.look(pid, one, performance.now());
    }
  }

  /** Before a call is decided: all are looked at, due or not. True if the caller has been ended. */
  hasEnded(tid: number): boolean {
    if (this.watched.size === 0 && this.refused.size === 0) return false;
    const now = performance.now();
    const ended = [...this.watched].flatMap(([pid, one]) => this.look(pid, one, now));
    if (ended.length === 0 && this.refused.size === 0) return false;
    const pid = readStatus(tid)?.tgid ?? tid;
    return ended.includes(pid) || this.isRefused(pid, now);
  }

  /** A child of an ended process, forked while it was being ended. */
  private isRefused(pid: number, now: number): boolean {
    for (const [program, until] of this.refused) if (until < now) this.refused.delete(program);
    const program = this.refused.size === 0 ? undefined : this.programOf(pid);
    if (program === undefined || !this.refused.has(program) || !isForkAlone(pid)) return false;
    this.end(pid, program, now);
    return true;
  }

  /** Who was ended. */
  private look(pid: number, one: Watched, now: number): number[] {
    const program = this.programOf(pid);
    const isSame = program === one.before || program === HIDDEN;
    const isSettled = program === undefined || (!isSame && one.allowed.includes(program));
    const ended = isSettled || isSame ? [] : this.end(pid, program, now);
    if (!isSame || now - one.since > LONGEST) this.watched.delete(pid);
    else one.next = now + Math.max(1, (now - one.since) / 2);
    return ended;
  }

  /** With whatever it has started by now. */
  private end(pid: number, program: string, now: number): number[] {
    const exe = programOf(pid);
    const all = [pid, ...descendants(pid)];
    for (const one of all) kill(one, Signal.SIGKILL);
    this.refused.set(program, now + REMEMBERED);
    this.report(pid, exe);
    return all;
  }

  private report(pid: number, exe: string): void {
    const what = { syscall: "execve", path: exe, op: "become another program" };
    this.outbox.decided({ pid, exe, ...what, decision: "deny", reason: "error" });
  }

  private programOf(pid: number): string | undefined {
    const looked = statx(AT_FDCWD, this.proc.of(pid, EXE), 0, STATX_INO, this.stat.words);
    if (looked < 0) return looked === -Errno.EACCES || looked === -Errno.EPERM ? HIDDEN : undefined;
    return `${this.stat.dev}:${this.stat.ino}`;
  }

  private identity(fd: number): string {
    return fstatx(fd, STATX_INO, this.stat.words) < 0 ? "" : `${this.stat.dev}:${this.stat.ino}`;
  }
}

/** Others of that program were started as such, and were judged then. */
function isForkAlone(pid: number): boolean {
  const length = readFile(AT_FDCWD, cstring(`/proc/${pid}/stat`), statText);
  const text = ascii(statText, 0, Math.max(length, 0));
  const flags = Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[6] ?? 0);
  return (flags & PF_FORKNOEXEC) !== 0;
}

const statText = new Uint8Array(1024);
