/** The rule files on disk: `~/.config/hallpass/rules`, and one a project below `projects/`. */
import { mkdirSync, watch } from "node:fs";
import { chmod, link, lstat, mkdir, open, readFile, readlink, realpath, rename, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { HallpassError } from "../errors.ts";
import { parseRules, type RuleContext, type RuleLine } from "./parse.ts";
import { decodePath, encodePath } from "./path-text.ts";
export { everywhereFile, projectFile } from "./rule-file-names.ts";
import { appendLine, deleteLine, replaceLine, type LinePlace } from "./rule-text.ts";

/** A rule file that was read; no file is an empty one. */
export interface LoadedRules {
  readonly file: string;
  readonly text: string;
  readonly rules: readonly RuleLine[];
}

export type Change =
  | { readonly type: "append"; readonly line: string }
  | { readonly type: "replace"; readonly place: LinePlace; readonly line: string }
  | { readonly type: "delete"; readonly place: LinePlace };

/** Reads and parses. Throws PolicyError with every mistake, HallpassError where the file cannot be read. */
export async function loadRules(file: string, context: RuleContext): Promise<LoadedRules> {
  const text = (await readText(file)) ?? "";
  return { file, text, rules: parseRules(text, { ...context, file }) };
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return decodePath(await readFile(file));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new HallpassError(`cannot read ${file}: ${messageOf(error)}`);
  }
}

/**
 * Changes a file under a lock: read anew, changed, written beside it and renamed over it, mode 0600. False where the line
 * in question is not there any more. `header` begins a file that is new.
 */
export async function changeRules(file: string, change: Change, header = ""): Promise<boolean> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const real = await realFile(file);
  await using _lock = await lockFile(real);
  const text = (await readText(real)) ?? header;
  const changed = applyChange(text, change);
  if (changed === undefined) return false;
  await writeAtomically(real, changed);
  return true;
}

/** Moves a line to another file; it is added there before it is taken away here. */
export async function moveRule(from: string, place: LinePlace, to: string, header = ""): Promise<boolean> {
  const text = (await readText(from)) ?? "";
  if (deleteLine(text, place) === undefined) return false;
  await changeRules(to, { type: "append", line: place.text.trim() }, header);
  return changeRules(from, { type: "delete", place });
}

function applyChange(text: string, change: Change): string | undefined {
  switch (change.type) {
    case "append":
      return appendLine(text, change.line);
    case "replace":
      return replaceLine(text, change.place, change.line);
    case "delete":
      return deleteLine(text, change.place);
  }
}

/** A rule file may be a link into a folder of dotfiles; the link stays. */
async function realFile(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch {
    const isLink = (await lstat(file).catch(() => undefined))?.isSymbolicLink() === true;
    return isLink ? join(dirname(file), await readlink(file)) : file;
  }
}

async function writeAtomically(file: string, text: string): Promise<void> {
  const temporary = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`;
  const handle = await open(temporary, "wx", 0o600);
  try {
    await handle.writeFile(encodePath(text));
    await handle.sync();
    await handle.close();
    await chmod(temporary, 0o600);
    await rename(temporary, file);
  } catch (error) {
    await handle.close().catch(() => undefined);
    await unlink(temporary).catch(() => undefined);
    throw new HallpassError(`cannot write ${file}: ${messageOf(error)}`);
  }
}

const LOCK_PATIENCE = 5_000;

/** Sessions change the same files; a lock whose holder is dead is broken. */
async function lockFile(file: string): Promise<AsyncDisposable> {
  const lock = `${file}.lock`;
  const own = `${lock}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  const handle = await open(own, "wx", 0o600);
  await handle.writeFile(String(process.pid));
  await handle.close();
  try {
    await holdLock(own, lock);
  } finally {
    await unlink(own);
  }
  return { [Symbol.asyncDispose]: () => unlink(lock).catch(() => undefined) };
}

/** link(2) fails where the name exists: who links first holds the lock, and its content is there from the start. */
async function holdLock(own: string, lock: string): Promise<void> {
  for (const end = Date.now() + LOCK_PATIENCE; ;) {
    try {
      return await link(own, lock);
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw new HallpassError(`cannot lock ${lock}: ${messageOf(error)}`);
    }
    const holder = Number(await readText(lock));
    if (holder > 0 && !isAlive(holder)) await breakLock(lock, holder, own);
    else if (Date.now() > end)
      throw new HallpassError(`${lock} is held by process ${holder}; remove it if that is not hallpass`);
    else await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Takes the dead holder's lock away under a name of our own; where another was quicker it is put back. */
async function breakLock(lock: string, holder: number, own: string): Promise<void> {
  const taken = `${own}.broken`;
  try {
    await rename(lock, taken);
  } catch {
    return;
  }
  if (Number(await readText(taken)) !== holder) await link(taken, lock).catch(() => undefined);
  await unlink(taken);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/** Calls back after a file may have changed, by hand or by another session; returns what ends it. */
export function watchRules(files: readonly string[], changed: (file: string) => void): () => void {
  for (const file of files) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const watchers = files.map((file) =>
    // The folder is watched: an editor that saves puts a new file in the place of the old one.
    watch(dirname(file), { persistent: false }, (_event, name) => {
      if (name === null || name === basename(file)) changed(file);
    }),
  );
  for (const watcher of watchers) watcher.on("error", () => watcher.close());
  return () => watchers.forEach((watcher) => watcher.close());
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
