/** What a session is set in: its project and places, and the rules that are in force when it starts. */
import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { sessionFolder } from "../../control/folder.ts";
import {
  type ImplicitContext,
  keyFolders,
  openDisk,
  type OwnPlaces,
  type PlacedRule,
  type SettleContext,
  widerTargets,
} from "../../policy/index.ts";
import type { PendingCall } from "../../session/request.ts";
import type { Wider } from "../../session/judge.ts";
import { type Context, stateFolder } from "../context.ts";
import { isBundled, TREE } from "../../tree.ts";
import type { FlagRule } from "../run-options.ts";
import { chooseProject } from "../project.ts";
import type { Program } from "../find-program.ts";
import type { Run } from "../run.ts";
import { gitPlaces } from "./git-places.ts";
import { startRules } from "./rules.ts";
import { StartCache } from "./start-cache.ts";

export interface Setting {
  /** The working directory; `hasProject` where it is taken as one. */
  readonly project: string;
  readonly hasProject: boolean;
  readonly tmpdir: string;
  readonly rules: readonly PlacedRule[];
  /** The rules compiled, where an earlier session has done it; else `keep` takes them for a later one. */
  readonly tables: Uint8Array | undefined;
  keep(tables: Uint8Array): void;
  readonly say: readonly string[];
  /** For a rule that is made now: links are followed as they are now. */
  settleContext(): SettleContext;
  wider(call: PendingCall): Wider;
}

/** The root of hallpass's own tree. */
const OWN = realpathSync(TREE);
/** What a session loads, or may yet load. */
const LOADED = [
  "bin",
  "build",
  "src",
  "ffi",
  "policy-wasm",
  "tui",
  "web",
  "node_modules",
  ".tools",
  "package.json",
  "tsconfig.json",
];

export function settingFor(
  { options, context, program }: Pick<Run, "options" | "context"> & { readonly program: Pick<Program, "runs"> },
  tmpdir: string,
  log: string | undefined,
): Setting {
  const { cwd, home, env } = context;
  const chosen = chooseProject(cwd, home, keyFolders(home));
  const hasProject = options.implicit && chosen.notice === undefined;
  const git = hasProject ? gitPlaces(cwd, home) : { gitDirs: [], hookFolders: [] };
  const settleContext = (): SettleContext => ({
    home,
    cwd,
    disk: openDisk(),
    path: (env.PATH ?? "").split(":").filter(Boolean),
  });
  const implicit: Omit<ImplicitContext, keyof SettleContext> = {
    ...(hasProject ? { project: cwd, hookFolders: git.hookFolders } : {}),
    ...(options.implicit ? { tmpdir } : {}),
    noImplicit: !options.implicit,
    secrets: options.secrets,
    command: program.runs,
  };
  const wider = { home, tmpdir, gitDirs: git.gitDirs, variables: env, ...(hasProject ? { project: cwd } : {}) };
  const own = ownPlaces(context, log);
  const inputs = [home, cwd, env.PATH, own, implicit, options.rules.map(withText(cwd))];
  const cache = isBundled ? new StartCache(`${stateFolder(context)}/start`, inputs) : undefined;
  const kept = cache?.load();
  const seen = cache && !kept ? cache.recording(settleContext()) : settleContext();
  const rules = kept?.rules ?? startRules({ options, context: seen, own, implicit });
  return {
    project: cwd,
    hasProject,
    tmpdir,
    rules,
    tables: kept?.tables,
    keep: (tables) => {
      if (!kept) cache?.save({ rules, tables });
    },
    say: options.implicit && chosen.notice !== undefined ? [chosen.notice] : [],
    settleContext,
    wider: ({ category, target }) => widerTargets(category, target, wider),
  };
}

/** A rule file stands for what is in it. */
function withText(cwd: string): (rule: FlagRule) => unknown {
  return (rule) =>
    rule.type === "file" ? [rule, readIfThere(rule.file.startsWith("/") ? rule.file : `${cwd}/${rule.file}`)] : rule;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function ownPlaces(context: Context, log: string | undefined): OwnPlaces {
  return {
    config: `${context.home}/.config/hallpass`,
    state: stateFolder(context),
    runtime: sessionFolder(context),
    program: LOADED.map((name) => join(OWN, name)),
    ...(log === undefined ? {} : { log }),
  };
}
