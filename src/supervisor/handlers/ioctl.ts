/** The few ioctl requests that change something through a descriptor that need not be writable. */
import {
  FS_IOC32_SETFLAGS,
  FS_IOC32_SETVERSION,
  FS_IOC_FSSETXATTR,
  FS_IOC_SETFLAGS,
  FS_IOC_SETVERSION,
  O_CLOEXEC,
  O_NOCTTY,
  TIOCCONS,
  TIOCGPTPEER,
  TIOCLINUX,
  TIOCSTI,
} from "../../../ffi/constants.ts";
import { Errno } from "../../../ffi/errno.ts";
import { ioctl as ioctlFd } from "../../../ffi/fd.ts";
import { ptyPeer } from "../../../ffi/terminal.ts";
import { readInto } from "../../../ffi/process-vm.ts";
import { borrow } from "../borrowed.ts";
import type { Supervision } from "../supervision.ts";
import { refuse } from "./guard.ts";
import { changeByFd, refuseBorrow } from "./metadata.ts";

const LARGEST = 256;

export function ioctl(s: Supervision): void {
  const request = s.call.low(1);
  switch (request) {
    case TIOCSTI:
    case TIOCLINUX:
    case TIOCCONS:
      return refuse(s, Errno.EPERM, "type into a terminal");
    case TIOCGPTPEER:
      return openPeer(s);
    case FS_IOC_SETFLAGS:
    case FS_IOC32_SETFLAGS:
      return changeFlags(s, FS_IOC_SETFLAGS, 4);
    case FS_IOC_SETVERSION:
    case FS_IOC32_SETVERSION:
      return changeFlags(s, FS_IOC_SETVERSION, 4);
    case FS_IOC_FSSETXATTR:
      return changeFlags(s, FS_IOC_FSSETXATTR, 28);
    default:
      return refuse(s, Errno.EPERM, "change a file system");
  }
}

function changeFlags(s: Supervision, request: number, size: number): void {
  const argument = new Uint8Array(LARGEST);
  const got = readInto(s.call.tid, s.call.low(2), s.call.high(2), argument, 0, size);
  if (got < size) return s.refuseUnread(got < 0 ? got : -Errno.EFAULT);
  changeByFd(s, s.call.int(0), "change flags", (copy) => ioctlFd(copy, request, argument));
}

/** The other side of a pty, by no path at all: opened here, for the fence knows no such thing. */
function openPeer(s: Supervision): void {
  const master = borrow(s.call.tid, s.call.int(0));
  if (master < 0) return refuseBorrow(s, master);
  s.first.object = master;
  const flags = s.call.low(2);
  const peer = ptyPeer(master, (flags & ~O_CLOEXEC) | O_NOCTTY | O_CLOEXEC);
  if (peer < 0) return s.call.result(peer);
  s.giveFd(peer, (flags & O_CLOEXEC) !== 0);
}
