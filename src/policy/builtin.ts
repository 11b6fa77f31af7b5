/** The rules that nobody wrote: what is always denied, what is asked by default, what is allowed from the start. */
import { expandBraces } from "./braces.ts";
import { escapeGlob } from "./glob.ts";
import { groupLines, groupRules } from "./groups.ts";
import { isWithin, joinPath } from "./paths.ts";
import { Tier, type Category, type PlacedRule, type RuleAction, type RuleOrigin } from "./rule.ts";
import { settle, type SettleContext } from "./settle.ts";

/** hallpass's own places, as absolute paths. */
export interface OwnPlaces {
  /** `~/.config/hallpass`. */
  readonly config: string;
  /** Logs and what sessions keep, below `~/.local/state`. */
  readonly state: string;
  /** Where the control sockets are. */
  readonly runtime: string;
  /** Files and folders that a session loads: the program, its shim, launcher, WASM, modules. */
  readonly program: readonly string[];
  /** This session's log, where it has one. */
  readonly log?: string;
}

export interface BuiltinContext extends SettleContext {
  readonly own: OwnPlaces;
  /** `--deny-path`, as rule TARGETs (`makeRule` made them canonical). */
  readonly denyPaths?: readonly string[];
}

/** What is denied whatever a rule or `--prompt=allow` says. */
export function builtinRules(context: BuiltinContext): PlacedRule[] {
  const { own, denyPaths = [] } = context;
  const paths = [own.config, own.state, own.runtime, ...own.program, ...(own.log === undefined ? [] : [own.log])];
  const place = placer("builtin", context);
  const denied = (target: string, kind: RuleOrigin["kind"], note: string) =>
    place("deny", "write", target, Tier.builtin, { kind }, note);
  return [
    ...[...new Set(paths)].map((path) => denied(escapeGlob(path), "builtin", "hallpass's own")),
    place("deny", "connect", `unix:${escapeGlob(own.runtime)}`, Tier.builtin, { kind: "builtin" }, "hallpass's own"),
    ...denyPaths.map((target) => denied(target, "flag", "--deny-path")),
  ];
}

export interface ImplicitContext extends SettleContext {
  /** The working directory at the start; absent where nothing is implicit (SPEC §1). */
  readonly project?: string;
  /** Roots at which `@runs-later` guards what editors and agents run; the project where absent. */
  readonly roots?: readonly string[];
  /** `core.hooksPath` of the project's repository, absolute, where it has one. */
  readonly hookFolders?: readonly string[];
  readonly tmpdir?: string;
  /** `--no-implicit`. */
  readonly noImplicit?: boolean;
  /** `--secrets`. */
  readonly secrets?: boolean;
  /** The files that run CMD: the program named on the command line, its interpreter. */
  readonly command?: readonly string[];
}

/** What is asked by default, and what is allowed where nothing else says so. */
export function implicitRules(given: ImplicitContext): PlacedRule[] {
  const context = { mayReplace: inOwnFolders(given), ...given };
  return [...guardRules(context), ...allowedWrites(context), ...allowedPrograms(context), ...quietSockets(context)];
}

/** What is implicitly writable may be the work of an earlier session: a link there is not followed by what allows. */
function inOwnFolders({ project, tmpdir, noImplicit }: ImplicitContext): (path: string) => boolean {
  const folders = noImplicit ? [] : [project, tmpdir].filter((folder) => folder !== undefined);
  return (path) => folders.some((folder) => path !== folder && isWithin(path, folder));
}

function guardRules(context: ImplicitContext): PlacedRule[] {
  const { project, secrets = false, noImplicit = false } = context;
  const guards = project === undefined || noImplicit ? [] : projectGuards(context, project);
  const asked = { tier: Tier.askedByDefault, kind: "builtin" } as const;
  return [
    ...guards,
    ...groupRules("services", { ...context, ...asked }),
    ...(secrets ? groupRules("secrets", { ...context, cwd: project ?? context.cwd, ...asked }) : []),
  ];
}

function projectGuards(context: ImplicitContext, project: string): PlacedRule[] {
  const { roots = [project], hookFolders = [] } = context;
  const asked = { tier: Tier.askedByDefault, kind: "builtin" } as const;
  const place = placer("guard", context);
  return [
    ...groupRules("git-config", { ...context, cwd: project, ...asked }),
    ...[...new Set([project, ...roots])].flatMap((cwd) => groupRules("runs-later", { ...context, cwd, ...asked })),
    ...hookFolders.map((folder) =>
      place(
        "ask",
        "write",
        `${escapeGlob(folder)}/**`,
        Tier.askedByDefault,
        { kind: "builtin", group: "runs-later" },
        "core.hooksPath",
      ),
    ),
    // git puts these into every new repository, and none of them runs.
    place(
      "allow",
      "write",
      `${escapeGlob(project)}/**/.git/**/hooks/*.sample`,
      Tier.allow,
      { kind: "implicit" },
      "git's samples",
    ),
  ];
}

function allowedWrites(context: ImplicitContext): PlacedRule[] {
  if (context.noImplicit) return [];
  const { project, tmpdir } = context;
  const place = placer("implicit", context);
  const folders = [project, tmpdir].filter((folder) => folder !== undefined);
  const implicit = { tier: Tier.implicit, kind: "implicit" } as const;
  const histories = new Set(groupLines("history", context).flatMap(({ rule }) => expandBraces(rule.target) ?? []));
  return [
    ...folders.map((folder) =>
      place("allow", "write", joinPath(escapeGlob(folder), "**"), Tier.implicit, { kind: "implicit" }),
    ),
    ...groupRules("devices", { ...context, ...implicit }).map(keepName),
    // A history that is a link may have been made one by an earlier session, whose rule lets it replace the file.
    ...groupRules("history", { ...context, ...implicit, mayReplace: (path) => histories.has(path) }),
  ];
}

/** A device is written to, not removed. */
function keepName(rule: PlacedRule): PlacedRule {
  return { ...rule, patterns: (rule.patterns ?? [rule.target]).map((target) => `${target}/**`) };
}

function allowedPrograms(context: ImplicitContext): PlacedRule[] {
  const place = placer("command", context);
  const commands = (context.command ?? []).map((program) =>
    place("allow", "exec", escapeGlob(program), Tier.implicit, { kind: "implicit" }, "the program of the command line"),
  );
  return [...commands, ...groupRules("common", { ...context, tier: Tier.implicit, kind: "implicit" })];
}

function quietSockets(context: ImplicitContext): PlacedRule[] {
  return groupRules("quiet-sockets", { ...context, tier: Tier.implicit, kind: "implicit" });
}

function placer(prefix: string, context: SettleContext) {
  let count = 0;
  return (
    action: RuleAction,
    category: Category,
    target: string,
    tier: Tier,
    origin: RuleOrigin,
    note?: string,
  ): PlacedRule =>
    settle(
      { action, category, target, ...(note === undefined ? {} : { note }), id: `${prefix}-${++count}`, tier, origin },
      context,
    );
}
