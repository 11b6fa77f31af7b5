/** Slack: accounts, channels and memberships are read with a bot's token, and judged here (CHECKS §4.8). */
import type { Call } from "../../call.ts";
import { allowed, denied, Stop, unknown, vetted, type Finding } from "../../codes.ts";
import { key, type ConfigOf } from "../../config/keys.ts";
import { defineIntegration, type Connection, type Parts, type ProbeReport } from "../../integration.ts";
import type { Resource, Subject } from "../../question.ts";
import { anything, record, text } from "../../shared/fields.ts";
import { idOf, noId, onlyParams } from "../../shared/resource.ts";
import { actions, type SlackAction } from "./actions.ts";
import { ChannelCheck, personOf, unseen, UNSEEN, type Settings } from "./channel.ts";
import { findUser, type SlackUser } from "./identity.ts";
import { findChannel, isInUserGroup } from "./membership.ts";
import { botToken, WebApi } from "./web-api.ts";

const keys = {
  credential: key.secret({ about: "a bot's token (xoxb-)", required: true }),
  url: key.url({ about: "Slack's Web API", default: "https://slack.com/api" }),
  team_id: key.text({
    about: "the workspace that is meant, for a token of a whole organization",
    pattern: /^[TE][A-Z0-9]{2,}$/,
    hint: "the id of a workspace (T…)",
  }),
  assume_default_prefs: key.flag({ about: "take Slack's defaults for settings that are not shown", default: "false" }),
};

interface Ask {
  readonly action: SlackAction;
  /** Of the channel or user group; "" for the workspace. */
  readonly id: string;
}

const CHANNEL = /^[CG][A-Z0-9]{2,63}$/;
const GROUP = /^S[A-Z0-9]{2,63}$/;

export class SlackConnection implements Connection<SlackUser, Ask, SlackAction> {
  readonly base: URL;
  private readonly slack: WebApi;
  private readonly settings: Settings;

  constructor(config: ConfigOf<typeof keys>, parts: Parts) {
    this.base = config.url;
    const api = parts.api({ base: config.url, credential: botToken(config.credential) });
    this.slack = new WebApi(api, config.team_id);
    this.settings = { teamId: config.team_id, isAssuming: config.assume_default_prefs };
  }

  prepare(action: SlackAction, resource: Resource): Ask {
    onlyParams(resource);
    if (resource.type === "workspace") {
      noId(resource);
      return { action, id: "" };
    }
    const [id] =
      resource.type === "channel"
        ? idOf(resource, CHANNEL, "by its id, C… or G…")
        : idOf(resource, GROUP, "by its id, S…");
    return { action, id };
  }

  async identify({ email }: Subject, call: Call): Promise<SlackUser> {
    return await findUser(this.slack, email, call);
  }

  async decide(user: SlackUser, { action, id }: Ask, call: Call): Promise<Finding> {
    if (action.name === "usergroup.member") return await this.ofGroup(user, id, call);
    if (action.rule === undefined && action.name !== "channel.create") return ofWorkspace(action.name, user);
    if (user.isStranger) return unknown("unsupported", "the person is of another organization's workspace");
    if (action.rule === undefined) return this.create(user);
    personOf(user);
    const channel = await findChannel(this.slack, id, call);
    return await new ChannelCheck(this.slack, user, channel, this.settings, call).decide(action.rule);
  }

  private create(user: SlackUser): Finding {
    const { isGuest, isAdmin } = personOf(user);
    if (isGuest) return denied("the person is a guest");
    return isAdmin ? allowed("the person is an administrator") : unseen(UNSEEN, this.settings);
  }

  private async ofGroup(user: SlackUser, id: string, call: Call): Promise<Finding> {
    return (await isInUserGroup(this.slack, user, id, call))
      ? allowed("the person is in the user group")
      : denied("the person is not in the user group");
  }

  async probe(call: Call): Promise<ProbeReport> {
    const Test = record({ user_id: text, team_id: text, bot_id: text });
    const { user_id: user, team_id: team } = await this.slack.read(Test, call, "auth.test");
    const other = this.settings.teamId !== undefined && this.settings.teamId !== team;
    const warnings = other ? [`the token is of ${vetted(team)}, and team_id names another workspace`] : [];
    return {
      summary: `bot ${vetted(user)} in ${vetted(team)}`,
      warnings: [...warnings, ...(await this.channelWarnings(call))],
    };
  }

  private async channelWarnings(call: Call): Promise<string[]> {
    try {
      const query = { types: "public_channel,private_channel", limit: 1 };
      await this.slack.read(record({ channels: anything }), call, "conversations.list", query);
      return [];
    } catch (error) {
      if (error instanceof Stop) return [`channels cannot be listed: ${error.finding.text}`];
      throw error;
    }
  }
}

function ofWorkspace(action: string, { isStranger, isAdmin, isOrgAdmin }: SlackUser): Finding {
  if (action === "user.active")
    return isStranger
      ? unknown("unsupported", "the person is of another organization's workspace")
      : allowed("the person's account is active");
  const isHeld = action === "org.admin" ? isOrgAdmin : isAdmin;
  if (isHeld === undefined)
    return unknown("unsupported", "Slack did not report whether the person is an administrator there");
  return isHeld ? allowed("the person is an administrator") : denied("the person is not an administrator");
}

export const slack = defineIntegration({
  name: "slack",
  about: "Slack",
  keys,
  actions,
  connect: (config: ConfigOf<typeof keys>, parts: Parts) => new SlackConnection(config, parts),
});
