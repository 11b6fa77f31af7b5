/** Processes held by descriptor. >= 0 or -errno. */
import { lib } from "./lib.ts";

/** The fd (CLOEXEC) is the caller's; `PIDFD_THREAD` (6.9) for a thread that leads no process. */
export function pidfdOpen(pid: number, flags = 0): number {
  return lib.hp_pidfd_open(pid, flags);
}

/** A copy (CLOEXEC) of the process's descriptor; needs the right to ptrace it. */
export function pidfdGetfd(pidfd: number, fd: number): number {
  return lib.hp_pidfd_getfd(pidfd, fd);
}

export function pidfdSendSignal(pidfd: number, signal: number): number {
  return lib.hp_pidfd_send_signal(pidfd, signal);
}
