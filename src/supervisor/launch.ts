/** Starting CMD by way of the launcher, and what can be said to it and heard of it afterwards. */
import {
  POLLIN,
  SECCOMP_FILTER_FLAG_NEW_LISTENER,
  SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
} from "../../ffi/constants.ts";
import { AT_FDCWD, O_CLOEXEC, O_PATH, O_RDWR } from "../../ffi/constants.ts";
import { cstring } from "../../ffi/bytes.ts";
import { Errno, errnoName, must } from "../../ffi/errno.ts";
import { close, dup3, pollOne, sealedMemfd, write } from "../../ffi/fd.ts";
import { RLIMIT_CORE } from "../../ffi/limits.ts";
import { openat } from "../../ffi/path-ops.ts";
import { setSubreaper } from "../../ffi/prctl.ts";
import { knowsFilterFlags } from "../../ffi/seccomp.ts";
import { receiveWithFds, sendWithFds, socketpair } from "../../ffi/socket.ts";
import { HallpassError } from "../errors.ts";
import { built } from "../tree.ts";
import {
  COMMAND_CONTINUE,
  COMMAND_KILL,
  COMMAND_RELEASE,
  COMMAND_SIGNAL,
  COMMAND_SIGNAL_GROUP,
  decodeReport,
  encodeCommand,
  encodeLaunchBlock,
  LAUNCH_CWD,
  LAUNCH_FENCE,
  LAUNCH_PTY,
  LAUNCH_SCOPE,
  LAUNCH_TERMINAL,
  LAUNCH_TESTAMENT,
  REPORT_BYTES,
  STAGE_EXEC,
  STAGE_FILTER,
  stageName,
  type Report,
} from "./launch-block.ts";
import type { StartState } from "./start-state.ts";

export const LAUNCHER = built("launcher");

export interface LaunchOptions {
  readonly start: StartState;
  /** Absolute, path text: what is given to execve. */
  readonly program: string;
  /** argv, its first word included, and `NAME=value`; path text. */
  readonly arguments: readonly string[];
  readonly environment: readonly string[];
  /** Of compileFilter. */
  readonly filter: Uint8Array;
  /** Landlock ruleset; stays the caller's to close. */
  readonly ruleset?: number;
  /** Keep signals inside (Landlock ABI 6); `hasScope` of the result says whether it worked. */
  readonly scopeSignals: boolean;
  /** No core dumps: without a fence nothing else keeps one out of a folder outside. */
  readonly forbidsCores?: boolean;
  /** The session's own terminal (slave side); without it CMD is a process group of hallpass's session. */
  readonly pty?: number;
  /** Descriptors of ours for CMD's 0, 1 and 2; the slave where CMD talks to the terminal. */
  readonly stdio: readonly [number, number, number];
  /** Further descriptors under the same numbers; `start.descriptors` as a rule. */
  readonly descriptors?: readonly number[];
  /** The user's terminal, and what makes it usable again if hallpass is killed: modes, and bytes to write. */
  readonly rescue?: {
    readonly fd: number;
    readonly termios: Uint8Array;
    /** What is written to it; or, in a memfd that the relay keeps up to date, its testament. */
    readonly reset?: Uint8Array;
    readonly testament?: number;
  };
  /** Another launcher than build/launcher: tests have one with sanitizers. */
  readonly launcher?: string;
  /** CMD has stopped: hallpass stops itself too, and `continue()`s it afterwards. */
  readonly onStopped?: (signal: number) => void;
  /** CMD has ended; `left`: processes it left behind. */
  readonly onEnded: (ended: Ended) => void;
  /** Nobody is left in the sandbox. */
  readonly onGone?: () => void;
  /** Another process was reaped; some are left out when many end at once. */
  readonly onReaped?: (pid: number) => void;
  /** The launcher itself died while something could still run: nobody reaps any more, the session has to end. */
  readonly onLost?: () => void;
}

export interface Ended {
  /** As a shell says it: the exit code, or 128+N where signal N ended it; 126 or 127 where CMD could not be run. */
  readonly status: number;
  readonly signal: number;
  readonly left: number;
  /** Where CMD could not be run: why, in words. */
  readonly failure?: string;
}

export interface Launched {
  readonly listenerFd: number;
  /** CMD and its process group. */
  readonly pid: number;
  readonly launcherPid: number;
  /** Signals from inside stay inside. */
  readonly hasScope: boolean;
  readonly waitsKillable: boolean;
  /** To CMD alone, or to its whole process group as a terminal would. */
  signal(signal: number, toGroup?: boolean): void;
  /** After a stop: CMD gets its terminal back and goes on. */
  continue(): void;
  /** Ends everything in the sandbox. */
  kill(): void;
  /**
   * hallpass goes: what is left runs on, refused. Every notification that was received must have its answer before.
   * Without this call the end of hallpass counts as its loss, and the launcher ends everything.
   */
  release(): void;
}

/**
 * Lets go of our own standard input and output once CMD has them (not of the terminal, which the relay needs): a pipe
 * must end when CMD's side of it ends.
 */
export function dropStreams(fds: readonly number[]): void {
  const nothing = must(openat(AT_FDCWD, cstring("/dev/null"), O_RDWR | O_CLOEXEC), "open", "/dev/null");
  for (const fd of fds) must(dup3(nothing, fd, 0), "dup3");
  close(nothing);
}

const LAUNCH_TIMEOUT_MS = 10_000;

/** Throws HallpassError where CMD was not started. */
export async function launch(options: LaunchOptions): Promise<Launched> {
  setSubreaper(true);
  const [ours, theirs] = socketpair();
  // Its own folder and streams: the launcher must not keep what CMD's descriptors lead to.
  const launcher = Bun.spawn([options.launcher ?? LAUNCHER], {
    cwd: "/",
    env: {},
    stdio: ["ignore", "ignore", "ignore", theirs],
  });
  close(theirs);
  const waitsKillable = knowsFilterFlags(SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV);
  sendBlock(ours, options, waitsKillable ? SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV : 0);
  const { listenerFd, ready } = receiveReady(ours);
  const end = new LauncherEnd(ours, options);
  void launcher.exited.then(() => end.lost());
  await end.connect();
  return {
    listenerFd,
    pid: ready.pid,
    launcherPid: launcher.pid,
    hasScope: ready.hasScope,
    waitsKillable,
    signal: (signal, toGroup = false) => end.command(toGroup ? COMMAND_SIGNAL_GROUP : COMMAND_SIGNAL, signal),
    continue: () => end.command(COMMAND_CONTINUE),
    kill: () => end.command(COMMAND_KILL),
    release: () => {
      end.release();
      launcher.unref();
    },
  };
}

function sendBlock(socket: number, options: LaunchOptions, filterFlags: number): void {
  const { pty, ruleset, rescue, descriptors = [] } = options;
  const cwd = openat(AT_FDCWD, cstring("."), O_PATH | O_CLOEXEC);
  const fixed = [
    { flag: LAUNCH_CWD, fd: cwd < 0 ? undefined : cwd },
    { flag: LAUNCH_FENCE, fd: ruleset },
    { flag: LAUNCH_TERMINAL, fd: rescue?.fd },
    { flag: LAUNCH_PTY, fd: pty },
    { flag: LAUNCH_TESTAMENT, fd: rescue?.testament },
  ].filter((one): one is { flag: number; fd: number } => one.fd !== undefined);
  const block = sealedMemfd(
    "hallpass-launch",
    encodeLaunchBlock({
      ...options,
      start: options.forbidsCores ? withoutCores(options.start) : options.start,
      flags: fixed.reduce((flags, one) => flags | one.flag, options.scopeSignals ? LAUNCH_SCOPE : 0),
      filterFlags,
      ...(rescue ? { termios: rescue.termios, reset: rescue.reset ?? new Uint8Array() } : {}),
      passed: [0, 1, 2, ...descriptors],
    }),
  );
  const fds = [block, ...fixed.map((one) => one.fd), ...options.stdio, ...descriptors];
  const sent = sendWithFds(socket, new Uint8Array(1), fds);
  close(block);
  close(cwd);
  must(sent, "sendmsg", "to the launcher");
}

function withoutCores(start: StartState): StartState {
  const limits = start.limits.slice();
  limits.fill(0n, 2 * RLIMIT_CORE, 2 * RLIMIT_CORE + 2);
  return { ...start, limits };
}

/** A few milliseconds, during which nothing else could be done: the only place that waits for the launcher. */
function receiveReady(socket: number): { listenerFd: number; ready: Extract<Report, { kind: "ready" }> } {
  const bytes = new Uint8Array(REPORT_BYTES);
  const { length, fds } = isReadable(socket) ? receiveWithFds(socket, bytes) : { length: -Errno.ETIMEDOUT, fds: [] };
  const report = length === REPORT_BYTES ? decodeReport(bytes) : undefined;
  if (report?.kind === "ready" && fds[0] !== undefined) return { listenerFd: fds[0], ready: report };
  close(socket);
  if (report?.kind === "failed") throw new HallpassError(failureText(report));
  throw new HallpassError(`the launcher ended without a word (${LAUNCHER}); run \`hallpass doctor\``);
}

/** A signal of ours (the terminal was resized, say) ends the wait early, and means nothing. */
function isReadable(socket: number): boolean {
  const end = performance.now() + LAUNCH_TIMEOUT_MS;
  for (let left = LAUNCH_TIMEOUT_MS; left > 0; left = Math.ceil(end - performance.now())) {
    const events = pollOne(socket, POLLIN, left);
    if (events !== -Errno.EINTR) return events > 0;
  }
  return false;
}

function failureText({ errno, stage }: Extract<Report, { kind: "failed" }>): string {
  if (stage === STAGE_FILTER && errno === Errno.EBUSY) {
    return "this shell runs under a hallpass (or another program with a seccomp listener) already: one cannot run in another";
  }
  return `CMD could not be started: ${stageName(stage)}: ${errnoName(errno)}; run \`hallpass doctor\``;
}

/** Our end of the socket once CMD runs. */
class LauncherEnd {
  readonly #socket: number;
  readonly #options: LaunchOptions;
  #stream: { end(): void } | undefined;
  #rest = new Uint8Array();
  #isReleased = false;
  #isGone = false;

  constructor(socket: number, options: LaunchOptions) {
    this.#socket = socket;
    this.#options = options;
  }

  async connect(): Promise<void> {
    const options: Bun.FdSocketOptions = {
      fd: this.#socket,
      socket: { data: (_, bytes) => this.#receive(bytes), close: () => this.lost() },
    };
    // Bun takes these options, its types do not.
    this.#stream = await Bun.connect(options as unknown as Bun.UnixSocketOptions);
  }

  command(kind: number, signal = 0): void {
    if (!this.#isReleased && !this.#isGone) write(this.#socket, encodeCommand(kind, signal));
  }

  release(): void {
    this.command(COMMAND_RELEASE);
    this.#isReleased = true;
    this.#stream?.end();
  }

  lost(): void {
    if (this.#isReleased || this.#isGone) return;
    this.#isGone = true;
    this.#options.onLost?.();
  }

  #receive(bytes: Uint8Array): void {
    const all = this.#rest.length === 0 ? bytes : Uint8Array.from([...this.#rest, ...bytes]);
    const whole = all.length - (all.length % REPORT_BYTES);
    this.#rest = all.slice(whole);
    for (let at = 0; at < whole; at += REPORT_BYTES) this.#hear(decodeReport(all, at));
  }

  #hear(report: Report | undefined): void {
    const { onStopped, onEnded, onReaped, onGone } = this.#options;
    if (report?.kind === "stopped") onStopped?.(report.signal);
    else if (report?.kind === "reaped") onReaped?.(report.pid);
    else if (report?.kind === "ended") onEnded(endOf(report.status, report.left));
    else if (report?.kind === "failed") onEnded(failedEnd(report, this.#options.program));
    else if (report?.kind === "gone") onGone?.();
  }
}

function endOf(status: number, left: number): Ended {
  const signal = status & 0x7f;
  return { status: signal === 0 ? (status >> 8) & 0xff : 128 + signal, signal, left };
}

function failedEnd(report: Extract<Report, { kind: "failed" }>, program: string): Ended {
  const status = report.stage !== STAGE_EXEC ? 125 : report.errno === Errno.ENOENT ? 127 : 126;
  const failure = report.stage === STAGE_EXEC ? `${program}: ${errnoName(report.errno)}` : failureText(report);
  return { status, signal: 0, left: 0, failure };
}
