/** Where the git directory of the project is, and which hook folder its configuration names. */
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { gitConfigValue, isWithin, parentPath } from "../../policy/index.ts";

export interface GitPlaces {
  /** Git directories outside the project that belong to it: of a linked worktree, of a submodule, of a repository above. */
  readonly gitDirs: readonly string[];
  /** `core.hooksPath`, absolute. */
  readonly hookFolders: readonly string[];
}

const FILE_MOST = 1 << 20;

export function gitPlaces(project: string, home: string): GitPlaces {
  const dotGit = findDotGit(project);
  const gitDir = dotGit && gitDirOf(dotGit);
  if (!gitDir) return { gitDirs: [], hookFolders: [] };
  const common = commonDirOf(gitDir);
  const outside = [common, gitDir].filter((folder) => !isWithin(folder, project));
  const dirs = outside.filter((folder, at) => !outside.slice(0, at).some((other) => isWithin(folder, other)));
  return { gitDirs: dirs, hookFolders: hookFolders(common, parentPath(dotGit), home) };
}

function findDotGit(project: string): string | undefined {
  for (let folder = project; ; folder = parentPath(folder)) {
    const path = `${folder === "/" ? "" : folder}/.git`;
    if (existsSync(path)) return path;
    if (folder === "/") return undefined;
  }
}

/** `.git` itself, or the folder that a `.git` file names, where it is one of git's. */
function gitDirOf(dotGit: string): string | undefined {
  try {
    if (statSync(dotGit).isDirectory()) return realpathSync(dotGit);
    const named = /^gitdir: (.+)$/m.exec(read(dotGit))?.[1];
    const folder = named && realpathSync(absolute(named, parentPath(dotGit)));
    return folder && existsSync(`${folder}/HEAD`) ? folder : undefined;
  } catch {
    return undefined;
  }
}

function commonDirOf(gitDir: string): string {
  try {
    return realpathSync(absolute(read(`${gitDir}/commondir`).trim(), gitDir));
  } catch {
    return gitDir;
  }
}

function hookFolders(common: string, worktree: string, home: string): string[] {
  try {
    const value = gitConfigValue(Buffer.from(read(`${common}/config`)), "core.hooksPath");
    return value === undefined || value === "" ? [] : [absolute(value.replace(/^~(?=\/|$)/, home), worktree)];
  } catch {
    return [];
  }
}

function absolute(path: string, folder: string): string {
  return path.startsWith("/") ? path : `${folder}/${path}`;
}

function read(path: string): string {
  if (statSync(path).size > FILE_MOST) throw new Error(`${path} is too long`);
  return readFileSync(path, "utf8");
}
