/**
 * A hallpass without a head: starts a command by the launcher and answers its calls by a list. Run by the starter from a
 * folder of its own (driven.ts), so that the record of how it was started is the real one. Events go to a file, one
 * JSON object a line, for the command's streams are its own.
 */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { AT_FDCWD, O_NOCTTY, O_RDWR } from "../../../ffi/constants.ts";
import { cstring } from "../../../ffi/bytes.ts";
import { must } from "../../../ffi/errno.ts";
import { openat } from "../../../ffi/path-ops.ts";
import { TERMIOS_BYTES, tcgets } from "../../../ffi/terminal.ts";
import { setDumpable } from "../../../ffi/prctl.ts";
import { Signal } from "../../../ffi/signal.ts";
import type { Category } from "../../../src/policy/rule.ts";
import { buildFence, openFenceRoot, type FenceRights } from "../../../src/supervisor/fence.ts";
import { compileFilter } from "../../../src/supervisor/filter.ts";
import { dropStreams, launch } from "../../../src/supervisor/launch.ts";
import { readStartState } from "../../../src/supervisor/start-state.ts";

export interface DriverOptions {
  readonly events: string;
  /** argv; the first is an absolute path. */
  readonly command: readonly string[];
  readonly mediate?: readonly Category[];
  /** Calls by name that fail with this errno; every other is continued. */
  readonly refuse?: Readonly<Record<string, number>>;
  /** Nobody answers at all. */
  readonly silent?: boolean;
  readonly scope?: boolean;
  readonly fence?: readonly { readonly path: string; readonly rights: FenceRights }[];
  /** An older Landlock than the machine's. */
  readonly abi?: number;
  /** Slave side of a terminal to give to the command as its own. */
  readonly pty?: string;
  /** A terminal to set right when the driver is lost: its modes now are the ones wanted, then this text. */
  readonly rescue?: { readonly path: string; readonly reset: string };
  readonly forbidsCores?: boolean;
  /** Another launcher than build/launcher. */
  readonly launcher?: string;
  /** Until the last process has ended, as `--wait=all`; else releases them when the command ends. */
  readonly waitAll?: boolean;
}

const options = JSON.parse(process.env.HALLPASS_DRIVER ?? "{}") as DriverOptions;
const start = readStartState();

function tell(event: Record<string, unknown>): void {
  appendFileSync(options.events, `${JSON.stringify(event)}\n`);
}

function openTerminal(path: string): number {
  return must(openat(AT_FDCWD, cstring(path), O_RDWR | O_NOCTTY), "open", path);
}

function rescueOf(): { fd: number; termios: Uint8Array; reset: Uint8Array } | undefined {
  if (options.rescue === undefined) return undefined;
  const fd = openTerminal(options.rescue.path);
  const termios = new Uint8Array(TERMIOS_BYTES);
  must(tcgets(fd, termios), "ioctl(TCGETS)");
  return { fd, termios, reset: new TextEncoder().encode(options.rescue.reset) };
}

const roots = options.fence?.map(({ path, rights }) => openFenceRoot(path, rights)!);
const ruleset =
  roots &&
  buildFence({
    roots,
    connect: false,
    abstractSockets: false,
    ...(options.abi === undefined ? {} : { abi: options.abi }),
  });
const slave = options.pty === undefined ? undefined : openTerminal(options.pty);
const rescue = rescueOf();
setDumpable(false);

let status = 125;
try {
  const launched = await launch({
    start,
    program: options.command[0]!,
    arguments: options.command,
    environment: start.environment.filter((line) => !line.startsWith("HALLPASS_DRIVER=")),
    filter: compileFilter({ mediate: new Set(options.mediate ?? ["write", "exec"]), services: true, signals: false }),
    scopeSignals: options.scope ?? true,
    forbidsCores: options.forbidsCores ?? false,
    stdio: slave === undefined ? [0, 1, 2] : [slave, slave, slave],
    descriptors: start.descriptors,
    ...(options.launcher === undefined ? {} : { launcher: options.launcher }),
    ...(ruleset === undefined ? {} : { ruleset }),
    ...(slave === undefined ? {} : { pty: slave }),
    ...(rescue === undefined ? {} : { rescue }),
    onStopped: (signal) => {
      tell({ event: "stopped", signal });
      process.kill(process.pid, "SIGSTOP");
      launched.continue();
    },
    onEnded: (ended) => {
      tell({ event: "ended", ...ended });
      ({ status } = ended);
      if (!options.waitAll) finish();
    },
    onGone: () => {
      tell({ event: "gone" });
      finish();
    },
    onLost: () => {
      tell({ event: "lost" });
      process.exit(125);
    },
    onReaped: (pid) => tell({ event: "reaped", pid }),
  });
  dropStreams([0, 1]);
  const { pid, launcherPid, listenerFd, hasScope } = launched;
  tell({ event: "launched", pid, launcherPid, hasScope, self: process.pid, waitsKillable: launched.waitsKillable });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1"] as const) {
    process.on(signal, () => launched.signal(Signal[signal], signal === "SIGINT"));
  }
  function finish(): void {
    launched.release();
    process.exit(status);
  }
  if (!options.silent) {
    const worker = new Worker(join(import.meta.dirname, "answer-worker.ts"), { ref: false });
    worker.postMessage({ listenerFd, refuse: options.refuse ?? {}, events: options.events });
  }
} catch (error) {
  tell({ event: "failed", message: (error as Error).message });
  process.exit(125);
}
