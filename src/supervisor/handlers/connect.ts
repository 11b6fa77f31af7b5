/** Connecting: to unix sockets made outside the session always judged, to addresses where the network is mediated. */
import {
  AF_INET,
  AF_INET6,
  AF_UNIX,
  AT_FDCWD,
  O_NONBLOCK,
  S_IFSOCK,
  SO_TYPE,
  SOCK_DGRAM,
  SOCK_STREAM,
  SOL_SOCKET,
} from "../../../ffi/constants.ts";
import { Errno } from "../../../ffi/errno.ts";
import { setStatusFlags, statusFlags } from "../../../ffi/fd.ts";
import { fstatx } from "../../../ffi/path-ops.ts";
import { connect as connectFd, getsockoptInt } from "../../../ffi/socket.ts";
import { STATX_BASIC_STATS } from "../../../ffi/statx.ts";
import { ConnectKind } from "../../policy/layout.ts";
import { decodePath } from "../../policy/path-text.ts";
import { borrow } from "../borrowed.ts";
import {
  abstractName,
  addressOfName,
  familyOf,
  inetAddress,
  pathOf,
  readAddress,
  type SocketAddress,
  tagged,
} from "../socket-address.ts";
import { FREE } from "../specials.ts";
import type { Supervision, Target } from "../supervision.ts";
import { refuseBorrow } from "./metadata.ts";

export function connect(s: Supervision): void {
  const address = readAddress(s, s.call.low(1), s.call.high(1), s.call.int(2));
  if (address) connectTo(s, s.call.int(0), address);
}

export function connectTo(s: Supervision, fd: number, address: SocketAddress): void {
  const family = familyOf(address);
  const isMediated = s.setup.mediate.includes("connect");
  const copy = borrow(s.call.tid, fd);
  if (copy < 0) return refuseBorrow(s, copy);
  s.second.object = copy;
  const path = pathOf(address);
  if (path !== undefined) return connectToPath(s, copy, path);
  const name = abstractName(address);
  if (name !== undefined) return connectToName(s, copy, address, name);
  if (!isMediated || (family !== AF_INET && family !== AF_INET6)) return carryOut(s, copy, address);
  connectToInet(s, copy, address);
}

function connectToPath(s: Supervision, copy: number, path: Uint8Array): void {
  s.path.set(path, path.length);
  const found = s.lookup.object(AT_FDCWD, s.path, true, s.first);
  if (found < 0) return s.call.result(found);
  fstatx(s.first.object, STATX_BASIC_STATS, s.first.stat.words);
  if (s.first.stat.type !== S_IFSOCK) return s.call.fail(Errno.ECONNREFUSED);
  const real = s.first.real.bytes.slice(0, s.first.real.length);
  const isOwn = s.sockets.hasFile(s.first.stat);
  const target: Target = {
    operation: "connect",
    place: s.first,
    dest: `unix:${decodePath(real)}`,
    verdict: isOwn ? FREE : s.judge.connect(tagged(ConnectKind.unix, real)),
  };
  if (!s.permit("connect", [target])) return;
  // Through our descriptor of the socket file: no path is walked a second time.
  const own = s.lookup.own.of(s.first.object);
  carryOut(s, copy, addressOfName(own, own.indexOf(0)));
}

function connectToName(s: Supervision, copy: number, address: SocketAddress, name: Uint8Array): void {
  const isOwn = s.sockets.hasAbstract(s.call.tid, name);
  const target: Target = {
    operation: "connect",
    place: s.first,
    dest: `unix:@${decodePath(name)}`,
    verdict: isOwn ? FREE : s.judge.connect(tagged(ConnectKind.abstract, name)),
  };
  if (s.permit("connect", [target])) carryOut(s, copy, address);
}

function connectToInet(s: Supervision, copy: number, address: SocketAddress): void {
  const type = getsockoptInt(copy, SOL_SOCKET, SO_TYPE);
  const protocol = type === SOCK_STREAM ? "tcp" : type === SOCK_DGRAM ? "udp" : undefined;
  const inet = inetAddress(address, protocol);
  if (!inet) return carryOut(s, copy, address);
  const target: Target = {
    operation: "connect",
    place: s.first,
    dest: inet.dest,
    verdict: s.judge.connect(inet.record),
  };
  if (s.permit("connect", [target])) carryOut(s, copy, address);
}

/**
 * With the checked bytes, on our copy of the socket. A service sees us as its peer, so nobody is let through as
 * somebody else than it is.
 */
function carryOut(s: Supervision, copy: number, address: SocketAddress): void {
  if (familyOf(address) === AF_UNIX && s.disguise.differs(s.call.tid)) {
    s.report({ decision: "deny", reason: "error", op: "connect as another user" });
    return s.call.fail(Errno.EACCES);
  }
  if ((statusFlags(copy) & O_NONBLOCK) !== 0 || getsockoptInt(copy, SOL_SOCKET, SO_TYPE) === SOCK_DGRAM) {
    return s.carryOut({ run: () => connectFd(copy, address.bytes, address.length) });
  }
  if (familyOf(address) !== AF_UNIX) return s.means.connectBlocking(s, copy, address);
  s.carryOut({ run: () => connectUnix(s, copy, address) });
}

/** A unix socket connects at once unless its listener has too many waiting already: only then somebody has to wait. */
function connectUnix(s: Supervision, copy: number, address: SocketAddress): number {
  const flags = statusFlags(copy);
  setStatusFlags(copy, flags | O_NONBLOCK);
  const result = connectFd(copy, address.bytes, address.length);
  setStatusFlags(copy, flags);
  if (result === -Errno.EAGAIN) s.means.connectBlocking(s, copy, address);
  return result;
}
