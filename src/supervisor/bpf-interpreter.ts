/** Runs a filter as the kernel would, one instruction after the other: for tests, which assert without a kernel. */
import { HallpassBug } from "../errors.ts";
import {
  BPF_ALU_AND_K,
  BPF_JA,
  BPF_JEQ_K,
  BPF_JGE_K,
  BPF_JSET_K,
  BPF_LD_W_ABS,
  BPF_RET_K,
  type Program,
} from "./bpf.ts";

export interface SeccompData {
  readonly nr: number;
  readonly arch: number;
  /** Six registers of 64 bits. */
  readonly args: readonly bigint[];
}

function encode(data: SeccompData): DataView {
  const view = new DataView(new ArrayBuffer(64));
  view.setUint32(0, data.nr >>> 0, true);
  view.setUint32(4, data.arch >>> 0, true);
  data.args.forEach((arg, index) => view.setBigUint64(16 + 8 * index, BigInt.asUintN(64, arg), true));
  return view;
}

export interface Run {
  /** The action and its data, as the kernel would read it. */
  readonly action: number;
  readonly steps: number;
}

export function interpret(program: Program, data: SeccompData): Run {
  const view = encode(data);
  let a = 0;
  let steps = 0;
  for (let at = 0; at < program.length; at++) {
    const { code, jt, jf, k } = program[at]!;
    steps++;
    if (code === BPF_RET_K) return { action: k, steps };
    if (code === BPF_LD_W_ABS) a = view.getUint32(k, true);
    else if (code === BPF_ALU_AND_K) a = (a & k) >>> 0;
    else if (code === BPF_JA) at += k;
    else if (code === BPF_JEQ_K) at += a === k ? jt : jf;
    else if (code === BPF_JGE_K) at += a >= k ? jt : jf;
    else if (code === BPF_JSET_K) at += (a & k) !== 0 ? jt : jf;
    else throw new HallpassBug(`instruction ${at}: code ${code} is none the compiler makes`);
  }
  throw new HallpassBug("the filter ends without a return");
}
