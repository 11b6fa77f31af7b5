/** What can be asked of Slack (CHECKS §4.8). */
import type { Action } from "../../integration.ts";

/** `read` and `join` see the channel, `post` writes into it, `manage` changes it. */
export type ChannelRule = "read" | "join" | "post" | "thread" | "invite" | "archive" | "rename";

export interface SlackAction extends Action {
  /** On `channel:` alone. */
  readonly rule?: ChannelRule;
}

const workspace = { resources: ["workspace"] } as const;

function channel(name: string, rule: ChannelRule, about: string): SlackAction {
  return { name, rule, about, resources: ["channel"] };
}

export const actions: readonly SlackAction[] = [
  { name: "user.active", about: "have an account of the workspace", ...workspace },
  { name: "workspace.admin", about: "administer the workspace", ...workspace },
  { name: "org.admin", about: "administer the Enterprise Grid organization", ...workspace },
  channel("channel.read", "read", "read a channel"),
  channel("channel.join", "join", "join a channel"),
  channel("message.post", "post", "post a message"),
  channel("message.post_thread", "thread", "reply in a thread"),
  channel("file.upload", "post", "upload a file to a channel"),
  { name: "usergroup.member", about: "be in a user group", resources: ["usergroup"] },
  channel("channel.invite", "invite", "invite people to a channel"),
  { name: "channel.create", about: "create a channel", ...workspace },
  channel("channel.archive", "archive", "archive a channel"),
  channel("channel.rename", "rename", "rename a channel"),
];
