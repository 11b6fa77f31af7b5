/** What protects a branch, for a person who may push to the repository: rules, and classic protection (CHECKS §4.3). */
import { z } from "zod";
import type { Call } from "../../call.ts";
import { allowed, denied, Stop, stop, unknown, type Finding } from "../../codes.ts";
import { path } from "../../http/path.ts";
import type { Reply } from "../../http/reply.ts";
import { anything, maybe, maybeFlag, record, reported, text, type Read } from "../../shared/fields.ts";
import { allPages, linkNext } from "../../shared/paging.ts";
import { isLimited, refusal } from "./app.ts";
import { isInTeam, type Place } from "./membership.ts";
import { SLUG } from "./where.ts";

export interface BranchAsk {
  readonly need: "push" | "merge";
  /** The repository. */
  readonly name: string;
  readonly branch: string;
  readonly login: string;
  /** Undefined where GitHub did not say. */
  readonly isAdmin: boolean | undefined;
}

const Restrictions = record({ users: reported(record({ login: text })), teams: reported(record({ slug: text })) });
// No `record`: an answer that is null is not a branch without protection.
const Protection = z.object({
  restrictions: maybe(Restrictions),
  enforce_admins: maybe(record({ enabled: maybeFlag })),
  required_pull_request_reviews: maybe(record({ url: anything })),
});
type Protection = Read<typeof Protection>;

/** Rules under which nobody pushes but who may bypass them, and of those GitHub does not tell. */
const STOPPING = ["pull_request", "update", "merge_queue"];

export async function decideBranch(ask: BranchAsk, place: Place, call: Call): Promise<Finding> {
  const rules = await rulesOf(ask, place, call);
  const protection = await protectionOf(ask, place, call);
  const stopped =
    (protection && (await restricted(protection, ask, place, call))) ??
    ruled(rules, ask) ??
    (protection && reviewed(protection, ask));
  if (stopped !== undefined) return stopped;
  const known = rules.length === 0 ? "" : `; its rules are of the types ${rules.join(", ")}`;
  return allowed(`nothing that is read of the branch's protection stops the person${known}`);
}

/** The types of the rules that are in force. */
async function rulesOf({ name, branch }: BranchAsk, { api, organization }: Place, call: Call): Promise<string[]> {
  const first = path`/repos/${organization}/${name}/rules/branches/${branch}`;
  const rules = await allPages(first, async (page: string) => {
    const reply = readable(await api.get(call, page, { expect: [403, 404] }));
    if (reply.status === 404) throw stop("resource_not_visible", "the branch's rules are not visible to the App");
    const link = linkNext(reply.headers.link);
    return {
      items: reply.json(z.array(record({ type: text }))),
      next: link === undefined ? undefined : api.next(link),
    };
  });
  const types = [...new Set(rules.map(({ type }) => type))];
  if (!types.every((type) => /^[a-z_]{1,64}$/.test(type))) throw stop("upstream_error", "a rule has no type");
  return types;
}

async function protectionOf(
  { name, branch }: BranchAsk,
  { api, organization }: Place,
  call: Call,
): Promise<Protection | undefined> {
  const asked = path`/repos/${organization}/${name}/branches/${branch}/protection`;
  const reply = readable(await api.get(call, asked, { expect: [403, 404] }));
  return reply.status === 404 ? undefined : reply.json(Protection);
}

function readable(reply: Reply): Reply {
  if (reply.status !== 403) return reply;
  const meaning = isLimited(reply) ? refusal(reply) : undefined;
  throw meaning ? new Stop(meaning) : stop("unsupported", "the App may not read how the branch is protected");
}

/** Classic restrictions on who pushes; undefined where they do not stop the person. */
async function restricted(
  protection: Protection,
  ask: BranchAsk,
  place: Place,
  call: Call,
): Promise<Finding | undefined> {
  const { restrictions } = protection;
  if (restrictions === undefined || (await isListed(restrictions, ask, place, call))) return undefined;
  const why = "the branch is restricted to people the person is not one of";
  return exempt(protection, ask, ask.need === "merge" ? unknown("unsupported", why) : denied(why));
}

async function isListed(
  { users, teams }: Read<typeof Restrictions>,
  { login }: BranchAsk,
  place: Place,
  call: Call,
): Promise<boolean> {
  if (users.some((user) => user.login.toLowerCase() === login.toLowerCase())) return true;
  const doubts: Stop[] = [];
  for (const { slug } of teams) {
    try {
      if (await isInTeam(checked(slug), login, place, call)) return true;
    } catch (error) {
      if (!(error instanceof Stop && error.finding.code === "unsupported")) throw error;
      doubts.push(error);
    }
  }
  if (doubts[0] !== undefined) throw doubts[0];
  return false;
}

function checked(slug: string): string {
  if (!SLUG.test(slug)) throw stop("unsupported", "the branch is restricted to a team with an odd name");
  return slug;
}

function ruled(types: readonly string[], { need }: BranchAsk): Finding | undefined {
  const stopping = types.filter((type) => STOPPING.includes(type));
  if (need === "merge" || stopping.length === 0) return undefined;
  const why = `the branch has rules of the types ${stopping.join(", ")}, and who bypasses them is not known`;
  return unknown("unsupported", why);
}

function reviewed(protection: Protection, ask: BranchAsk): Finding | undefined {
  if (ask.need === "merge" || protection.required_pull_request_reviews === undefined) return undefined;
  return exempt(protection, ask, unknown("unsupported", "the branch takes reviewed pull requests only"));
}

/** `finding`, or undefined for an administrator whom the protection does not bind. */
function exempt(
  { enforce_admins: enforced }: Protection,
  { isAdmin }: BranchAsk,
  finding: Finding,
): Finding | undefined {
  if (isAdmin === false || enforced?.enabled === true) return finding;
  if (isAdmin === true && enforced?.enabled === false) return undefined;
  return unknown("unsupported", "GitHub did not say whether the protection binds the person as an administrator");
}
