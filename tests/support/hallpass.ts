/** Running hallpass as a user would: without a terminal and to the end, or on a terminal (TerminalProgram). */
import { join } from "node:path";
import { TerminalProgram, type TerminalOptions } from "./terminal.ts";
import { asUser, treeFor, userEnv, type User } from "./user.ts";
import type { Places } from "./places.ts";
import { hallpassElsewhere, hallpassProgram } from "./tree.ts";

export interface RunOptions {
  readonly cwd?: string;
  readonly user?: User;
  /** For `run` the whole environment; for `hallpass` added to that of the tests or of `user`. */
  readonly env?: Record<string, string>;
  readonly stdin?: string;
  readonly timeoutMs?: number;
}

export interface Ended {
  /** As a shell says it: the exit code, 128+N where signal N ended it; 124 at the time limit. */
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The words that start hallpass as `user` (or as whoever runs the tests). */
export function hallpassFor(user?: User): string[] {
  if (user === undefined) return [hallpassProgram];
  return [...asUser(user), hallpassElsewhere ?? join(treeFor(user), "bin", "hallpass")];
}

export async function run(command: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const child = Bun.spawn([...command], {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: options.env ?? process.env,
    stdin: options.stdin === undefined ? "ignore" : new TextEncoder().encode(options.stdin),
    stdout: "pipe",
    stderr: "pipe",
  });
  let isLate = false;
  const alarm = setTimeout(() => {
    isLate = true;
    child.kill("SIGKILL");
  }, options.timeoutMs ?? 60_000);
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  clearTimeout(alarm);
  return { status: isLate ? 124 : code, stdout, stderr };
}

/** The whole environment a program gets: that of a login of `user`, or the tests' own, and `extra`. */
export function environment(places: Places, user?: User, extra?: Record<string, string>): Record<string, string> {
  const base = user === undefined ? (process.env as Record<string, string>) : userEnv(user, places.root);
  return { ...base, ...extra };
}

/** `hallpass ARGS` in the project of `places`, to its end. */
export function hallpass(places: Places, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const env = environment(places, options.user, options.env);
  return run([...hallpassFor(options.user), ...args], { cwd: places.project, ...options, env });
}

/** `hallpass ARGS` in the project of `places`, on a terminal. */
export function hallpassOnTerminal(
  places: Places,
  args: readonly string[],
  options: TerminalOptions & { readonly user?: User } = {},
): TerminalProgram {
  const env = environment(places, options.user, options.env);
  return new TerminalProgram([...hallpassFor(options.user), ...args], { cwd: places.project, ...options, env });
}
