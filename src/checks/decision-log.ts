/** Where decisions are written: one JSON line a check (CHECKS §1.8). */
import { appendFileSync, closeSync, openSync, writeSync } from "node:fs";

export interface DecisionLog {
  write(line: string): void;
  close(): void;
}

const nowhere: DecisionLog = { write: () => {}, close: () => {} };

/** `stderr`, `stdout`, `none`, or a path that is opened for appending with mode 0600. Throws when it cannot be opened. */
export function openDecisionLog(destination: string): DecisionLog {
  if (destination === "none") return nowhere;
  if (destination === "stderr" || destination === "stdout") return standard(destination === "stdout" ? 1 : 2);
  const fd = openSync(destination, "a", 0o600);
  return { write: (line) => appendFileSync(fd, `${line}\n`), close: () => closeSync(fd) };
}

function standard(fd: number): DecisionLog {
  return { write: (line) => void writeSync(fd, `${line}\n`), close: () => {} };
}
