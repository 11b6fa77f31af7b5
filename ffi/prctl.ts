/** prctl(2) on ourselves. */
import { PR_GET_DUMPABLE, PR_SET_CHILD_SUBREAPER, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS } from "./constants.ts";
import { lib } from "./lib.ts";

/** Off, nobody of the same user reads our memory, our /proc/PID/fd, or takes our descriptors. */
export function setDumpable(on: boolean): number {
  return lib.hp_prctl(PR_SET_DUMPABLE, on ? 1 : 0, 0, 0, 0);
}

export function isDumpable(): boolean {
  return lib.hp_prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) === 1;
}

/** Orphans below us become our children. */
export function setSubreaper(on: boolean): number {
  return lib.hp_prctl(PR_SET_CHILD_SUBREAPER, on ? 1 : 0, 0, 0, 0);
}

/** For good; of the calling thread. Probes and tests only. */
export function setNoNewPrivs(): number {
  return lib.hp_prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

export function prctl(option: number, a = 0, b = 0, c = 0, d = 0): number {
  return lib.hp_prctl(option, a, b, c, d);
}
