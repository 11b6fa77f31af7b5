// One glob for one name, run over its bytes. A code point is one character, an invalid byte is one too (U+DC00 + byte).

import { TABLES_BASE, header } from "./tables";

const STAR: u32 = 0x80000000;
const ANY: u32 = 0x80000001;
const CLASS: u32 = 0x80000002;
const NOT_CLASS: u32 = 0x80000003;

/** Bytes of the code point that `decode` read last. */
let width: u32 = 0;

function isTail(at: u32, end: u32): bool {
  return at < end && (load<u8>(at) & 0xc0) == 0x80;
}

/** The code point at `at` (before `end`), its length in `width`. Strict: no overlong form, no surrogate. */
function decode(at: u32, end: u32): u32 {
  const first = <u32>load<u8>(at);
  width = 1;
  if (first < 0x80) return first;
  if (first >= 0xc2 && first < 0xe0 && isTail(at + 1, end)) {
    width = 2;
    return ((first & 0x1f) << 6) | (<u32>load<u8>(at + 1) & 0x3f);
  }
  if (first >= 0xe0 && first < 0xf0 && isTail(at + 1, end) && isTail(at + 2, end)) {
    const code = ((first & 0x0f) << 12) | ((<u32>load<u8>(at + 1) & 0x3f) << 6) | (<u32>load<u8>(at + 2) & 0x3f);
    if (code >= 0x800 && (code < 0xd800 || code > 0xdfff)) {
      width = 3;
      return code;
    }
  }
  if (first >= 0xf0 && first < 0xf5 && isTail(at + 1, end) && isTail(at + 2, end) && isTail(at + 3, end)) {
    const high = ((first & 0x07) << 18) | ((<u32>load<u8>(at + 1) & 0x3f) << 12);
    const code = high | ((<u32>load<u8>(at + 2) & 0x3f) << 6) | (<u32>load<u8>(at + 3) & 0x3f);
    if (code >= 0x10000 && code <= 0x10ffff) {
      width = 4;
      return code;
    }
  }
  return 0xdc00 + first;
}

function word(index: u32): u32 {
  return load<u32>(TABLES_BASE + header.programs + index * 4);
}

/** Words that the operation at `at` takes. */
function operationLength(at: u32): u32 {
  const operation = word(at);
  return operation == CLASS || operation == NOT_CLASS ? 2 + word(at + 1) * 2 : 1;
}

/** Whether the operation at `at` (no star) accepts the code point. */
function accepts(at: u32, code: u32): bool {
  const operation = word(at);
  if (operation == ANY) return true;
  if (operation == CLASS) return isInClass(at + 1, code);
  if (operation == NOT_CLASS) return !isInClass(at + 1, code);
  return operation == code;
}

function isInClass(at: u32, code: u32): bool {
  let low: u32 = 0;
  let high = word(at);
  while (low < high) {
    const middle = (low + high) >> 1;
    const range = at + 1 + middle * 2;
    if (code < word(range)) high = middle;
    else if (code > word(range + 1)) low = middle + 1;
    else return true;
  }
  return false;
}

/** Whether the program of `length` words matches the whole name. A star that was passed is given back one at a time. */
export function matchesGlob(program: u32, length: u32, name: u32, end: u32): bool {
  const programEnd = program + length;
  let operation = program;
  let at = name;
  let starOperation: u32 = 0;
  let starAt: u32 = 0;
  let hasStar = false;
  while (at < end || operation < programEnd) {
    if (operation < programEnd) {
      if (word(operation) == STAR) {
        starOperation = ++operation;
        starAt = at;
        hasStar = true;
        continue;
      }
      if (at < end && accepts(operation, decode(at, end))) {
        at += width;
        operation += operationLength(operation);
        continue;
      }
    }
    if (!hasStar || starAt >= end) return false;
    decode(starAt, end);
    starAt += width;
    at = starAt;
    operation = starOperation;
  }
  return true;
}
