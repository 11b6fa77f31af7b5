/** The person's Slack account, and what Slack says of its rank (CHECKS §4.8). */
import type { Call } from "../../call.ts";
import { denied, stop, Stop, userNotFound } from "../../codes.ts";
import { unreadable } from "../../http/reply.ts";
import { isEmail } from "../../shared/emails.ts";
import { flag, maybe, maybeFlag, maybeText, record, text, type Read } from "../../shared/fields.ts";
import type { WebApi } from "./web-api.ts";

const User = record({
  id: text,
  team_id: text,
  deleted: maybeFlag,
  is_bot: maybeFlag,
  // There only where it is true.
  is_invited_user: flag,
  is_stranger: flag,
  is_admin: maybeFlag,
  is_owner: maybeFlag,
  is_primary_owner: maybeFlag,
  is_restricted: maybeFlag,
  is_ultra_restricted: maybeFlag,
  enterprise_user: maybe(record({ is_admin: maybeFlag, is_owner: maybeFlag })),
  profile: record({ email: maybeText }),
});
type User = Read<typeof User>;

/** Flags are undefined where Slack did not report enough to tell. */
export interface SlackUser {
  readonly id: string;
  /** "" where Slack did not report it. */
  readonly teamId: string;
  readonly isStranger: boolean;
  readonly isGuest: boolean | undefined;
  /** Admins, owners and the primary owner. */
  readonly isAdmin: boolean | undefined;
  readonly isOwner: boolean | undefined;
  /** Of the Enterprise Grid organization. */
  readonly isOrgAdmin: boolean | undefined;
}

export async function findUser(slack: WebApi, email: string, call: Call): Promise<SlackUser> {
  const { user } = await slack.read(record({ user: User }), call, "users.lookupByEmail", { email });
  if (user.id === "") throw unreadable();
  if (user.profile.email !== undefined && !isEmail(email, user.profile.email)) throw new Stop(userNotFound());
  refuseUnusable(user);
  const owner = either(user.is_owner, user.is_primary_owner);
  const org = user.enterprise_user;
  return {
    id: user.id,
    teamId: user.team_id,
    isStranger: user.is_stranger,
    isGuest: either(user.is_restricted, user.is_ultra_restricted),
    isAdmin: either(user.is_admin, owner),
    isOwner: owner,
    isOrgAdmin: org && either(org.is_admin, org.is_owner),
  };
}

function refuseUnusable({ id, deleted, is_bot: isBot, is_invited_user: isInvited }: User): void {
  if (deleted === true) throw new Stop(denied("the person's account is deactivated"));
  if (isBot === true || id === "USLACKBOT") throw new Stop(denied("the account is a bot's"));
  if (isInvited) throw new Stop(denied("the person has not accepted the invitation yet"));
  if (deleted === undefined || isBot === undefined)
    throw stop("unsupported", "Slack did not say whether the account is active and a person's");
}

/** True for one that is, false for two that are not. */
function either(a: boolean | undefined, b: boolean | undefined): boolean | undefined {
  if (a === true || b === true) return true;
  return a === undefined || b === undefined ? undefined : false;
}
