/** The level a person has in a project or group, and what it gives (CHECKS §4.4). */
import type { Call } from "../../call.ts";
import { allowed, denied, unknown, type Finding } from "../../codes.ts";
import type { Api } from "../../http/api.ts";
import { path } from "../../http/path.ts";
import { idNumber, maybe, maybeFlag, maybeText, maybeWhole, record, type Read } from "../../shared/fields.ts";
import { LEVELS, type GitlabAction } from "./actions.ts";
import type { GitlabUser } from "./identity.ts";
import type { Ask } from "./where.ts";

const Member = record({
  access_level: maybeWhole,
  state: maybeText,
  membership_state: maybeText,
  member_role: maybe(record({ id: idNumber })),
});
export type Member = Read<typeof Member>;

/** Undefined: no member, or no such project. */
export async function findMember(
  { action, id }: Ask,
  user: GitlabUser,
  api: Api,
  call: Call,
): Promise<Member | undefined> {
  const of = action.on === "project" ? path`/projects/${id}` : path`/groups/${id}`;
  return await api.find(Member, call, `${of}/members/all/${user.id}`);
}

/** Undefined where the level gives it. */
export function lacking(action: GitlabAction, member: Member): Finding | undefined {
  const { access_level: level, member_role: role } = member;
  const off = notActive(member);
  if (off !== undefined) return off;
  const name = level === undefined ? undefined : LEVELS.get(level);
  if (level === undefined || name === undefined)
    return unknown("unsupported", "GitLab gives the person a level that is not known");
  if (action.levels.includes(level)) return undefined;
  if (role !== undefined)
    return unknown("unsupported", "the person has a custom role, which may give more than its level");
  if (action.unsure?.includes(level))
    return unknown("unsupported", `whether a ${name} may depends on settings that are not read`);
  return denied(`the person's level, ${name}, does not give it`);
}

/** Undefined for a membership that counts. Only GitLab's paid editions have `membership_state`. */
export function notActive({ state, membership_state: membership }: Member): Finding | undefined {
  if (state === undefined) return unknown("unsupported", "GitLab did not say whether the membership is active");
  const isActive = [state, membership ?? "active"].every((one) => one === "active");
  return isActive ? undefined : denied("the person's membership is not active");
}

const Project = record({ visibility: maybeText, issues_access_level: maybeText, issues_enabled: maybeFlag });
type Project = Read<typeof Project>;

/** For a person who is no member. */
export async function decideOutsider({ action, id }: Ask, user: GitlabUser, api: Api, call: Call): Promise<Finding> {
  const of = action.on === "project" ? path`/projects/${id}` : path`/groups/${id}`;
  const found = await api.find(Project, call, of);
  if (found === undefined)
    return unknown("resource_not_visible", `the ${action.on} is missing, or hallpass cannot see it`);
  const issues = action.open === "issue" ? issuesOf(found) : "enabled";
  if (issues === "disabled") return denied("issues are switched off in the project");
  if (user.isAdmin === true && !action.isMembership) return allowed("the person is an administrator of GitLab");
  if (issues === "private") return denied("only members see the project's issues");
  if (action.open === undefined) return denied(`the person is not a member of the ${action.on}`);
  if (issues === undefined) return unknown("unsupported", "GitLab did not say who may use the project's issues");
  return visible(found, user);
}

function issuesOf({
  issues_access_level: level,
  issues_enabled: isEnabled,
}: Project): "disabled" | "private" | "enabled" | undefined {
  if (isEnabled === false || level === "disabled") return "disabled";
  return level === "private" || level === "enabled" ? level : undefined;
}

function visible({ visibility }: Project, { isExternal }: GitlabUser): Finding {
  if (visibility === "public") return allowed("the project is public");
  if (visibility === "private") return denied("the project is private, and the person is not a member");
  if (visibility !== "internal" || isExternal === undefined)
    return unknown("unsupported", "GitLab did not say whether the project is open to the person");
  return isExternal
    ? denied("the project is internal, and the person an external user")
    : allowed("the project is open to all internal users");
}

/** Undefined where hallpass may not read the group's members. */
export async function isInGroup(id: string, user: GitlabUser, api: Api, call: Call): Promise<boolean | undefined> {
  const reply = await api.get(call, path`/groups/${id}/members/all/${user.id}`, { expect: [403, 404] });
  if (reply.status === 403) return undefined;
  if (reply.status === 404) return false;
  const off = notActive(reply.json(Member));
  return off === undefined ? true : off.code === "denied" ? false : undefined;
}
