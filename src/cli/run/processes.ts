/** The living processes of a session with what each did, and stopping one of them. */
import { close } from "../../../ffi/fd.ts";
import { pidfdOpen, pidfdSendSignal } from "../../../ffi/pidfd.ts";
import { Signal } from "../../../ffi/signal.ts";
import type { ProcessRow } from "../../control/messages.ts";
import { descendants, lineage, readCommand } from "../../session/process-table.ts";
import type { Deeds } from "../../session/state.ts";

const ROWS_MOST = 1000;
const NONE: Deeds = { writes: 0, runs: 0, connects: 0, denials: 0 };

export function processRows(launcher: number, deeds: ReadonlyMap<number, Deeds>): ProcessRow[] {
  return descendants(launcher)
    .slice(0, ROWS_MOST)
    .map(({ pid, parent, name }) => ({ pid, parent, name, command: readCommand(pid), ...(deeds.get(pid) ?? NONE) }));
}

/** The pidfd is taken first: what is found to be below the launcher is what gets the signal, whoever has the pid later. */
export function stopProcess(pid: number, launcher: number): { readonly error?: string } {
  const pidfd = pidfdOpen(pid);
  if (pidfd < 0) return { error: `there is no process ${pid}` };
  const isOurs = pid !== launcher && [...lineage(pid)].some((stat) => stat.pid === launcher);
  const sent = isOurs ? pidfdSendSignal(pidfd, Signal.SIGTERM) : -1;
  close(pidfd);
  if (!isOurs) return { error: `process ${pid} is not of this session` };
  return sent < 0 ? { error: `process ${pid} is gone` } : {};
}
