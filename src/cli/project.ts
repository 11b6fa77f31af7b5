/** The project, and when a working directory is none: then nothing is writable without a rule. */
import { isWithin } from "../policy/paths.ts";

export interface Project {
  readonly path: string;
  /** What the user is told where the folder is not taken as a project. */
  readonly notice?: string;
}

/** `keyFolders`: the folders that hold keys, as real paths. */
export function chooseProject(cwd: string, home: string, keyFolders: readonly string[]): Project {
  const why = whyNotProject(cwd, home, keyFolders);
  if (why === undefined) return { path: cwd };
  return {
    path: cwd,
    notice: `${cwd} is ${why}, so nothing in it is writable without asking; start hallpass in a project's folder`,
  };
}

function whyNotProject(cwd: string, home: string, keyFolders: readonly string[]): string | undefined {
  if (cwd === "/") return "the root of the file system";
  if (cwd === home) return "your home";
  if (isWithin(home, cwd)) return "above your home";
  const holds = keyFolders.some((folder) => isWithin(cwd, folder) || isWithin(folder, cwd));
  return holds ? "a folder that holds keys" : undefined;
}
