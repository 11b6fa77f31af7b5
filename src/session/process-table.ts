/** Looks at processes in /proc: small bounded reads, and `undefined` for a process that is gone. */
import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { decodePath } from "../policy/path-text.ts";

export interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  /** One letter of proc(5): `Z` is a zombie. */
  readonly state: string;
  /** In clock ticks since boot; with the pid it names a process for good. */
  readonly started: string;
}

const READ_MOST = 4096;
const ANCESTORS_MOST = 256;

/** The first `most` bytes of a file of /proc. */
export function readProc(path: string, most = READ_MOST): Uint8Array | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, "r");
    const bytes = new Uint8Array(most);
    return bytes.subarray(0, readSync(fd, bytes, 0, most, null));
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

export function readStat(pid: number): ProcessStat | undefined {
  const bytes = readProc(`/proc/${pid}/stat`, 1024);
  return bytes && parseStat(pid, decodePath(bytes));
}

/** The name stands in parentheses and may hold any of them, so the last one ends it. */
export function parseStat(pid: number, text: string): ProcessStat | undefined {
  const open = text.indexOf("(");
  const close = text.lastIndexOf(")");
  const fields = text.slice(close + 2).split(" ");
  const [state, parent, started] = [fields[0], fields[1], fields[19]];
  if (open < 0 || close < open || !state || !parent || !started) return undefined;
  return { pid, parent: Number(parent), name: text.slice(open + 1, close), state, started };
}

export function readCommand(pid: number): string[] {
  const bytes = readProc(`/proc/${pid}/cmdline`);
  if (!bytes || bytes.length === 0) return [];
  const text = decodePath(bytes);
  return (text.endsWith("\0") ? text.slice(0, -1) : text).split("\0");
}

/** The process first, then its parents up to the top. */
export function* lineage(pid: number): Generator<ProcessStat> {
  const seen = new Set<number>();
  for (let next = pid; next > 0 && !seen.has(next) && seen.size < ANCESTORS_MOST;) {
    const stat = readStat(next);
    if (!stat) return;
    yield stat;
    seen.add(next);
    next = stat.parent;
  }
}

/** Every living process below `root`, without it. */
export function descendants(root: number): ProcessStat[] {
  const byParent = Map.groupBy(allProcesses(), (stat) => stat.parent);
  const found: ProcessStat[] = [];
  const queue = [root];
  for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
    const children = byParent.get(pid) ?? [];
    byParent.delete(pid);
    found.push(...children);
    queue.push(...children.map((child) => child.pid));
  }
  return found.filter((stat) => stat.state !== "Z" && stat.state !== "X");
}

function allProcesses(): ProcessStat[] {
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (readStat(Number(name)) ?? []) : []));
}
