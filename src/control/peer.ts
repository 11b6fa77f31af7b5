/**
 * Who connects: the same user, from outside of every sandbox. A sandboxed process stays below its launcher (a
 * subreaper), so its line of parents leads through a launcher or a session, whatever it forks, execs or leaves behind.
 */
import { statSync } from "node:fs";
import { basename } from "node:path";
import { lineage, type ProcessStat, readStat } from "../session/process-table.ts";

/** What the kernel says of the other end of a socket. */
export interface PeerCalls {
  /** SO_PEERCRED: as of connect(2). */
  credentials(fd: number): { readonly pid: number; readonly uid: number };
  /** SO_PEERPIDFD (Linux 6.5), else pidfd_open of the pid: whether the process that connected is still alive. */
  isAlive(fd: number, pid: number): boolean;
}

export interface Surroundings {
  readonly uid: number;
  /** Pids of every running session of the user, this one included. */
  sessions(): readonly number[];
  /** The launcher's program file: a process that runs it is a launcher, also of a session that has ended. */
  readonly launcher: string;
}

export type Peer = { readonly pid: number } | { readonly refused: string };

/** The kernel keeps so much of a program's name. */
const COMM_LENGTH = 15;

export function inspectPeer(fd: number, calls: PeerCalls, around: Surroundings): Peer {
  const { pid, uid } = calls.credentials(fd);
  if (uid !== around.uid && uid !== 0) return { refused: "the session belongs to another user" };
  if (pid <= 0) return { refused: "the client is in another pid namespace" };
  const line = [...lineage(pid)];
  if (isSandboxed(line, around)) return { refused: "a process inside a sandbox cannot attach to a session" };
  return isStillThat(line, pid) && calls.isAlive(fd, pid) ? { pid } : { refused: "the client is gone" };
}

/** Whether this very process is inside a sandbox of hallpass. */
export function isInsideSandbox(launcher: string): boolean {
  return [...lineage(process.pid)].some((stat) => runsLauncher(stat, launcher));
}

function isSandboxed(line: readonly ProcessStat[], around: Surroundings): boolean {
  const sessions = new Set(around.sessions());
  return line.some((stat, at) => (at > 0 && sessions.has(stat.pid)) || runsLauncher(stat, around.launcher));
}

/** A launcher cannot be looked into by its own user (it is undumpable): then its name has to do. */
function runsLauncher({ pid, name }: ProcessStat, launcher: string): boolean {
  try {
    const [runs, ours] = [statSync(`/proc/${pid}/exe`), statSync(launcher)];
    return runs.dev === ours.dev && runs.ino === ours.ino;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EACCES" && name === basename(launcher).slice(0, COMM_LENGTH);
  }
}

/** The line was read name by name: it holds only when every process in it is still the one it was. */
function isStillThat(line: readonly ProcessStat[], pid: number): boolean {
  return (
    line[0]?.pid === pid && line.every((stat) => sameProcess(stat, readStat(stat.pid))) && line.at(-1)!.parent === 0
  );
}

function sameProcess(one: ProcessStat, other: ProcessStat | undefined): boolean {
  return other !== undefined && other.started === one.started && other.parent === one.parent && other.state !== "Z";
}
