/** Channels, and whether a person is in one (CHECKS §4.8). */
import type { Call } from "../../call.ts";
import { stop } from "../../codes.ts";
import { unreadable } from "../../http/reply.ts";
import { anything, maybe, maybeFlag, record, reported, text, type Read } from "../../shared/fields.ts";
import { firstInPages } from "../../shared/paging.ts";
import type { SlackUser } from "./identity.ts";
import { Restriction } from "./posting.ts";
import type { WebApi } from "./web-api.ts";

const Channel = record({
  id: text,
  is_private: maybeFlag,
  is_archived: maybeFlag,
  is_general: maybeFlag,
  properties: record({ posting_restricted_to: maybe(Restriction) }),
});

export interface SlackChannel extends Omit<Read<typeof Channel>, "is_private" | "is_archived"> {
  readonly is_private: boolean;
  readonly is_archived: boolean;
}

export async function findChannel(slack: WebApi, id: string, call: Call): Promise<SlackChannel> {
  const { channel } = await slack.read(record({ channel: Channel }), call, "conversations.info", { channel: id });
  const { is_private: isPrivate, is_archived: isArchived } = channel;
  if (channel.id !== id) throw unreadable();
  if (isPrivate === undefined || isArchived === undefined)
    throw stop("unsupported", "Slack did not say whether the channel is private or archived");
  return { ...channel, is_private: isPrivate, is_archived: isArchived };
}

const OF_USER = { method: "users.conversations", pages: 5, limit: 999 };
const OF_CHANNEL = { method: "conversations.members", pages: 50, limit: 1000 };

/** The person's channels first: most people are in fewer channels than a channel has people. */
export async function isMember(slack: WebApi, user: SlackUser, channel: string, call: Call): Promise<boolean> {
  const Channels = record({ channels: reported(record({ id: text })) });
  const types = "public_channel,private_channel";
  const mine = await firstInPages(
    "",
    async (cursor: string) => {
      const query = { user: user.id, types, limit: OF_USER.limit, cursor: cursor || undefined };
      return await slack.page(Channels, call, OF_USER.method, query, ({ channels }) => channels);
    },
    (channels) => channels.some(({ id }) => id === channel) || undefined,
    OF_USER.pages,
  );
  return mine.found ?? (mine.truncated && (await isListed(slack, user, channel, call)));
}

async function isListed(slack: WebApi, user: SlackUser, channel: string, call: Call): Promise<boolean> {
  const Members = record({ members: reported(text) });
  const { found, truncated } = await firstInPages(
    "",
    async (cursor: string) => {
      const query = { channel, limit: OF_CHANNEL.limit, cursor: cursor || undefined };
      return await slack.page(Members, call, OF_CHANNEL.method, query, ({ members }) => members);
    },
    (members) => members.includes(user.id) || undefined,
    OF_CHANNEL.pages,
  );
  if (found === undefined && truncated) throw stop("unsupported", "the channel has more members than are read");
  return found ?? false;
}

/** `who_can_post_general`, in whatever form. */
export async function ruleOfGeneral(slack: WebApi, call: Call): Promise<unknown> {
  return (await slack.read(record({ who_can_post_general: anything }), call, "team.preferences.list"))
    .who_can_post_general;
}

/** `resource_not_visible` for a group that is not listed. */
export async function isInUserGroup(slack: WebApi, user: SlackUser, id: string, call: Call): Promise<boolean> {
  const Groups = record({ usergroups: reported(record({ id: text, users: maybe(reported(text)) })) });
  const { usergroups } = await slack.read(Groups, call, "usergroups.list", { include_users: true });
  const group = usergroups.find((one) => one.id === id);
  if (group === undefined) throw stop("resource_not_visible", "the user group is missing or switched off");
  if (group.users === undefined) throw stop("unsupported", "Slack did not say who is in the user group");
  return group.users.includes(user.id);
}
