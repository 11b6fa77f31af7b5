/** Who may post: the workspace's rule for #general, and a channel's own restriction (CHECKS §4.8). */
import { z } from "zod";
import { stop } from "../../codes.ts";
import { maybe, record } from "../../shared/fields.ts";
import type { SlackUser } from "./identity.ts";

const items = maybe(z.array(z.unknown()));
export const Restriction = record({ type: items, user: items });
export type Restriction = z.output<typeof Restriction>;

/** `none`: Slack shows no rule. `unclear`: one that is not known here could let the person through. */
export type Passes = "yes" | "no" | "none" | "unclear";

type Match = boolean | undefined;

/** `who_can_post_general`, as Slack gives it: a name, or lists of names and people. */
export function passesGeneral(rule: unknown, user: SlackUser): Passes {
  if (rule === undefined || rule === null) return "none";
  if (typeof rule === "string") return verdictOf([ofRank(rule, user)]);
  const lists = Restriction.safeParse(rule);
  const matches = lists.success ? matchesOf(lists.data, user) : [];
  return matches.length === 0 ? "unclear" : verdictOf(matches);
}

/** `properties.posting_restricted_to`; administrators are never restricted. Two empty lists are everyone. */
export function passesChannel(rule: Restriction | undefined, user: SlackUser): Passes {
  if (rule === undefined) return "none";
  if (user.isAdmin === true) return "yes";
  const matches = matchesOf(rule, user);
  if (matches.length > 0) return verdictOf(matches);
  return rule.type === undefined || rule.user === undefined ? "unclear" : "yes";
}

function matchesOf({ type = [], user: people = [] }: Restriction, user: SlackUser): Match[] {
  const named = people.map((id) => (typeof id === "string" ? id === user.id : undefined));
  return [...type.map((rank) => ofRank(rank, user)), ...named];
}

function verdictOf(matches: readonly Match[]): Passes {
  if (matches.includes(true)) return "yes";
  return matches.includes(undefined) ? "unclear" : "no";
}

function ofRank(rank: unknown, { isGuest, isAdmin, isOwner }: SlackUser): Match {
  if (rank === "everyone") return true;
  if (rank === "admin") return isAdmin;
  if (rank === "owner") return isOwner;
  if (rank === "regular") return isGuest === undefined ? undefined : !isGuest;
  // Slack's name for its default; whether guests are part of it is not documented.
  return rank === "ra" && isGuest === false ? true : undefined;
}

export function unclear(): Error {
  return stop("unsupported", "who may post to the channel is ruled in a way that is not known here");
}
