/** The log of a run, where one is wanted. */
import { realpathSync } from "node:fs";
import { AuditLog, defaultLogPath, type LogState } from "../../audit/log.ts";
import { type Context, stateFolder } from "../context.ts";
import type { RunOptions } from "../run-options.ts";

export interface RunLog {
  readonly log: AuditLog;
  /** Its real path: nothing in the sandbox may write it. */
  readonly path: string;
  /** Hears of the log's state from now on. */
  listen(tell: (state: LogState) => void): void;
}

/** Throws HallpassError where it cannot be opened. */
export function openRunLog({ log }: RunOptions, context: Context): RunLog | undefined {
  if (!log) return undefined;
  const named = log.file ?? defaultLogPath(stateFolder(context), new Date(), process.pid);
  let tell: (state: LogState) => void = () => undefined;
  const opened = AuditLog.open(named.startsWith("/") ? named : `${context.cwd}/${named}`, (state) => tell(state));
  return { log: opened, path: realpathSync(opened.path), listen: (next) => void (tell = next) };
}
