/** What the launcher is told, as bytes: the TypeScript side of helper/launcher/protocol.h, which has the drawing. */
import { encodePath } from "../policy/path-text.ts";
import type { StartState } from "./start-state.ts";

export const LAUNCH_PTY = 1;
export const LAUNCH_CWD = 2;
export const LAUNCH_FENCE = 4;
export const LAUNCH_TERMINAL = 8;
export const LAUNCH_SCOPE = 16;
export const LAUNCH_TESTAMENT = 32;

/** Offsets in `struct launch_block`; layout.test.ts compares them with the C header. */
export const BLOCK = {
  magic: 0,
  size: 4,
  flags: 8,
  umask: 12,
  blocked: 16,
  ignored: 24,
  limits: 32,
  filter_at: 288,
  filter_count: 292,
  filter_flags: 296,
  program_at: 300,
  arguments_at: 304,
  argument_count: 308,
  environment_at: 312,
  environment_count: 316,
  termios_at: 320,
  reset_at: 324,
  reset_length: 328,
  passed_at: 332,
  passed_count: 336,
} as const;
export const BLOCK_BYTES = 344;
const LAUNCH_MAGIC = 0x314c5048;

export interface LaunchBlock {
  readonly flags: number;
  readonly start: StartState;
  readonly filter: Uint8Array;
  readonly filterFlags: number;
  /** Path text; strings without NUL. */
  readonly program: string;
  readonly arguments: readonly string[];
  readonly environment: readonly string[];
  readonly termios?: Uint8Array;
  readonly reset?: Uint8Array;
  /** Numbers that the passed descriptors shall have in CMD. */
  readonly passed: readonly number[];
}

/** Pieces one behind the other, each at a multiple of eight. */
class Writer {
  readonly #pieces: { at: number; bytes: Uint8Array }[] = [];
  size = BLOCK_BYTES;

  add(bytes: Uint8Array): number {
    const at = this.size;
    this.#pieces.push({ at, bytes });
    this.size = (at + bytes.length + 7) & ~7;
    return at;
  }

  finish(): Uint8Array {
    const out = new Uint8Array(this.size);
    for (const { at, bytes } of this.#pieces) out.set(bytes, at);
    return out;
  }
}

export function encodeLaunchBlock(block: LaunchBlock): Uint8Array {
  const writer = new Writer();
  const words: Partial<Record<keyof typeof BLOCK, number>> = {
    magic: LAUNCH_MAGIC,
    flags: block.flags,
    umask: block.start.umask,
    filter_at: writer.add(block.filter),
    filter_count: block.filter.length / 8,
    filter_flags: block.filterFlags,
    program_at: writer.add(strings([block.program])),
    arguments_at: writer.add(strings(block.arguments)),
    argument_count: block.arguments.length,
    environment_at: writer.add(strings(block.environment)),
    environment_count: block.environment.length,
    termios_at: writer.add(block.termios ?? new Uint8Array()),
    reset_at: writer.add(block.reset ?? new Uint8Array()),
    reset_length: block.reset?.length ?? 0,
    passed_at: writer.add(new Uint8Array(Uint32Array.from(block.passed).buffer)),
    passed_count: block.passed.length,
    size: writer.size,
  };
  const bytes = writer.finish();
  const view = new DataView(bytes.buffer);
  for (const [name, value] of Object.entries(words)) view.setUint32(BLOCK[name as keyof typeof BLOCK], value, true);
  view.setBigUint64(BLOCK.blocked, block.start.blocked, true);
  view.setBigUint64(BLOCK.ignored, block.start.ignored, true);
  block.start.limits.forEach((limit, index) => view.setBigUint64(BLOCK.limits + 8 * index, limit, true));
  return bytes;
}

function strings(texts: readonly string[]): Uint8Array {
  const pieces = texts.map(encodePath);
  const out = new Uint8Array(pieces.reduce((size, piece) => size + piece.length + 1, 0));
  let at = 0;
  for (const piece of pieces) {
    out.set(piece, at);
    at += piece.length + 1;
  }
  return out;
}

export const COMMAND_SIGNAL = 1;
export const COMMAND_SIGNAL_GROUP = 2;
export const COMMAND_CONTINUE = 3;
export const COMMAND_RELEASE = 4;
export const COMMAND_KILL = 5;

/** `struct command`: kind 0, signal 4 = 8 bytes. */
export function encodeCommand(kind: number, signal = 0): Uint8Array {
  return new Uint8Array(Uint32Array.of(kind, signal).buffer);
}

export const REPORT_BYTES = 16;

/** The places of `enum stage` where a launch can fail, in the words of a message. */
const STAGES = [
  "starting",
  "receiving the launch block",
  "reading the launch block",
  "memory",
  "starting a process",
  "taking the terminal",
  "resource limits",
  "the fence (landlock_restrict_self)",
  "the filter (seccomp)",
  "descriptors",
  "running the program",
] as const;
export const STAGE_FILTER = 8;
export const STAGE_EXEC = 10;

export function stageName(stage: number): string {
  return STAGES[stage] ?? `stage ${stage}`;
}

export type Report =
  | { readonly kind: "ready"; readonly pid: number; readonly hasScope: boolean }
  | { readonly kind: "failed"; readonly errno: number; readonly stage: number }
  | { readonly kind: "stopped"; readonly signal: number }
  /** `status` as wait(2) has it. */
  | { readonly kind: "ended"; readonly status: number; readonly left: number }
  | { readonly kind: "reaped"; readonly pid: number; readonly status: number }
  | { readonly kind: "gone" };

/** `struct report`: kind 0, pid 4, status 8, extra 12 = 16 bytes. */
export function decodeReport(bytes: Uint8Array, at = 0): Report | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, REPORT_BYTES);
  const [pid, status, extra] = [view.getInt32(4, true), view.getInt32(8, true), view.getUint32(12, true)];
  switch (view.getUint32(0, true)) {
    case 1:
      return { kind: "ready", pid, hasScope: extra === 1 };
    case 2:
      return { kind: "failed", errno: status, stage: extra };
    case 3:
      return { kind: "stopped", signal: status };
    case 4:
      return { kind: "ended", status, left: extra };
    case 5:
      return { kind: "reaped", pid, status };
    case 6:
      return { kind: "gone" };
    default:
      return undefined;
  }
}
