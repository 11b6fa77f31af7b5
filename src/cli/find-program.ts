/** The program that the command line names, as execvp would find it, and what runs with it. */
import { accessSync, closeSync, constants, openSync, readSync, realpathSync, statSync } from "node:fs";
import { HallpassError } from "../errors.ts";
import { decodePath } from "../policy/path-text.ts";

export interface Program {
  /** As it is handed to execve. */
  readonly path: string;
  /** Real paths of the program, its `#!` interpreters and what `env` runs for it: allowed from the start. */
  readonly runs: readonly string[];
}

export interface Surroundings {
  readonly cwd: string;
  readonly path: string;
}

const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";
const INTERPRETERS_MOST = 5;

/** Throws HallpassError with exit code 127 where it is not found, 126 where it cannot be run. */
export function findProgram(name: string, around: Surroundings): Program {
  const path = name.includes("/") ? inFolder(around.cwd, name) : searchPath(name, around);
  const problem = whyNotRunnable(path);
  if (problem) throw new HallpassError(`${name}: ${problem.message}`, problem.exitCode);
  return { path, runs: whatRuns(path, around) };
}

function inFolder(folder: string, name: string): string {
  return name.startsWith("/") ? name : `${folder === "/" ? "" : folder}/${name}`;
}

function candidates(name: string, { cwd, path }: Surroundings): string[] {
  return (path || DEFAULT_PATH).split(":").map((folder) => inFolder(inFolder(cwd, folder || "."), name));
}

function searchPath(name: string, around: Surroundings): string {
  const found = candidates(name, around).map((path) => ({ path, problem: whyNotRunnable(path) }));
  const best = found.find(({ problem }) => !problem) ?? found.find(({ problem }) => problem?.exitCode === 126);
  if (!best || name === "") throw new HallpassError(`${name}: not found in $PATH`, 127);
  return best.path;
}

function whyNotRunnable(path: string): { message: string; exitCode: number } | undefined {
  try {
    if (statSync(path).isDirectory()) return { message: "it is a folder", exitCode: 126 };
    accessSync(path, constants.X_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return { message: "not found", exitCode: 127 };
    return { message: code === "EACCES" ? "it is not executable" : `cannot be run (${code})`, exitCode: 126 };
  }
}

function whatRuns(path: string, around: Surroundings): string[] {
  const runs: string[] = [];
  for (let next: string | undefined = path; next !== undefined && runs.length < INTERPRETERS_MOST;) {
    runs.push(realpathSync(next));
    const line: string[] | undefined = readInterpreter(next);
    const [interpreter, ...words] = line ?? [];
    if (interpreter === undefined) break;
    if (whyNotRunnable(interpreter)) {
      throw new HallpassError(`${path}: its interpreter ${interpreter} ${whyNotRunnable(interpreter)?.message}`, 126);
    }
    runs.push(...(interpreter.endsWith("/env") ? [realpathSync(interpreter)] : []));
    next = interpreter.endsWith("/env") ? runByEnv(words, around) : interpreter;
  }
  return [...new Set(runs)];
}

/** The program that `env` looks up, past its options and assignments. */
function runByEnv(words: readonly string[], around: Surroundings): string | undefined {
  const name = words.find((word) => !word.startsWith("-") && !word.includes("="));
  return name === undefined ? undefined : candidates(name, around).find((path) => !whyNotRunnable(path));
}

/** The words of a `#!` line; undefined where there is none. */
export function readInterpreter(path: string): string[] | undefined {
  const bytes = new Uint8Array(256);
  let length: number;
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    length = readSync(fd, bytes, 0, bytes.length, 0);
    closeSync(fd);
  } catch {
    return undefined;
  }
  const text = decodePath(bytes.subarray(0, length));
  if (!text.startsWith("#!")) return undefined;
  return text
    .slice(2)
    .split("\n")[0]!
    .trim()
    .split(/[ \t]+/)
    .filter(Boolean);
}
