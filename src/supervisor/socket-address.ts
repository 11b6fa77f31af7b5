/** Socket addresses as callers hand them over, and as rules name them. */
import { AF_INET, AF_INET6, AF_UNIX } from "../../ffi/constants.ts";
import { Errno } from "../../ffi/errno.ts";
import { inetBytes } from "../policy/dest-bytes.ts";
import { connectedAddress, formatAddress, isMapped } from "../policy/dest.ts";
import type { ConnectKind } from "../policy/layout.ts";
import type { Supervision } from "./supervision.ts";
import { readAt } from "./target-memory.ts";

const SOCKADDR_MAX = 128;
const FAMILY = 2;

export interface SocketAddress {
  /** One byte longer than `length`, the last one NUL. */
  readonly bytes: Uint8Array;
  readonly length: number;
}

/** The address as it is now; undefined if the call was answered. */
export function readAddress(s: Supervision, low: number, high: number, length: number): SocketAddress | undefined {
  if (length < 0 || length > SOCKADDR_MAX) return void s.call.fail(Errno.EINVAL);
  const bytes = new Uint8Array(SOCKADDR_MAX + 1);
  const read = readAt(s.call, low, high, bytes, length);
  if (read < 0) return void s.refuseUnread(read);
  return { bytes, length };
}

export function familyOf({ bytes, length }: SocketAddress): number {
  return length < FAMILY ? -1 : bytes[0]! | (bytes[1]! << 8);
}

/** The path of a unix address without its NUL; undefined for abstract names, unnamed sockets and other families. */
export function pathOf(address: SocketAddress): Uint8Array | undefined {
  const { bytes, length } = address;
  if (length <= FAMILY || familyOf(address) !== AF_UNIX || bytes[FAMILY] === 0) return undefined;
  const end = bytes.subarray(0, length).indexOf(0, FAMILY);
  return bytes.subarray(FAMILY, end < 0 ? length : end);
}

/** The abstract name behind the NUL, or undefined. */
export function abstractName(address: SocketAddress): Uint8Array | undefined {
  const { bytes, length } = address;
  if (length <= FAMILY || familyOf(address) !== AF_UNIX || bytes[FAMILY] !== 0) return undefined;
  return bytes.slice(FAMILY + 1, length);
}

/** The address of a name in a folder that the thread stands in. */
export function addressOfName(name: Uint8Array, nameLength: number): SocketAddress {
  const bytes = new Uint8Array(SOCKADDR_MAX + 1);
  bytes[0] = AF_UNIX;
  bytes.set(name.subarray(0, nameLength), FAMILY);
  return { bytes, length: FAMILY + nameLength };
}

export interface InetAddress {
  /** For the matcher. */
  readonly record: Uint8Array;
  /** As a rule names it. */
  readonly dest: string;
}

/** An IPv4 or IPv6 address with its port; undefined for other families and for AF_UNSPEC, which disconnects. */
export function inetAddress(address: SocketAddress, protocol: "tcp" | "udp" | undefined): InetAddress | undefined {
  const { bytes, length } = address;
  const family = familyOf(address);
  const isFour = family === AF_INET && length >= 16;
  if (!isFour && !(family === AF_INET6 && length >= 24)) return undefined;
  const port = (bytes[2]! << 8) | bytes[3]!;
  const given = [...(isFour ? bytes.subarray(4, 8) : bytes.subarray(8, 24))];
  const raw = connectedAddress(isMapped(given) ? given.slice(12) : given);
  const prefix = protocol === undefined ? "" : `${protocol}:`;
  return { record: inetBytes(protocol, raw, port), dest: `${prefix}${formatAddress(raw)}:${port}` };
}

/** For the matcher: what follows the kind. */
export function tagged(kind: (typeof ConnectKind)[keyof typeof ConnectKind], rest: Uint8Array): Uint8Array {
  const record = new Uint8Array(rest.length + 1);
  record[0] = kind;
  record.set(rest, 1);
  return record;
}
