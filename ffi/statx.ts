/**
 * Reading `struct statx` from a buffer that is filled again and again.
 *
 *   byte 0 mask   16 nlink   20 uid   24 gid   28 mode (u16)   32 ino   40 size   136 dev_major   140 dev_minor
 *   144 mnt_id (5.8)   ...   = 256 bytes
 */
import { S_IFMT } from "./constants.ts";

export const STATX_BYTES = 256;
export const STATX_TYPE = 0x1;
export const STATX_MODE = 0x2;
export const STATX_NLINK = 0x4;
export const STATX_UID = 0x8;
export const STATX_GID = 0x10;
export const STATX_INO = 0x100;
export const STATX_SIZE = 0x200;
export const STATX_BASIC_STATS = 0x7ff;
export const STATX_MNT_ID = 0x1000;

/** Word indexes of the fields, for code that reads the buffer itself. */
export const STATX = {
  mask: 0,
  attributesLow: 2,
  nlink: 4,
  uid: 5,
  gid: 6,
  mode: 7,
  inoLow: 8,
  inoHigh: 9,
  sizeLow: 10,
  sizeHigh: 11,
  rdevMajor: 32,
  rdevMinor: 33,
  devMajor: 34,
  devMinor: 35,
  mountLow: 36,
  mountHigh: 37,
} as const;

export class StatxBuffer {
  readonly words = new Uint32Array(STATX_BYTES / 4);

  get mode(): number {
    return this.words[STATX.mode]! & 0xffff;
  }
  get type(): number {
    return this.words[STATX.mode]! & S_IFMT;
  }
  get uid(): number {
    return this.words[STATX.uid]!;
  }
  get gid(): number {
    return this.words[STATX.gid]!;
  }
  get nlink(): number {
    return this.words[STATX.nlink]!;
  }
  /** Exact below 2^53; compare the halves where identity decides. */
  get ino(): number {
    return this.words[STATX.inoHigh]! * 0x100000000 + this.words[STATX.inoLow]!;
  }
  get size(): number {
    return this.words[STATX.sizeHigh]! * 0x100000000 + this.words[STATX.sizeLow]!;
  }
  /** Major and minor in one number (minor has 20 bits). */
  get dev(): number {
    return this.words[STATX.devMajor]! * 0x100000 + this.words[STATX.devMinor]!;
  }
  get rdevMajor(): number {
    return this.words[STATX.rdevMajor]!;
  }
  get rdevMinor(): number {
    return this.words[STATX.rdevMinor]!;
  }
}
