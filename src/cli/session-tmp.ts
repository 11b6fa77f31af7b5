/**
 * The private $TMPDIR of a session: made for it, removed after it, also when the hallpass that had it was killed. Names
 * are few and short: what was worked out for one session's folders then holds for the next (run/start-cache.ts), and
 * programs put sockets there, whose paths hold 107 bytes. Who has a folder holds a lock on it.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { flock } from "../../ffi/fd.ts";
import { HallpassError } from "../errors.ts";

export interface SessionTmp {
  readonly path: string;
  remove(): void;
}

const NAMES = 200;
const LOCK_EX = 2;
const LOCK_NB = 4;

export function makeSessionTmp(base: string): SessionTmp {
  try {
    const real = realpathSync(base);
    for (let n = 1; n <= NAMES; n++) {
      const path = nameOf(real, n);
      const fd = claim(path) ?? (isLeftOver(path) ? claim(path) : undefined);
      if (fd !== undefined) return { path, remove: () => removeSessionTmp(path) };
    }
    const path = mkdtempSync(`${real}/hallpass-`);
    return { path, remove: () => removeSessionTmp(path) };
  } catch (error) {
    throw new HallpassError(
      `cannot make a folder in ${base} for the session: ${(error as Error).message}; set TMPDIR to one that is writable`,
    );
  }
}

function nameOf(base: string, n: number): string {
  return `${base}/hallpass-${process.getuid?.()}-${n}`;
}

/** Makes the folder and locks it for as long as this process lives; undefined where it is there, or somebody was quicker. */
function claim(path: string): number | undefined {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return undefined;
    throw error;
  }
  return lock(path);
}

function lock(path: string): number | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch {
    return undefined;
  }
  if (flock(fd, LOCK_EX | LOCK_NB) === 0 && isStillThere(path, fd)) return fd;
  closeSync(fd);
  return undefined;
}

function isStillThere(path: string, fd: number): boolean {
  const [named, held] = [lstatSync(path, { throwIfNoEntry: false }), fstatSync(fd)];
  return named?.ino === held.ino && named.dev === held.dev && held.uid === process.getuid?.();
}

/** Removes a folder of ours that nobody holds: its session was killed. True where the name is free now. */
function isLeftOver(path: string): boolean {
  const fd = lock(path);
  if (fd === undefined) return false;
  removeSessionTmp(path);
  closeSync(fd);
  return true;
}

function removeSessionTmp(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Something in it belongs to somebody else or is held by what CMD left; the next session tries again.
  }
}

/** Removes what sessions left that were killed. */
export function sweepSessionTmp(base: string): void {
  for (let n = 1; n <= NAMES; n++) {
    const path = nameOf(base, n);
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) isLeftOver(path);
  }
}
