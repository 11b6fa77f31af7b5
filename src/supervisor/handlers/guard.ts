/** Calls that would go around the supervision: refused, or let through where they stay inside the sandbox. */
import { AT_FDCWD } from "../../../ffi/constants.ts";
import { ascii } from "../../../ffi/bytes.ts";
import { Errno } from "../../../ffi/errno.ts";
import { readFile } from "../../../ffi/fd.ts";
import { CHANGES } from "./open.ts";
import { ProcPath } from "../proc-path.ts";
import type { Supervision } from "../supervision.ts";

const proc = new ProcPath();
const buffer = new Uint8Array(1024);

export function refuse(s: Supervision, errno: number, op: string): void {
  s.report({ decision: "deny", reason: "builtin", op });
  s.call.fail(errno);
}

/** Landlock forbids mounting in its domain; without one a mount in a namespace of the target's own is its own affair. */
export function mount(s: Supervision): void {
  if (s.setup.hasFence) return refuse(s, Errno.EPERM, "mount");
  if (s.lookup.isInOtherMounts()) return s.call.continue();
  refuse(s, Errno.EPERM, "mount");
}

const OPEN_TREE_CLONE = 1;

export function openTree(s: Supervision, flags: number): void {
  if ((flags & OPEN_TREE_CLONE) === 0) return s.call.continue();
  mount(s);
}

/** From now on paths may mean something else to their callers than to us. */
export function changeRoot(s: Supervision): void {
  s.expectOtherRoots();
  s.call.continue();
}

export function openByHandle(s: Supervision, flags: number): void {
  if ((flags & CHANGES) === 0) return s.call.continue();
  refuse(s, Errno.EPERM, "open by handle");
}

/** On a process of the sandbox the kernel decides; others are none of the target's business. */
export function onProcess(s: Supervision, pid: number, op: string): void {
  if (pid > 0 && s.isInside(pid)) return s.call.continue();
  refuse(s, Errno.EPERM, op);
}

export function onPidfd(s: Supervision, pidfd: number, op: string): void {
  const length = pidfd < 0 ? -1 : readFile(AT_FDCWD, proc.fdinfo(s.call.tid, pidfd), buffer);
  const pid = /^Pid:\t(-?\d+)$/m.exec(ascii(buffer, 0, Math.max(length, 0)))?.[1];
  // No pidfd at all: the kernel has its own word for that.
  if (pid === undefined) return s.call.fail(Errno.EBADF);
  onProcess(s, Number(pid), op);
}

export function signal(s: Supervision, pid: number): void {
  const target = pid < -1 ? -pid : pid;
  if (pid === 0 || target === s.call.tid || s.isInside(target)) return s.call.continue();
  refuse(s, Errno.EPERM, "signal");
}
