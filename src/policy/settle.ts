/**
 * What a rule's target stands for at the time it is made or loaded: links followed, names looked up in $PATH, groups
 * written out. It stays so: a link changed later never moves a rule (SPEC §3).
 */
import { expandBraces } from "./braces.ts";
import { destOf } from "./compile.ts";
import { formatDest } from "./dest.ts";
import { escapeGlob } from "./glob.ts";
import { groupTargets } from "./group-targets.ts";
import { follow, type Disk, type Followed } from "./links.ts";
import { hasGlob, joinPath, type Places } from "./paths.ts";
import { lookUp } from "./programs.ts";
import type { Rule } from "./rule.ts";

export interface SettleContext extends Places {
  readonly disk: Disk;
  /** The folders of the session's $PATH. */
  readonly path: readonly string[];
  /**
   * Whether a sandbox can have put what is at a real path there (see settle-together.ts). What allows follows no such
   * link: else a folder of the project, swapped for a link to ~/.ssh, would open ~/.ssh to the next session.
   */
  readonly mayReplace?: (path: string) => boolean;
}

/** The rule with its `patterns`. */
export function settle<R extends Rule>(rule: R, context: SettleContext): R {
  const patterns = [...new Set(standsFor(rule, context))];
  const isItself = patterns.length === 1 && patterns[0] === rule.target;
  return isItself ? rule : { ...rule, patterns };
}

function standsFor(rule: Rule, context: SettleContext): string[] {
  const { mayReplace } = context;
  const disk = rule.action === "allow" && mayReplace !== undefined ? trusted(context.disk, mayReplace) : context.disk;
  if (rule.target.startsWith("@")) return groupPatterns(rule, context);
  if (rule.category === "connect") return destPatterns(rule, disk);
  if (rule.category === "exec" && !rule.target.includes("/")) return programs(rule, [rule.target], context);
  return pathPatterns(rule.target, disk, rule.action !== "allow");
}

function trusted(disk: Disk, mayReplace: (path: string) => boolean): Disk {
  return { ...disk, readlink: (path) => (mayReplace(path) ? undefined : disk.readlink(path)) };
}

/** The members of a group; what they say (allow, ask) is the rule's to say. */
function groupPatterns(rule: Rule, context: SettleContext): string[] {
  const targets = groupTargets(rule.target.slice(1), rule.category, context);
  const isName = (target: string) => rule.category === "exec" && !target.includes("/") && !target.startsWith("@");
  return [
    ...programs(rule, targets.filter(isName), context),
    ...targets.filter((target) => !isName(target)).flatMap((target) => standsFor({ ...rule, target }, context)),
  ];
}

function programs({ action }: Rule, names: readonly string[], context: SettleContext): string[] {
  return lookUp(names, context, action === "allow" ? "there" : "anywhere");
}

function destPatterns(rule: Rule, disk: Disk): string[] {
  const dest = destOf(rule.target);
  if (dest.kind !== "unix") return [rule.target];
  const globs = pathPatterns(dest.glob, disk, rule.action !== "allow");
  return globs.map((glob) => formatDest({ kind: "unix", glob }));
}

/**
 * The glob with the names before its first glob character followed through links. With `withLinks` the links passed on
 * the way stand for themselves too: what forbids a path must not be got around by replacing a link to it.
 */
function pathPatterns(target: string, disk: Disk, withLinks: boolean): string[] {
  const followed = new Map<string, Followed>();
  return (expandBraces(target) ?? [target]).flatMap((glob) => {
    const names = glob.split("/").filter((name) => name !== "");
    const first = names.findIndex(hasGlob);
    const literal = (first < 0 ? names : names.slice(0, first)).map((name) => name.replace(/\\(.)/gsu, "$1"));
    const begins = `/${literal.join("/")}`;
    const { path, links } = followed.get(begins) ?? follow(begins, disk);
    followed.set(begins, { path, links });
    const rest = first < 0 ? [] : names.slice(first);
    const whole = rest.reduce((folder, name) => joinPath(folder, name), escapeGlob(path));
    return [whole, ...(withLinks ? links.map(escapeGlob) : [])];
  });
}
