/**
 * After an execve went on: did it become the program that was judged? The path in memory may have changed since, so
 * /proc/PID/exe is compared, and a process that became something else is ended.
 */
import { AT_FDCWD } from "../../ffi/constants.ts";
import { fstatx, statx } from "../../ffi/path-ops.ts";
import { kill, Signal } from "../../ffi/signal.ts";
import { STATX_INO, StatxBuffer } from "../../ffi/statx.ts";
import type { Outbox } from "./outbox.ts";
import type { Place } from "./place.ts";
import { EXE, ProcPath } from "./proc-path.ts";
import { programOf, readStatus } from "./process-status.ts";

interface Watched {
  /** Device and inode. */
  readonly allowed: string[];
  readonly before: string;
  since: number;
  next: number;
}

/** Milliseconds: an execve that takes longer than this has failed or is the same program again. */
const LONGEST = 2000;

export class ExecWatch {
  private readonly watched = new Map<number, Watched>();
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
    for (const { object } of programs) allowed.push(this.identity(object));
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

  private look(pid: number, one: Watched, now: number): void {
    const program = this.programOf(pid);
    const isSettled = program === undefined || (program !== one.before && one.allowed.includes(program));
    if (!isSettled && program !== one.before) {
      const exe = programOf(pid);
      kill(pid, Signal.SIGKILL);
      this.report(pid, exe);
    }
    if (isSettled || program !== one.before || now - one.since > LONGEST) return void this.watched.delete(pid);
    one.next = now + Math.max(1, (now - one.since) / 2);
  }

  private report(pid: number, exe: string): void {
    const what = { syscall: "execve", path: exe, op: "become another program" };
    this.outbox.decided({ pid, exe, ...what, decision: "deny", reason: "error" });
  }

  private programOf(pid: number): string | undefined {
    if (statx(AT_FDCWD, this.proc.of(pid, EXE), 0, STATX_INO, this.stat.words) < 0) return undefined;
    return `${this.stat.dev}:${this.stat.ino}`;
  }

  private identity(fd: number): string {
    return fstatx(fd, STATX_INO, this.stat.words) < 0 ? "" : `${this.stat.dev}:${this.stat.ino}`;
  }
}
