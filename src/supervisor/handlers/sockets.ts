/** Binding unix sockets: a call of the network that makes a name. */
import { AT_FDCWD, AT_SYMLINK_NOFOLLOW, O_CLOEXEC, O_DIRECTORY, O_PATH } from "../../../ffi/constants.ts";
import { Errno } from "../../../ffi/errno.ts";
import { close, dup } from "../../../ffi/fd.ts";
import { fchdir, statx } from "../../../ffi/path-ops.ts";
import { bind as bindFd } from "../../../ffi/socket.ts";
import { STATX_INO } from "../../../ffi/statx.ts";
import { borrow } from "../borrowed.ts";
import { addressOfName, pathOf, readAddress, type SocketAddress } from "../socket-address.ts";
import type { Supervision } from "../supervision.ts";
import { readArgument } from "../target-memory.ts";
import { makingFails } from "../would-fail.ts";
import { connectTo } from "./connect.ts";
import { refuseBorrow } from "./metadata.ts";

export function bind(s: Supervision): void {
  const address = readAddress(s, s.call.low(1), s.call.high(1), s.call.int(2));
  if (address) bindTo(s, s.call.int(0), address);
}

/** The checked bytes are what is bound, whatever becomes of the caller's copy of them. */
function bindTo(s: Supervision, fd: number, address: SocketAddress): void {
  const path = pathOf(address);
  if (path === undefined) return s.setup.hasFence ? s.call.continue() : carryOut(s, fd, address);
  s.path.set(path, path.length);
  const found = s.lookup.parent(AT_FDCWD, s.path, s.first);
  if (found < 0) return s.call.result(found);
  const verdict = s.nameVerdict(s.first, false);
  const wouldFail = (): number => {
    const failure = makingFails(s.first, false);
    return failure === -Errno.EEXIST ? -Errno.EADDRINUSE : failure;
  };
  if (!s.permit("write", [{ operation: "make socket", place: s.first, verdict }], wouldFail)) return;
  // The caller's own bytes, for its socket is called by them, where they lead us to the same folder (nobody else acts
  // meanwhile); else the name in that folder.
  carryOut(s, fd, s.first.isOurPath ? address : addressOfName(s.first.name, s.first.nameLength));
}

function carryOut(s: Supervision, fd: number, address: SocketAddress): void {
  const copy = borrow(s.call.tid, fd);
  if (copy < 0) return refuseBorrow(s, copy);
  s.second.object = copy;
  s.carryOut({ makes: true, named: s.first, run: () => inCallersFolder(s, () => bindHere(s, copy, address)) });
}

function bindHere(s: Supervision, copy: number, address: SocketAddress): number {
  const result = bindFd(copy, address.bytes, address.length);
  const { parent, name, stat } = s.first;
  if (result < 0 || parent < 0) return result;
  if (statx(parent, name, AT_SYMLINK_NOFOLLOW, STATX_INO, stat.words) === 0) s.sockets.bound(stat);
  return result;
}

/** Relative addresses are walked from where the thread stands. */
function inCallersFolder(s: Supervision, run: () => number): number {
  const { isOurPath, parent } = s.first;
  const folder = isOurPath ? s.lookup.openBase(AT_FDCWD, O_PATH | O_DIRECTORY | O_CLOEXEC) : dup(parent);
  if (folder < 0) return folder;
  fchdir(folder);
  const result = run();
  fchdir(s.rootFd);
  close(folder);
  return result;
}

const SYS_BIND = 2;
const SYS_CONNECT = 3;

/** 32-bit x86 only: the arguments lie in memory, three words. Sending is looked at in send.ts. */
export function socketcall(s: Supervision): void {
  const which = s.call.int(0);
  if (which !== SYS_BIND && which !== SYS_CONNECT) return s.call.continue();
  const args = new Uint32Array(3);
  const read = readArgument(s.call, 1, new Uint8Array(args.buffer), 12);
  if (read < 0) return s.refuseUnread(read);
  const address = readAddress(s, args[1]!, 0, args[2]! | 0);
  if (!address) return;
  if (which === SYS_BIND) bindTo(s, args[0]! | 0, address);
  else connectTo(s, args[0]! | 0, address);
}
