/** Signals and process groups. >= 0 or -errno. */
import { lib } from "./lib.ts";

export const Signal = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGUSR2: 12,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
  SIGCHLD: 17,
  SIGCONT: 18,
  SIGSTOP: 19,
  SIGTSTP: 20,
  SIGTTIN: 21,
  SIGTTOU: 22,
  SIGWINCH: 28,
} as const;

/** A negative pid is a process group, as in kill(2). */
export function kill(pid: number, signal: number): number {
  return lib.hp_kill(pid, signal);
}

export function tgkill(pid: number, tid: number, signal: number): number {
  return lib.hp_tgkill(pid, tid, signal);
}

/** 0 means the calling process. */
export function getpgid(pid: number): number {
  return lib.hp_getpgid(pid);
}

export function getsid(pid: number): number {
  return lib.hp_getsid(pid);
}

export function gettid(): number {
  return lib.hp_gettid();
}

/** kcmp(2): 0 where both share it (KCMP_FS, KCMP_FILES, ...); ENOSYS in kernels built without. */
export function kcmp(pid1: number, pid2: number, type: number, index1 = 0, index2 = 0): number {
  return lib.hp_kcmp(pid1, pid2, type, index1, index2);
}
