/** What a person may do in a channel; membership is read only where it can change the answer (CHECKS §4.8). */
import type { Call } from "../../call.ts";
import { allowed, denied, stop, unknown, type Finding } from "../../codes.ts";
import type { ChannelRule } from "./actions.ts";
import type { SlackUser } from "./identity.ts";
import { isMember, ruleOfGeneral, type SlackChannel } from "./membership.ts";
import { passesChannel, passesGeneral, unclear, type Passes } from "./posting.ts";
import type { WebApi } from "./web-api.ts";

export interface Settings {
  readonly teamId: string | undefined;
  /** Take Slack's defaults where a setting cannot be seen. */
  readonly isAssuming: boolean;
}

/** A rank that Slack reported in full. */
interface Person extends SlackUser {
  readonly isGuest: boolean;
  readonly isAdmin: boolean;
}

export function personOf(user: SlackUser): Person {
  const { isGuest, isAdmin } = user;
  if (isGuest === undefined || isAdmin === undefined)
    throw stop("unsupported", "Slack did not say whether the person is a guest or an administrator");
  return { ...user, isGuest, isAdmin };
}

export const UNSEEN = "whether members may is a setting that Slack does not show";

export class ChannelCheck {
  private readonly person: Person;

  constructor(
    private readonly slack: WebApi,
    user: SlackUser,
    private readonly channel: SlackChannel,
    private readonly settings: Settings,
    private readonly call: Call,
  ) {
    this.person = personOf(user);
  }

  async decide(rule: ChannelRule): Promise<Finding> {
    if (this.channel.is_archived && rule !== "read") return denied("the channel is archived");
    if (rule === "read" || rule === "join") return await this.see();
    return rule === "post" || rule === "thread" ? await this.post(rule) : await this.manage(rule);
  }

  private async isIn(): Promise<boolean> {
    return await isMember(this.slack, this.person, this.channel.id, this.call);
  }

  private async see(): Promise<Finding> {
    const { isGuest, teamId } = this.person;
    const isOpen = !this.channel.is_private && !isGuest;
    const isOther = this.settings.teamId !== undefined && teamId !== "" && teamId !== this.settings.teamId;
    if (isOpen && !isOther) return allowed("the channel is public, and the person a full member");
    if (await this.isIn()) return allowed("the person is in the channel");
    if (isOpen) return unknown("unsupported", "the person is of another workspace than team_id");
    return denied(
      isGuest ? "the person is a guest and not in the channel" : "the person is not in the private channel",
    );
  }

  private async post(rule: "post" | "thread"): Promise<Finding> {
    const { is_general: isGeneral, properties } = this.channel;
    if (!(await this.isIn())) return denied("the person is not in the channel");
    if (isGeneral === undefined) throw stop("unsupported", "Slack did not say whether the channel is #general");
    const ofGeneral = isGeneral ? passesGeneral(await ruleOfGeneral(this.slack, this.call), this.person) : "yes";
    const ofChannel = passesChannel(properties.posting_restricted_to, this.person);
    const isFree = rule === "thread" && ofChannel !== "none";
    return this.both(ofGeneral, isFree ? "yes" : ofChannel, isFree);
  }

  private both(ofGeneral: Passes, ofChannel: Passes, isThread: boolean): Finding {
    const both = [ofGeneral, ofChannel];
    if (both.includes("no")) return denied("posting to the channel is restricted to people the person is not one of");
    if (both.includes("unclear")) throw unclear();
    if (!both.includes("none"))
      return allowed(
        isThread ? "the person is in the channel; replies are taken to be open" : "the person may post to the channel",
      );
    return this.unseen("who may post to the channel is not shown to hallpass");
  }

  private async manage(rule: ChannelRule): Promise<Finding> {
    const { isGuest, isAdmin } = this.person;
    const { is_private: isPrivate, is_general: isGeneral } = this.channel;
    if (rule === "archive" && isGeneral === true) return denied("#general cannot be archived");
    if (isGuest) return denied("the person is a guest");
    // In a public channel nothing but administrators and assumed defaults makes a difference to "unsupported".
    if (!isPrivate && !isAdmin && !this.settings.isAssuming) return unknown("unsupported", UNSEEN);
    if (rule === "archive" && isGeneral === undefined)
      return unknown("unsupported", "Slack did not say whether the channel is #general");
    if (!(await this.isIn()))
      return isPrivate
        ? denied("the person is not in the private channel")
        : unknown("unsupported", "whether people who are not in the channel may is not known");
    return isAdmin ? allowed("the person is in the channel and an administrator") : this.unseen(UNSEEN);
  }

  private unseen(why: string): Finding {
    return unseen(why, this.settings);
  }
}

/** A setting that is not shown: what Slack sets at first, where the connection assumes it. */
export function unseen(why: string, { isAssuming }: Settings): Finding {
  return isAssuming ? allowed(`${why}; assumed to be Slack's default`) : unknown("unsupported", why);
}
