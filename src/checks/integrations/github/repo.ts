/** What a person may do in a repository: the level they have, and what the action needs besides (CHECKS §4.3). */
import type { Call } from "../../call.ts";
import { allowed, denied, stop, unknown, type Finding } from "../../codes.ts";
import { path } from "../../http/path.ts";
import { maybe, maybeFlag, maybeText, record, type Read } from "../../shared/fields.ts";
import { LEVELS, type Level, type RepoNeed } from "./actions.ts";
import { decideBranch } from "./branch.ts";
import type { Place } from "./membership.ts";
import type { Ask } from "./where.ts";

const flags = { pull: maybeFlag, triage: maybeFlag, push: maybeFlag, maintain: maybeFlag, admin: maybeFlag };
const Permission = record({
  permission: maybeText,
  role_name: maybeText,
  user: record({ permissions: maybe(record(flags)) }),
});
type Permission = Read<typeof Permission>;

/** How far up LEVELS each role of GitHub's own reaches. */
const ROLES: Readonly<Record<string, number>> = { none: 0, read: 1, triage: 2, write: 3, maintain: 4, admin: 5 };

export async function decideRepo(
  need: RepoNeed,
  { name, branch }: Ask,
  login: string,
  place: Place,
  call: Call,
): Promise<Finding> {
  const { api, organization } = place;
  const asked = path`/repos/${organization}/${name}/collaborators/${login}/permission`;
  const permission = await api.find(Permission, call, asked);
  if (permission === undefined) throw notVisible();
  const lacks = lacking(permission, need.level);
  if (lacks !== undefined) return lacks;
  const yes = allowed(`the person's role in the repository gives ${need.level}`);
  if (need.also === "issues") return (await lacksIssues(name, place, call)) ?? yes;
  if (need.also === "fork") return (await lacksFork(permission, name, place, call)) ?? yes;
  if (branch === undefined || need.also === undefined) return yes;
  const isAdmin = holds(permission, "admin");
  return await decideBranch({ need: need.also, name, branch, login, isAdmin }, place, call);
}

/** Undefined where the level is held. */
function lacking(permission: Permission, level: Level): Finding | undefined {
  const isHeld = holds(permission, level);
  if (isHeld) return undefined;
  const { role_name: role } = permission;
  if (isHeld === undefined || (role !== undefined && !isBase(role)))
    return unknown("unsupported", "the person has a custom role, or one of which GitHub did not say what it gives");
  return denied(`the person's role in the repository does not give ${level}`);
}

/** Undefined where GitHub did not say. */
function holds({ permission, role_name: role, user }: Permission, level: Level): boolean | undefined {
  const said = user.permissions?.[level];
  if (said !== undefined) return said;
  if (role !== undefined) return isBase(role) ? reaches(role, level) : undefined;
  // Without the role's name maintain shows as write and triage as read.
  const isLossy = (permission === "write" && level === "maintain") || (permission === "read" && level === "triage");
  return permission === undefined || isLossy || !isBase(permission) ? undefined : reaches(permission, level);
}

function isBase(role: string): boolean {
  return Object.hasOwn(ROLES, role);
}

function reaches(role: string, level: Level): boolean {
  return (ROLES[role] ?? 0) > LEVELS.indexOf(level);
}

const Settings = record({ has_issues: maybeFlag, allow_forking: maybeFlag });

async function readSettings(name: string, { api, organization }: Place, call: Call): Promise<Read<typeof Settings>> {
  const settings = await api.find(Settings, call, path`/repos/${organization}/${name}`);
  if (settings === undefined) throw notVisible();
  return settings;
}

async function lacksIssues(name: string, place: Place, call: Call): Promise<Finding | undefined> {
  const { has_issues: has } = await readSettings(name, place, call);
  if (has === undefined) return unknown("unsupported", "GitHub did not say whether the repository has issues");
  return has ? undefined : denied("issues are switched off in the repository");
}

async function lacksFork(permission: Permission, name: string, place: Place, call: Call): Promise<Finding | undefined> {
  if (holds(permission, "push")) return undefined;
  const { allow_forking: may } = await readSettings(name, place, call);
  if (may === undefined) return unknown("unsupported", "GitHub did not say whether the repository may be forked");
  return may ? undefined : denied("the person can neither push to the repository nor fork it");
}

function notVisible(): Error {
  return stop("resource_not_visible", "the repository is missing, or the App cannot see it or the person in it");
}
