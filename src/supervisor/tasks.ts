/**
 * Held /proc entries of the callers seen last. Such a descriptor belongs to one task for good: when the task is gone it
 * says ESRCH or ENOENT, whoever has its number by then.
 */
import { cstring } from "../../ffi/bytes.ts";
import { AT_FDCWD, O_CLOEXEC, O_DIRECTORY, O_PATH, O_RDONLY } from "../../ffi/constants.ts";
import { close, pread, readFile } from "../../ffi/fd.ts";
import { Errno } from "../../ffi/errno.ts";
import { openat, readlinkat } from "../../ffi/path-ops.ts";
import { decodePath } from "../policy/path-text.ts";
import { PATH_MAX } from "./path-bytes.ts";
import { EXE_THERE, ITSELF, ProcPath } from "./proc-path.ts";
import { parseStatus, type Status } from "./process-status.ts";

const MOST = 16;
/** Looks at a task before its entry is held: most processes are seen once or twice and end. */
const ENOUGH_LOOKS = 6;
const MOST_COUNTED = 256;
const STATUS = cstring("status");

interface Task {
  /** O_PATH on /proc/TID. */
  readonly folder: number;
  /** -1 until it is wanted. */
  status: number;
}

interface Identity {
  readonly pid: number;
  readonly exe: string;
  readonly at: number;
}

/** A number is not given to another thread within that time. */
const IDENTITY_MS = 20;

export class Tasks {
  private readonly buffer = new Uint8Array(2 * PATH_MAX);
  private readonly identities = new Map<number, Identity>();
  private readonly byTid = new Map<number, Task>();
  private readonly looks = new Map<number, number>();
  private readonly proc = new ProcPath();

  /** Opens `name` (with its NUL) below /proc/TID. */
  open(tid: number, name: Uint8Array, flags: number): number {
    const result = this.tryOpen(tid, name, flags);
    return isStale(result) && this.forget(tid) ? this.tryOpen(tid, name, flags) : result;
  }

  readlink(tid: number, name: Uint8Array, into: Uint8Array, capacity: number): number {
    const result = this.tryReadlink(tid, name, into, capacity);
    return isStale(result) && this.forget(tid) ? this.tryReadlink(tid, name, into, capacity) : result;
  }

  /** /proc/TID/status; undefined if the task is gone. */
  status(tid: number): Status | undefined {
    const result = this.tryStatus(tid);
    return parseStatus(this.buffer, isStale(result) && this.forget(tid) ? this.tryStatus(tid) : result);
  }

  /** Who the thread is: for a moment the same answer is given without a look, unless a program was started. */
  identify(tid: number): Identity {
    const now = performance.now();
    const known = this.identities.get(tid);
    if (known && now - known.at < IDENTITY_MS) return known;
    if (this.identities.size > MOST) this.identities.clear();
    const length = this.readlink(tid, EXE_THERE, this.buffer, PATH_MAX);
    const exe = length <= 0 ? "" : decodePath(this.buffer.subarray(0, length));
    const identity = { pid: this.status(tid)?.tgid ?? tid, exe, at: now };
    this.identities.set(tid, identity);
    return identity;
  }

  /** Some thread is about to become another program. */
  expectExec(): void {
    this.identities.clear();
  }

  close(): void {
    for (const tid of this.byTid.keys()) this.forget(tid);
  }

  private tryOpen(tid: number, name: Uint8Array, flags: number): number {
    const task = this.heldTask(tid);
    return task ? openat(task.folder, name, flags) : openat(AT_FDCWD, this.proc.below(tid, name), flags);
  }

  private tryReadlink(tid: number, name: Uint8Array, into: Uint8Array, capacity: number): number {
    const task = this.heldTask(tid);
    if (task) return readlinkat(task.folder, name, into, 0, capacity);
    return readlinkat(AT_FDCWD, this.proc.below(tid, name), into, 0, capacity);
  }

  private tryStatus(tid: number): number {
    const task = this.heldTask(tid);
    if (!task) return readFile(AT_FDCWD, this.proc.below(tid, STATUS), this.buffer);
    if (task.status < 0) task.status = openat(task.folder, STATUS, O_RDONLY | O_CLOEXEC);
    return task.status < 0 ? task.status : pread(task.status, this.buffer);
  }

  private heldTask(tid: number): Task | undefined {
    const known = this.byTid.get(tid);
    if (known) return known;
    const looks = (this.looks.get(tid) ?? 0) + 1;
    if (this.looks.size > MOST_COUNTED) this.looks.clear();
    this.looks.set(tid, looks);
    return looks < ENOUGH_LOOKS ? undefined : this.hold(tid);
  }

  private hold(tid: number): Task | undefined {
    const folder = openat(AT_FDCWD, this.proc.of(tid, ITSELF), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return undefined;
    const task = { folder, status: -1 };
    this.byTid.set(tid, task);
    if (this.byTid.size > MOST) for (const oldest of this.byTid.keys()) return (this.forget(oldest), task);
    return task;
  }

  /** True where there was something to forget. */
  private forget(tid: number): boolean {
    const task = this.byTid.get(tid);
    if (!task) return false;
    this.byTid.delete(tid);
    this.looks.delete(tid);
    close(task.folder);
    if (task.status >= 0) close(task.status);
    return true;
  }
}

function isStale(result: number): boolean {
  return result === -Errno.ENOENT || result === -Errno.ESRCH;
}
