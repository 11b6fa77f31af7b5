/** What an answer may allow beyond the one call: rule TARGETs from narrow to wide, and the one to propose (SPEC §4). */
import { ANY_PORT, formatDest, parseDest, type InetDest } from "./dest.ts";
import { escapeGlob, parsePatterns } from "./glob.ts";
import { holdsKeys, holdsPrograms } from "./key-folders.ts";
import { isWithin, joinPath, parentPath } from "./paths.ts";
import { referenceMatch } from "./reference.ts";
import { Tier, type Category, type PlacedRule } from "./rule.ts";
import { toolFolder, type Variables } from "./tool-folders.ts";

export interface WiderContext {
  readonly home: string;
  readonly project?: string;
  /** The session's private one. */
  readonly tmpdir?: string;
  /** Git directories outside the project that belong to it: of a linked worktree, of a submodule. */
  readonly gitDirs?: readonly string[];
  /** The session's environment: tools are told by it where their caches are. */
  readonly variables: Variables;
}

export interface WiderTargets {
  /** Narrowest first; the first is the target itself. */
  readonly targets: readonly string[];
  /** The proposed one. */
  readonly index: number;
}

/** For a request on a real path (path text), or on DEST. */
export function widerTargets(category: Category, target: string, context: WiderContext): WiderTargets {
  if (category === "connect") return widerDest(target);
  if (category === "exec") return widerProgram(target, context);
  const wider = widerWrite(target, context);
  // To read one secret is not to read its neighbours.
  return category === "read" ? { ...wider, index: 0 } : wider;
}

/** Folders of the system that no answer opens as a whole. */
const SYSTEM =
  /^\/(?:bin|boot|dev|etc|home|lib\w*|opt|proc|root|run|sbin|srv|sys|usr(?:\/[^/]+)?|var(?:\/[^/]+)?|home\/[^/]+)$/;

function mayOpen(folder: string, { home }: WiderContext): boolean {
  return folder !== "/" && !isWithin(home, folder) && !SYSTEM.test(folder) && !holdsKeys(folder, home);
}

function widerWrite(path: string, context: WiderContext): WiderTargets {
  const itself = escapeGlob(path);
  const gitDir = context.gitDirs?.find((folder) => isWithin(path, folder));
  if (gitDir !== undefined) return widerGit(path, gitDir);
  const { project } = context;
  if (project !== undefined && isWithin(path, project)) {
    return {
      targets: [itself, ...foldersAbove(path, (folder) => folder !== project && mayOpen(folder, context))],
      index: 0,
    };
  }
  const folders = foldersAbove(path, (folder) => mayOpen(folder, context));
  const tool = toolFolder(path, context.home, context.variables);
  const isTool = tool !== undefined && mayOpen(tool.root, context) && covers(tool.target, path);
  const targets = isTool ? withTool(itself, folders, tool) : [itself, ...folders];
  if (isTool && (tool.isKnown || !holdsPrograms(tool.root, context.home))) {
    return { targets, index: targets.indexOf(tool.target) };
  }
  const parent = parentPath(path);
  return { targets, index: holdsPrograms(parent, context.home) ? 0 : Math.min(1, targets.length - 1) };
}

/** The folders that a path is in, as `DIR/**`, up to the first that must not be opened. */
function foldersAbove(path: string, may: (folder: string) => boolean): string[] {
  const targets: string[] = [];
  for (let folder = parentPath(path); may(folder); folder = parentPath(folder))
    targets.push(`${escapeGlob(folder)}/**`);
  return targets;
}

/** The tool's own target in the place of its folder: after what is narrower, before what is wider. */
function withTool(itself: string, folders: readonly string[], tool: { root: string; target: string }): string[] {
  const narrower = folders.filter((folder) => folder.length > tool.root.length + 3 && folder !== tool.target);
  const wider = folders.filter((folder) => folder.length < tool.root.length + 3 && folder !== tool.target);
  return [itself, ...narrower, tool.target, ...wider];
}

/** What a commit, a fetch or a rebase writes; not the hooks and not the configuration, which run things. */
const GIT_DATA =
  "{{objects,refs,logs,worktrees,info,lfs,rr-cache,rebase-merge,rebase-apply,sequencer}/**,[A-Z]*,index*,packed-refs*,gc.*,shallow*}";

function widerGit(path: string, gitDir: string): WiderTargets {
  const data = joinPath(escapeGlob(gitDir), GIT_DATA);
  const itself = escapeGlob(path);
  return covers(data, path) ? { targets: [itself, data], index: 1 } : { targets: [itself], index: 0 };
}

function covers(target: string, path: string): boolean {
  const rule: PlacedRule = {
    action: "allow",
    category: "write",
    target,
    id: "wider",
    tier: Tier.allow,
    origin: { kind: "session" },
  };
  return parsePatterns(target).length > 0 && referenceMatch([rule], "write", path) === Tier.allow << 28;
}

function widerProgram(path: string, context: WiderContext): WiderTargets {
  const itself = escapeGlob(path);
  const { project } = context;
  if (project !== undefined && isWithin(path, project))
    return { targets: [itself, `${escapeGlob(project)}/**`], index: 1 };
  return { targets: [itself, ...foldersAbove(path, (folder) => mayOpen(folder, context))], index: 0 };
}

/** The address; the address at every port; every address at this port. */
function widerDest(target: string): WiderTargets {
  const dest = parseDest(target, (path) => path);
  if (dest.kind !== "inet" || dest.network === undefined) return { targets: [target], index: 0 };
  const protocol = dest.protocol === undefined ? {} : { protocol: dest.protocol };
  const anyPort: InetDest = { kind: "inet", network: dest.network, ports: ANY_PORT };
  const anyAddress: InetDest = { kind: "inet", ...protocol, ports: dest.ports };
  return { targets: [...new Set([formatDest(dest), formatDest(anyPort), formatDest(anyAddress)])], index: 0 };
}
