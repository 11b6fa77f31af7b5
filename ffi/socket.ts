/** Sockets: descriptors over unix sockets, who is at the other end, and the calls that `connect` carries out. */
import { AF_UNIX, SO_PEERCRED, SOCK_CLOEXEC, SOCK_STREAM, SOL_SOCKET } from "./constants.ts";
import { must } from "./errno.ts";
import { lib } from "./lib.ts";

/** Two connected unix sockets (CLOEXEC); throws. */
export function socketpair(type = SOCK_STREAM): [number, number] {
  const fds = new Int32Array(2);
  must(lib.hp_socketpair(AF_UNIX, type | SOCK_CLOEXEC, fds), "socketpair");
  return [fds[0]!, fds[1]!];
}

export function socket(domain: number, type: number, protocol: number): number {
  return lib.hp_socket(domain, type | SOCK_CLOEXEC, protocol);
}

export function bind(fd: number, address: Uint8Array, length: number, at = 0): number {
  return lib.hp_bind(fd, address, at, length);
}

/** Blocks as the socket does: never on the main thread. */
export function connect(fd: number, address: Uint8Array, length: number, at = 0): number {
  return lib.hp_connect(fd, address, at, length);
}

export function sendto(
  fd: number,
  bytes: Uint8Array,
  flags: number,
  address: Uint8Array | null,
  length: number,
): number {
  return lib.hp_sendto(fd, bytes, bytes.length, flags, address, length);
}

/** Bytes with copies of descriptors (SCM_RIGHTS). */
export function sendWithFds(fd: number, bytes: Uint8Array, fds: readonly number[], flags = 0): number {
  return lib.hp_sendmsg_fds(fd, bytes, bytes.length, Int32Array.from(fds.length ? fds : [-1]), fds.length, flags);
}

/** sendmsg(2) with a control block whose descriptors, if any, are ours. */
export function sendmsg(
  fd: number,
  bytes: Uint8Array,
  address: Uint8Array | null,
  addressLength: number,
  control: Uint8Array | null,
  controlLength: number,
  flags: number,
): number {
  return lib.hp_sendmsg_control(fd, bytes, bytes.length, address, addressLength, control, controlLength, flags);
}

const MOST_FDS = 253;

/** Bytes into `into` and up to 253 descriptors (CLOEXEC, the caller's); `length` is >= 0 or -errno. */
export function receiveWithFds(fd: number, into: Uint8Array, flags = 0): { length: number; fds: number[] } {
  const fds = new Int32Array(MOST_FDS + 1);
  const length = lib.hp_recvmsg_fds(fd, into, into.length, fds, MOST_FDS, flags);
  return { length, fds: [...fds.subarray(0, fds.indexOf(-1))] };
}

/** Value of an option that is an int. */
export function getsockoptInt(fd: number, level: number, option: number): number {
  return lib.hp_getsockopt_int(fd, level, option);
}

export interface PeerCredentials {
  readonly pid: number;
  readonly uid: number;
  readonly gid: number;
}

/** Who connected, as of connect(2) time; -errno otherwise. */
export function peerCredentials(fd: number): PeerCredentials | number {
  const words = new Uint32Array(3);
  const result = lib.hp_getsockopt(fd, SOL_SOCKET, SO_PEERCRED, words, 12);
  return result < 0 ? result : { pid: words[0]!, uid: words[1]!, gid: words[2]! };
}

/** The address's length, and its bytes in `into`. */
export function getsockname(fd: number, into: Uint8Array): number {
  return lib.hp_getsockname(fd, into, into.length);
}

export function getpeername(fd: number, into: Uint8Array): number {
  return lib.hp_getpeername(fd, into, into.length);
}
