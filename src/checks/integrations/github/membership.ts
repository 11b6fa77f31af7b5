/** Membership in the organization and its teams (CHECKS §4.3). */
import type { Call } from "../../call.ts";
import { allowed, denied, stop, unknown, type Finding } from "../../codes.ts";
import type { Api } from "../../http/api.ts";
import { path } from "../../http/path.ts";
import { maybeFlag, maybeText, record } from "../../shared/fields.ts";
import type { OrgNeed, TeamNeed } from "./actions.ts";

export interface Place {
  readonly api: Api;
  readonly organization: string;
}

const Membership = record({ state: maybeText, role: maybeText });

export async function decideOrg({ right }: OrgNeed, login: string, place: Place, call: Call): Promise<Finding> {
  const { api, organization } = place;
  const found = await api.find(Membership, call, path`/orgs/${organization}/memberships/${login}`);
  if (found === undefined) return denied("the person is not a member of the organization");
  const held = notActive(found.state);
  if (held !== undefined) return held;
  if (right === "member") return allowed("the person is a member of the organization");
  if (found.role === "admin") return allowed("the person owns the organization");
  if (found.role !== "member" && found.role !== "billing_manager")
    return unknown("unsupported", "GitHub did not say which role the person has in the organization");
  return right === "admin" ? denied("the person does not own the organization") : await mayCreate(place, call);
}

async function mayCreate({ api, organization }: Place, call: Call): Promise<Finding> {
  const Settings = record({ members_can_create_repositories: maybeFlag });
  const { members_can_create_repositories: may } = await api.read(Settings, call, path`/orgs/${organization}`);
  if (may === undefined) return unknown("unsupported", "GitHub did not say whether members may create repositories");
  return may ? allowed("members may create repositories") : denied("only owners may create repositories");
}

export async function decideTeam(
  { role }: TeamNeed,
  slug: string,
  login: string,
  place: Place,
  call: Call,
): Promise<Finding> {
  const found = await teamMembership(slug, login, place, call);
  if (found === "no team") return unknown("resource_not_visible", "the team is missing, or the App cannot see it");
  if (found === "no member") return denied("the person is not a member of the team");
  const held = notActive(found.state);
  if (held !== undefined) return held;
  if (role === "member") return allowed("the person is a member of the team");
  if (found.role === "maintainer") return allowed("the person maintains the team");
  return found.role === "member"
    ? denied("the person does not maintain the team")
    : unknown("unsupported", "GitHub did not say which role the person has in the team");
}

/** Whether the person is an active member of a team that a branch is restricted to. Throws `unsupported` where that is not known. */
export async function isInTeam(slug: string, login: string, place: Place, call: Call): Promise<boolean> {
  const found = await teamMembership(slug, login, place, call, [403]);
  if (found === "no team") throw stop("unsupported", "a team that the branch is restricted to cannot be read");
  if (found === "no member") return false;
  if (found.state !== "active" && found.state !== "pending")
    throw stop("unsupported", "GitHub did not say whether the person is in a team that the branch is restricted to");
  return found.state === "active";
}

interface Found {
  readonly state: string | undefined;
  readonly role: string | undefined;
}

/** GitHub answers 404 both for a person not in the team and for a team it does not show. */
async function teamMembership(
  slug: string,
  login: string,
  { api, organization }: Place,
  call: Call,
  unreadable: readonly number[] = [],
): Promise<Found | "no team" | "no member"> {
  const membership = path`/orgs/${organization}/teams/${slug}/memberships/${login}`;
  const reply = await api.get(call, membership, { expect: [404, ...unreadable] });
  if (reply.status < 400) return reply.json(Membership);
  if (reply.status !== 404) return "no team";
  const team = await api.get(call, path`/orgs/${organization}/teams/${slug}`, { expect: [404, ...unreadable] });
  return team.status >= 400 ? "no team" : "no member";
}

/** Undefined for a membership that counts. */
function notActive(state: string | undefined): Finding | undefined {
  if (state === "active") return undefined;
  if (state === "pending") return denied("the person has not accepted the invitation yet");
  return unknown("unsupported", "GitHub did not say whether the membership is active");
}
