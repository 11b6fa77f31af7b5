/** Where sessions are found: a folder of the user's own, one socket a session, named by hallpass's pid. */
import { chmodSync, lstatSync, mkdirSync, readdirSync, unlinkSync } from "node:fs";
import { HallpassError } from "../errors.ts";

export interface Place {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly uid: number;
}

/** `$XDG_RUNTIME_DIR/hallpass`; without it a folder in the user's state, for /tmp is everybody's. */
export function sessionFolder({ env, home, uid }: Place): string {
  const runtime = env.XDG_RUNTIME_DIR;
  if (runtime?.startsWith("/") && isOwn(runtime, uid)) return `${runtime}/hallpass`;
  const state = env.XDG_STATE_HOME?.startsWith("/") ? env.XDG_STATE_HOME : `${home}/.local/state`;
  return `${state}/hallpass/run`;
}

/** Under sudo the variable may still name another user's. */
function isOwn(folder: string, uid: number): boolean {
  return lstatSync(folder, { throwIfNoEntry: false })?.uid === uid;
}

/** Makes the folder, or sees that it is the user's alone. */
export function openSessionFolder(place: Place): string {
  const folder = sessionFolder(place);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = lstatSync(folder);
    if (!found.isDirectory() || found.uid !== place.uid) throw new Error("it is not a folder of this user's own");
    if ((found.mode & 0o777) !== 0o700) chmodSync(folder, 0o700);
  } catch (error) {
    throw new HallpassError(
      `cannot use ${folder} for the session's socket: ${(error as Error).message}; set XDG_RUNTIME_DIR to a folder that is yours`,
    );
  }
  return folder;
}

export function socketPath(folder: string, pid: number): string {
  return `${folder}/${pid}.sock`;
}

/** The pids of the sessions that have a socket here; some may have ended without taking it along. */
export function sessionPids(folder: string): number[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names
    .flatMap((name) => /^([1-9]\d*)\.sock$/.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b);
}

export function removeSocket(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Gone already.
  }
}
