/** Unix sockets: binding makes a name, connecting reaches whoever listens there. */
import { AF_UNIX, AT_FDCWD, O_CLOEXEC, O_DIRECTORY, O_PATH } from "../../../ffi/constants.ts";
import { Errno } from "../../../ffi/errno.ts";
import { close, dup } from "../../../ffi/fd.ts";
import { fchdir } from "../../../ffi/path-ops.ts";
import { bind as bindFd } from "../../../ffi/socket.ts";
import { borrow } from "../borrowed.ts";
import type { Supervision } from "../supervision.ts";
import { readArgument, readAt } from "../target-memory.ts";
import { lookAtName } from "../would-fail.ts";
import { refuseBorrow } from "./metadata.ts";

const SOCKADDR_MAX = 128;
const FAMILY = 2;

interface Address {
  readonly bytes: Uint8Array;
  readonly length: number;
}

/** The address as it is now; undefined if the call was answered. */
function readAddress(s: Supervision, arg: number, length: number): Address | undefined {
  if (length < 0 || length > SOCKADDR_MAX) return void s.call.fail(Errno.EINVAL);
  const bytes = new Uint8Array(SOCKADDR_MAX + 1);
  const read = readArgument(s.call, arg, bytes, length);
  if (read < 0) return void s.refuseUnread(read);
  return { bytes, length };
}

/** The path of a unix address without its NUL; undefined for abstract names, unnamed sockets and other families. */
function pathOf({ bytes, length }: Address): Uint8Array | undefined {
  if (length <= FAMILY || (bytes[0]! | (bytes[1]! << 8)) !== AF_UNIX || bytes[FAMILY] === 0) return undefined;
  const end = bytes.subarray(0, length).indexOf(0, FAMILY);
  return bytes.subarray(FAMILY, end < 0 ? length : end);
}

export function bind(s: Supervision): void {
  const address = readAddress(s, 1, s.call.int(2));
  if (address) bindTo(s, s.call.int(0), address);
}

/** The checked bytes are what is bound, whatever becomes of the caller's copy of them. */
function bindTo(s: Supervision, fd: number, address: Address): void {
  const path = pathOf(address);
  if (path === undefined) return s.setup.hasFence ? s.call.continue() : carryOutBind(s, fd, address);
  s.path.set(path, path.length);
  const found = s.lookup.parent(AT_FDCWD, s.path, s.first);
  if (found < 0) return s.call.result(found);
  const verdict = s.nameVerdict(s.first, false);
  const wouldFail = (): number => (lookAtName(s.first) === 0 ? -Errno.EADDRINUSE : 0);
  if (!s.permit("write", [{ operation: "make socket", place: s.first, verdict }], wouldFail)) return;
  carryOutBind(s, fd, addressFor(s, address));
}

/**
 * The caller's own bytes, for its socket is called by them, where they lead us to the same folder (nobody else acts
 * meanwhile); else the name in that folder.
 */
function addressFor(s: Supervision, address: Address): Address {
  if (s.first.isOurPath) return address;
  const { name, nameLength } = s.first;
  const bytes = new Uint8Array(SOCKADDR_MAX + 1);
  bytes[0] = AF_UNIX;
  bytes.set(name.subarray(0, nameLength), FAMILY);
  return { bytes, length: FAMILY + nameLength };
}

function carryOutBind(s: Supervision, fd: number, address: Address): void {
  const copy = borrow(s.call.tid, fd);
  if (copy < 0) return refuseBorrow(s, copy);
  s.second.object = copy;
  const { parent } = s.first;
  const folder = !s.first.isOurPath ? dup(parent) : s.lookup.openBase(AT_FDCWD, O_PATH | O_DIRECTORY | O_CLOEXEC);
  s.carryOut({
    makes: true,
    named: s.first,
    run: () => {
      if (folder >= 0) fchdir(folder);
      const result = bindFd(copy, address.bytes, address.length);
      fchdir(s.rootFd);
      return result;
    },
  });
  if (folder >= 0) close(folder);
}

export function connect(s: Supervision): void {
  s.call.continue();
}

export function send(s: Supervision): void {
  s.call.continue();
}

const SYS_BIND = 2;

/** 32-bit x86 only: the arguments lie in memory. */
export function socketcall(s: Supervision): void {
  if (s.call.int(0) !== SYS_BIND) return s.call.continue();
  const args = new Uint32Array(3);
  const read = readArgument(s.call, 1, new Uint8Array(args.buffer), 12);
  if (read < 0) return s.refuseUnread(read);
  const address = { bytes: new Uint8Array(SOCKADDR_MAX + 1), length: args[2]! };
  if (address.length > SOCKADDR_MAX) return s.call.fail(Errno.EINVAL);
  const got = readAt(s.call, args[1]!, 0, address.bytes, address.length);
  if (got < 0) return s.refuseUnread(got);
  bindTo(s, args[0]! | 0, address);
}
