/** Who calls and from where: what the command line is read against. */
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { HallpassError } from "../errors.ts";
import type { Place } from "../control/folder.ts";

export interface Context extends Place {
  /** The real path of the working directory of whoever called. */
  readonly cwd: string;
}

/** `cwd` as the starter hands it over: hallpass itself works in its own folder, so that no file of a project configures it. */
export function readContext(cwd: string, env: Readonly<Record<string, string | undefined>>): Context {
  return { cwd: realCwd(cwd), env, home: realHome(env), uid: process.getuid?.() ?? 0 };
}

function realCwd(cwd: string): string {
  try {
    return realpathSync(cwd);
  } catch {
    throw new HallpassError(
      `the working directory ${cwd} is gone or cannot be entered; start hallpass from another one`,
    );
  }
}

function realHome(env: Readonly<Record<string, string | undefined>>): string {
  const home = env.HOME?.startsWith("/") ? env.HOME : homedir();
  try {
    return realpathSync(home);
  } catch {
    return home;
  }
}

/** Sessions, logs and other state of hallpass that outlives a session. */
export function stateFolder({ env, home }: Place): string {
  const state = env.XDG_STATE_HOME?.startsWith("/") ? env.XDG_STATE_HOME : `${home}/.local/state`;
  return `${state}/hallpass`;
}
