/** Whether the caller has room for one more descriptor: looked at before anything is made or truncated for it. */
import { AT_FDCWD, O_CLOEXEC, O_DIRECTORY, O_RDONLY } from "../../ffi/constants.ts";
import { ascii } from "../../ffi/bytes.ts";
import { Errno } from "../../ffi/errno.ts";
import { close } from "../../ffi/fd.ts";
import { getLimit, RLIMIT_NOFILE } from "../../ffi/limits.ts";
import { openat } from "../../ffi/path-ops.ts";
import { FDS, ProcPath } from "./proc-path.ts";
import type { Status } from "./process-status.ts";
import { entries } from "./folder-entries.ts";

const limit = new Uint32Array(4);
const proc = new ProcPath();

/** 0 or -EMFILE. */
export function roomForFd(tid: number, status: Status): number {
  if (getLimit(tid, RLIMIT_NOFILE, limit) < 0 || limit[1] !== 0) return 0;
  const most = limit[0]!;
  // The table is smaller than the limit: it may still grow.
  if (status.fdSize < most) return 0;
  return countBelow(tid, most) < most ? 0 : -Errno.EMFILE;
}

function countBelow(tid: number, most: number): number {
  const folder = openat(AT_FDCWD, proc.of(tid, FDS), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return 0;
  let count = 0;
  for (const name of entries(folder)) if (Number(ascii(name, 0, name.length - 1)) < most) count++;
  close(folder);
  return count;
}
