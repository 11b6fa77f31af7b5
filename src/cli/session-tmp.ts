/** The private $TMPDIR of a session: made for it, removed after it, also when the hallpass that made it was killed. */
import { lstatSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { HallpassError } from "../errors.ts";
import { readStat } from "../session/process-table.ts";

const NAME = /^hallpass-(\d+)-(\d+)-[A-Za-z0-9]{6}$/;

/** The name is short: programs put sockets there, whose paths hold 107 bytes. */
export function makeSessionTmp(base: string): string {
  const started = readStat(process.pid)?.started ?? "0";
  try {
    return realpathSync(mkdtempSync(`${base}/hallpass-${process.pid}-${started}-`));
  } catch (error) {
    throw new HallpassError(
      `cannot make a folder in ${base} for the session: ${(error as Error).message}; set TMPDIR to one that is writable`,
    );
  }
}

export function removeSessionTmp(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Something in it belongs to somebody else or is held by what CMD left; the next session tries again.
  }
}

/** Removes what sessions left that were killed: the folder's name says which process made it. */
export function sweepSessionTmp(base: string): void {
  for (const name of namesIn(base)) {
    const match = NAME.exec(name);
    if (!match || readStat(Number(match[1]))?.started === match[2]) continue;
    const path = `${base}/${name}`;
    if (isOurs(path)) removeSessionTmp(path);
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isOurs(path: string): boolean {
  try {
    const found = lstatSync(path);
    return found.isDirectory() && found.uid === process.getuid?.();
  } catch {
    return false;
  }
}
