/** A copy of a descriptor of the caller, for calls that act through descriptors: the same open file, with its own rights. */
import { KCMP_FILES, PIDFD_THREAD } from "../../ffi/constants.ts";
import { Errno } from "../../ffi/errno.ts";
import { close } from "../../ffi/fd.ts";
import { pidfdGetfd, pidfdOpen } from "../../ffi/pidfd.ts";
import { kcmp } from "../../ffi/signal.ts";
import { readStatus } from "./process-status.ts";

/** The copy, which is the caller's of this function to close, or -errno: EBADF as the kernel, EPERM if it may not be taken. */
export function borrow(tid: number, fd: number): number {
  if (fd < 0) return -Errno.EBADF;
  const pidfd = openThread(tid);
  if (pidfd < 0) return pidfd;
  const copy = pidfdGetfd(pidfd, fd);
  close(pidfd);
  return copy;
}

/** A thread may have a descriptor table of its own; before Linux 6.9 only its leader's can be reached. */
function openThread(tid: number): number {
  const pidfd = pidfdOpen(tid, PIDFD_THREAD);
  if (pidfd >= 0 || pidfd !== -Errno.EINVAL) return pidfd;
  const tgid = readStatus(tid)?.tgid;
  if (tgid === undefined) return -Errno.ESRCH;
  if (tgid !== tid && kcmp(tgid, tid, KCMP_FILES) > 0) return -Errno.EPERM;
  return pidfdOpen(tgid);
}
