/** What /proc says of a process: credentials, umask, signals, ancestors. */
import { Errno } from "../../ffi/errno.ts";
import { AT_FDCWD, O_CLOEXEC, O_DIRECTORY, O_RDONLY } from "../../ffi/constants.ts";
import { ascii, cstring } from "../../ffi/bytes.ts";
import { close, readFile } from "../../ffi/fd.ts";
import { openat, readlinkat } from "../../ffi/path-ops.ts";
import { decodePath } from "../policy/path-text.ts";
import type { ProcessClaim } from "../session/request.ts";
import { entries } from "./folder-entries.ts";
import { CMDLINE, CWD, EXE, ProcPath, STATUS, TASK } from "./proc-path.ts";

export interface Credentials {
  readonly fsuid: number;
  readonly fsgid: number;
  readonly groups: readonly number[];
  /** Effective capabilities, bits 0-31 and 32-63. */
  readonly capsLow: number;
  readonly capsHigh: number;
}

export interface CapabilitySets {
  readonly permittedLow: number;
  readonly permittedHigh: number;
  readonly inheritableLow: number;
  readonly inheritableHigh: number;
}

const proc = new ProcPath();
const buffer = new Uint8Array(16384);

/** /proc/PID/status, parsed field by field as it is asked for. undefined if the process is gone. */
export function readStatus(pid: number): Status | undefined {
  const length = readFile(AT_FDCWD, proc.of(pid, STATUS), buffer);
  return parseStatus(buffer, length);
}

/** Of the bytes of a status file. */
export function parseStatus(bytes: Uint8Array, length: number): Status | undefined {
  return length <= 0 ? undefined : new Status(`\n${ascii(bytes, 0, length)}`);
}

export class Status {
  constructor(private readonly text: string) {}

  /** The value of a line, without its name. */
  field(name: string): string {
    const at = this.text.indexOf(`\n${name}:\t`);
    if (at < 0) return "";
    const start = at + name.length + 3;
    return this.text.slice(start, this.text.indexOf("\n", start));
  }
  get tgid(): number {
    return Number(this.field("Tgid"));
  }
  /** Of NStgid, NSpid: the number in the process's own pid namespace. */
  innermost(name: string): number {
    return Number(this.field(name).trim().split(/\s+/).at(-1));
  }
  get parent(): number {
    return Number(this.field("PPid"));
  }
  get umask(): number {
    return Number.parseInt(this.field("Umask"), 8);
  }
  /** Size of the descriptor table: a bound for how many are open. */
  get fdSize(): number {
    return Number(this.field("FDSize"));
  }
  /** One letter: R S D T t Z X. */
  get state(): string {
    return this.field("State").slice(0, 1);
  }
  get isFiltered(): boolean {
    return this.field("Seccomp") === "2";
  }
  get credentials(): Credentials {
    const [capsLow, capsHigh] = this.halves("CapEff");
    return {
      fsuid: Number(this.field("Uid").split("\t")[3]),
      fsgid: Number(this.field("Gid").split("\t")[3]),
      groups: this.field("Groups").trim().split(" ").filter(Boolean).map(Number),
      capsLow,
      capsHigh,
    };
  }
  get capabilitySets(): CapabilitySets {
    const [permittedLow, permittedHigh] = this.halves("CapPrm");
    const [inheritableLow, inheritableHigh] = this.halves("CapInh");
    return { permittedLow, permittedHigh, inheritableLow, inheritableHigh };
  }
  /** Signals that would be handled now: pending for the thread or the process, and not blocked. */
  get deliverable(): bigint {
    const pending = this.mask("SigPnd") | this.mask("ShdPnd");
    return pending & ~this.mask("SigBlk") & ~this.mask("SigIgn");
  }
  get deliverableToThread(): bigint {
    return this.mask("SigPnd") & ~this.mask("SigBlk") & ~this.mask("SigIgn");
  }
  private halves(name: string): [low: number, high: number] {
    const caps = this.field(name).padStart(16, "0");
    return [Number.parseInt(caps.slice(8), 16), Number.parseInt(caps.slice(0, 8), 16)];
  }
  private mask(name: string): bigint {
    return BigInt(`0x${this.field(name) || "0"}`);
  }
}

/** The program file of a process as path text; "" if it cannot be seen. */
export function programOf(pid: number): string {
  return linkText(proc.of(pid, EXE));
}

/** Its working directory. */
export function folderOf(pid: number): string {
  return linkText(proc.of(pid, CWD));
}

function linkText(path: Uint8Array): string {
  const length = readlinkat(AT_FDCWD, path, buffer, 0, 4096);
  return length <= 0 ? "" : decodePath(buffer.subarray(0, length));
}

/** The command line as the process itself has it, at most `most` bytes of it. */
export function commandOf(pid: number, most = 4096): string[] {
  const length = readFile(AT_FDCWD, proc.of(pid, CMDLINE), buffer.subarray(0, most));
  if (length <= 0) return [];
  const end = buffer[length - 1] === 0 ? length - 1 : length;
  return splitAtNul(buffer.subarray(0, end)).map(decodePath);
}

function splitAtNul(bytes: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let start = 0; start <= bytes.length;) {
    const end = bytes.indexOf(0, start);
    pieces.push(bytes.subarray(start, end < 0 ? bytes.length : end));
    if (end < 0) break;
    start = end + 1;
  }
  return pieces;
}

const PTS_MAJOR = 136;
const PTS_MAJORS = 8;

/** N of /dev/pts/N, the thread's controlling terminal (tty_nr of proc(5)); -ENXIO for none, -EACCES for one that is no pty. */
export function controllingPty(tid: number): number {
  const length = readFile(AT_FDCWD, cstring(`/proc/${tid}/stat`), buffer);
  const text = ascii(buffer, 0, Math.max(length, 0));
  const number = Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[4] ?? 0);
  if (number === 0) return -Errno.ENXIO;
  const series = ((number >> 8) & 0xfff) - PTS_MAJOR;
  if (series < 0 || series >= PTS_MAJORS) return -Errno.EACCES;
  return series * 256 + ((number & 0xff) | ((number >> 12) & 0xfff00));
}

/** True if `pid` is below `root` in the tree of processes (the launcher is everybody's subreaper). */
export function isBelow(pid: number, root: number): boolean {
  for (let at = pid, steps = 0; at > 1 && steps < 10_000; steps++) {
    const status = readStatus(at);
    if (!status) return false;
    if (status.parent === root) return true;
    at = status.parent;
  }
  return false;
}

/** The process and the ones it came from, up to `root` (left out): what they call themselves. */
export function claimsOf(pid: number, root: number): ProcessClaim[] {
  const claims: ProcessClaim[] = [];
  for (let at = pid; at > 1 && at !== root && claims.length < MOST_CLAIMS;) {
    const status = readStatus(at);
    if (!status) break;
    claims.push({ pid: status.tgid, name: status.field("Name"), command: commandOf(at) });
    at = status.parent;
  }
  return claims;
}

const MOST_CLAIMS = 32;

/** The processes below `root`, as far as they are there now. */
export function* descendants(root: number): Generator<number> {
  const queue = childrenOf(root);
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    yield next;
    queue.push(...childrenOf(next));
  }
}

/** Children of all threads of a process. */
function childrenOf(pid: number): number[] {
  const children: number[] = [];
  const folder = openat(AT_FDCWD, proc.of(pid, TASK), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return children;
  for (const name of entries(folder)) {
    const path = cstring(`/proc/${pid}/task/${ascii(name, 0, name.length - 1)}/children`);
    const length = readFile(AT_FDCWD, path, buffer);
    if (length > 0) children.push(...ascii(buffer, 0, length).trim().split(" ").filter(Boolean).map(Number));
  }
  close(folder);
  return children;
}
