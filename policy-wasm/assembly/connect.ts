// Addresses and names of sockets. What is asked lies in the path scratch:
//
//     inet      1 | protocol (0 other, 1 tcp, 2 udp) | port, 2 bytes, high first | address, 16 bytes (IPv4 as mapped)
//     unix      2 | absolute path
//     abstract  3 | name
//     other     4 | anything: only `all` covers it

import { NO_RULE, NOT_FOUND, TABLES_BASE, find, hashBytes, header, port } from "./tables";

const OWNER_NETWORK4: u32 = 0x40000000;
const OWNER_NETWORK6: u32 = 0x40001000;
const OWNER_ABSTRACT: u32 = 0x40002000;
const OWNER_ABSTRACT_PREFIX: u32 = 0x40003000;

/** Where a masked address is put for its look-up: below the path scratch. */
const MASKED: u32 = 2048;

function lower(one: u32, other: u32): u32 {
  return one < other ? one : other;
}

function lengthWord(index: u32): u32 {
  return load<u32>(TABLES_BASE + header.lengths + index * 4);
}

/** The verdict of the ranges of ports (sorted, apart) that begin at record `first`. */
function portVerdict(first: u32, number: u32): u32 {
  let low = first;
  let high = first + port(first).left;
  while (low < high) {
    const middle = (low + high) >> 1;
    const range = port(middle);
    if (number < range.low) high = middle;
    else if (number > range.high) low = middle + 1;
    else return range.verdict;
  }
  return NO_RULE;
}

/** Copies the first `bits` bits of an address to MASKED, the rest zero. */
function mask(address: u32, length: u32, bits: u32): void {
  for (let at: u32 = 0; at < length; at++) {
    const kept = bits >= at * 8 + 8 ? 8 : bits <= at * 8 ? 0 : bits - at * 8;
    store<u8>(MASKED + at, load<u8>(address + at) & <u8>~(<u32>0xff >> kept));
  }
}

function networkVerdict(owner: u32, address: u32, length: u32, number: u32, first: u32, lengths: u32): u32 {
  let best = NO_RULE;
  for (let at: u32 = first; at < first + lengths; at++) {
    const bits = lengthWord(at);
    mask(address, length, bits);
    const found = find(owner + bits, hashBytes(MASKED, length), MASKED, length);
    if (found != NOT_FOUND) best = lower(best, portVerdict(found, number));
  }
  return best;
}

function isZero(address: u32, length: u32): bool {
  for (let at: u32 = 0; at < length; at++) {
    if (load<u8>(address + at) != 0) return false;
  }
  return true;
}

/** Whether the 16 bytes are ::ffff:a.b.c.d. */
function isMapped(address: u32): bool {
  return isZero(address, 10) && load<u16>(address + 10) == 0xffff;
}

/** `length` must be 20. Linux connects to the machine itself where the address is unspecified: 0.0.0.0 is 127.0.0.1. */
export function inetVerdict(asked: u32): u32 {
  const owner = (<u32>load<u8>(asked + 1)) << 8;
  const number = ((<u32>load<u8>(asked + 2)) << 8) | <u32>load<u8>(asked + 3);
  const address = asked + 4;
  if (isMapped(address)) {
    if (load<u32>(address + 12) == 0) store<u32>(address + 12, 0x0100007f);
    return networkVerdict(OWNER_NETWORK4 + owner, address + 12, 4, number, 0, header.lengths4);
  }
  if (isZero(address, 16)) store<u8>(address + 15, 1);
  return networkVerdict(OWNER_NETWORK6 + owner, address, 16, number, header.lengths4, header.lengths6);
}

export function abstractVerdict(name: u32, length: u32): u32 {
  const whole = find(OWNER_ABSTRACT, hashBytes(name, length), name, length);
  let best = whole == NOT_FOUND ? NO_RULE : whole;
  const first = header.lengths4 + header.lengths6;
  for (let at = first; at < first + header.lengthsAbstract; at++) {
    const size = lengthWord(at);
    if (size > length) continue;
    const found = find(OWNER_ABSTRACT_PREFIX + size, hashBytes(name, size), name, size);
    if (found != NOT_FOUND) best = lower(best, found);
  }
  return best;
}
