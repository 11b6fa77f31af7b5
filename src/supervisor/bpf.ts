/** Classic BPF as seccomp takes it (Documentation/networking/filter.rst): instructions, and trees of them. */
import {
  SECCOMP_RET_ALLOW,
  SECCOMP_RET_ERRNO,
  SECCOMP_RET_KILL_PROCESS,
  SECCOMP_RET_USER_NOTIF,
} from "../../ffi/constants.ts";
import { HallpassBug } from "../errors.ts";

/**
 * One `struct sock_filter`.
 *
 *   0 code (u16)   2 jt   3 jf   4 k   = 8 bytes
 */
export interface Instruction {
  readonly code: number;
  readonly jt: number;
  readonly jf: number;
  readonly k: number;
}

export type Program = readonly Instruction[];

export const BPF_LD_W_ABS = 0x20;
export const BPF_ALU_AND_K = 0x54;
export const BPF_JA = 0x05;
export const BPF_JEQ_K = 0x15;
export const BPF_JGE_K = 0x35;
export const BPF_JSET_K = 0x45;
export const BPF_RET_K = 0x06;

export const LONGEST_PROGRAM = 4096;
const LONGEST_BRANCH = 255;

/** Offsets in `struct seccomp_data`: nr 0, arch 4, instruction pointer 8, args 16 (each 8 bytes, low half first). */
export const DATA_NR = 0;
export const DATA_ARCH = 4;
export function argLow(index: number): number {
  return 16 + 8 * index;
}
export function argHigh(index: number): number {
  return 20 + 8 * index;
}

function instruction(code: number, k: number, jt = 0, jf = 0): Instruction {
  return { code, jt, jf, k: k >>> 0 };
}

export function load(offset: number): Instruction {
  return instruction(BPF_LD_W_ABS, offset);
}

export function and(mask: number): Instruction {
  return instruction(BPF_ALU_AND_K, mask);
}

export const ALLOW: Program = [instruction(BPF_RET_K, SECCOMP_RET_ALLOW)];
export const NOTIFY: Program = [instruction(BPF_RET_K, SECCOMP_RET_USER_NOTIF)];
export const KILL: Program = [instruction(BPF_RET_K, SECCOMP_RET_KILL_PROCESS)];
export function fail(errno: number): Program {
  return [instruction(BPF_RET_K, SECCOMP_RET_ERRNO | errno)];
}

/** `test` on A: to `yes` where it holds, else to `no`. Both end in a return, so nothing runs on behind them. */
function branch(code: number, k: number, yes: Program, no: Program): Program {
  if (no.length <= LONGEST_BRANCH) return [instruction(code, k, no.length, 0), ...no, ...yes];
  return [instruction(code, k, 0, 1), instruction(BPF_JA, no.length), ...no, ...yes];
}

export function ifEqual(k: number, yes: Program, no: Program): Program {
  return branch(BPF_JEQ_K, k, yes, no);
}
export function ifAtLeast(k: number, yes: Program, no: Program): Program {
  return branch(BPF_JGE_K, k, yes, no);
}
export function ifAnyBit(mask: number, yes: Program, no: Program): Program {
  return branch(BPF_JSET_K, mask, yes, no);
}

/** Values from `start` up to the next segment's start run `program`. */
export interface Segment {
  readonly start: number;
  readonly program: Program;
}

/** A binary search on A over segments in ascending order, the first of which starts at 0. */
export function search(segments: readonly Segment[]): Program {
  if (segments.length === 1) return segments[0]!.program;
  const middle = segments.length >> 1;
  return ifAtLeast(segments[middle]!.start, search(segments.slice(middle)), search(segments.slice(0, middle)));
}

/** Segments for single values, with `otherwise` everywhere else; neighbours that do the same are one. */
export function segmentsOf(values: ReadonlyMap<number, Program>, otherwise: Program): readonly Segment[] {
  const segments: Segment[] = [{ start: 0, program: otherwise }];
  const add = (start: number, program: Program): void => {
    const last = segments.at(-1)!;
    if (last.start === start) segments.pop();
    if (segments.at(-1)?.program !== program) segments.push({ start, program });
  };
  for (const [value, program] of [...values].toSorted(([a], [b]) => a - b)) {
    add(value, program);
    if (value < 0xffffffff) add(value + 1, otherwise);
  }
  return segments;
}

/** The bytes that seccomp(2) takes. */
export function assemble(program: Program): Uint8Array {
  if (program.length > LONGEST_PROGRAM) throw new HallpassBug(`a filter of ${program.length} instructions`);
  const view = new DataView(new ArrayBuffer(program.length * 8));
  program.forEach(({ code, jt, jf, k }, index) => {
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, jt);
    view.setUint8(index * 8 + 3, jf);
    view.setUint32(index * 8 + 4, k, true);
  });
  return new Uint8Array(view.buffer);
}
