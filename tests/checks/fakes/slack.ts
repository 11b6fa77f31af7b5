/** Slack's Web API as far as people, channels, user groups and a workspace's posting rules go (CHECKS §4.8). */
import { literal } from "../../../src/checks/config/secret.ts";
import { CANARY, type World } from "../support/desk.ts";
import { FakeServer, type FakeReply, type FakeRequest, type Route } from "../support/fake-server.ts";
import type { Scenario } from "../support/scenario.ts";

export const TOKEN = `xoxb-${CANARY}-token`;

export interface FakeSlackUser {
  readonly id: string;
  readonly email: string;
  /** Fields of Slack's user object over those of a full member; undefined leaves one out. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

export interface FakeChannel {
  readonly id: string;
  readonly name: string;
  readonly members: readonly string[];
  /** False: the bot does not see it. */
  readonly isVisible?: boolean;
  /** Fields of Slack's channel object over those of an open public channel; undefined leaves one out. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

export interface SlackState {
  readonly team: string;
  readonly users: readonly FakeSlackUser[];
  readonly channels: readonly FakeChannel[];
  readonly groups: Readonly<Record<string, readonly string[]>>;
  /** The answer of team.preferences.list, beside `ok`. */
  readonly preferences: Readonly<Record<string, unknown>>;
  /** Entries a page at most, whatever `limit` says. */
  readonly pageSize: number;
  /** Methods that answer `ok: false` with this error (and `needed`, for missing_scope). */
  readonly errors: Readonly<Record<string, string | { readonly error: string; readonly needed: string }>>;
  /** Methods that answer with status 429. */
  readonly limited: readonly string[];
  /** Demanded as `team_id` of every call. */
  readonly teamId?: string;
}

const MEMBER = {
  deleted: false,
  is_admin: false,
  is_owner: false,
  is_primary_owner: false,
  is_restricted: false,
  is_ultra_restricted: false,
  is_bot: false,
};

const OPEN = {
  is_channel: true,
  is_private: false,
  is_archived: false,
  is_general: false,
  is_shared: false,
  is_member: true,
  properties: { posting_restricted_to: { type: [], user: [] } },
};

function user(id: string, name: string, fields: Readonly<Record<string, unknown>> = {}): FakeSlackUser {
  return { id, email: `${name}@example.com`, fields };
}

/** One person of each kind there is. */
export const PEOPLE: readonly FakeSlackUser[] = [
  user("U0DANA", "dana"),
  user("U0ADMIN", "admin", { is_admin: true }),
  user("U0OWNER", "owner", { is_admin: true, is_owner: true }),
  user("U0FIRST", "first", { is_admin: true, is_owner: true, is_primary_owner: true }),
  user("U0GUEST", "guest", { is_restricted: true }),
  user("U0ULTRA", "ultra", { is_restricted: true, is_ultra_restricted: true }),
  user("U0DEAD", "dead", { deleted: true }),
  user("U0BOT", "bot", { is_bot: true }),
  user("USLACKBOT", "slackbot"),
  user("U0INVITED", "invited", { is_invited_user: true }),
  user("U0STRANGER", "stranger", { is_stranger: true }),
  user("U0OUTSIDER", "outsider"),
];

const EVERYONE = PEOPLE.map(({ id }) => id).filter((id) => id !== "U0OUTSIDER");
const restricted = (type: readonly string[], people: readonly string[] = []): Record<string, unknown> => ({
  properties: { posting_restricted_to: { type, user: people } },
});

/** One channel of each kind there is; all but Outsider are in each. */
export const CHANNELS: readonly FakeChannel[] = [
  { id: "C0PUBLIC", name: "public", members: EVERYONE },
  { id: "C0GENERAL", name: "general", members: EVERYONE, fields: { is_general: true } },
  { id: "C0ADMINS", name: "announcements", members: EVERYONE, fields: restricted(["admin"]) },
  { id: "C0CHOSEN", name: "chosen", members: EVERYONE, fields: restricted([], ["U0DANA"]) },
  { id: "C0ODD", name: "odd", members: EVERYONE, fields: restricted(["astronaut"]) },
  { id: "C0OLD", name: "old", members: EVERYONE, fields: { is_archived: true } },
  { id: "C0BARE", name: "bare", members: EVERYONE, fields: { properties: undefined } },
  { id: "C0PRIVATE", name: "private", members: EVERYONE, fields: { is_private: true } },
  { id: "C0HIDDEN", name: "hidden", members: EVERYONE, isVisible: false, fields: { is_private: true } },
];

export function slackState(changes: Partial<SlackState> = {}): SlackState {
  return {
    team: "T0TEAM",
    users: PEOPLE,
    channels: CHANNELS,
    groups: { S0GROUP: ["U0DANA", "U0ADMIN"] },
    preferences: { who_can_post_general: { type: ["everyone"], user: [] }, msg_edit_window_mins: -1 },
    pageSize: 100,
    errors: {},
    limited: [],
    ...changes,
  };
}

class Slack {
  constructor(private readonly state: SlackState) {}

  routes(): Route[] {
    return [
      this.method("auth.test", [], () => this.test()),
      this.method("users.lookupByEmail", ["email"], ({ query }) => this.lookUp(query.get("email") ?? "")),
      this.method("conversations.info", ["channel"], ({ query }) => this.info(query.get("channel") ?? "")),
      this.method("users.conversations", ["user", "types", "limit", "cursor?", "exclude_archived?"], (request) =>
        this.conversationsOf(request),
      ),
      this.method("conversations.members", ["channel", "limit", "cursor?"], (request) => this.members(request)),
      this.method("conversations.list", ["types?", "limit?", "cursor?", "exclude_archived?"], (request) =>
        this.page(
          request,
          "channels",
          this.visible().map((channel) => this.shown(channel)),
        ),
      ),
      this.method("usergroups.list", ["include_users?", "include_disabled?", "include_count?"], (request) =>
        this.groups(request),
      ),
      this.method("team.preferences.list", [], () => ok(this.state.preferences)),
    ];
  }

  private method(name: string, query: readonly string[], answer: (request: FakeRequest) => FakeReply): Route {
    const { errors, limited, teamId } = this.state;
    const failing = errors[name];
    return {
      on: `GET /api/${name}`,
      query: [...query, teamId === undefined ? "team_id?" : "team_id"],
      headers: { authorization: `Bearer ${TOKEN}` },
      answer: (request) => {
        if (limited.includes(name)) return { status: 429, headers: { "retry-after": "1" } };
        if (failing !== undefined) return failure(failing);
        const isOther = teamId !== undefined && request.query.get("team_id") !== teamId;
        return isOther ? failure("team_access_not_granted") : answer(request);
      },
    };
  }

  private test(): FakeReply {
    const { team } = this.state;
    return ok({
      url: `https://${CANARY}.slack.com/`,
      team: CANARY,
      user: "hallpass",
      team_id: team,
      user_id: "U0HALLPASS",
    });
  }

  private lookUp(email: string): FakeReply {
    const found = this.state.users.find((one) => one.email === email);
    if (found === undefined) return failure("users_not_found");
    const { id, fields } = found;
    const profile = { email, real_name: CANARY, display_name: CANARY };
    return ok({ user: present({ id, team_id: this.state.team, name: CANARY, ...MEMBER, profile, ...fields }) });
  }

  private visible(): FakeChannel[] {
    return this.state.channels.filter((channel) => channel.isVisible !== false);
  }

  private shown({ id, name, fields }: FakeChannel): object {
    return present({ id, name, ...OPEN, topic: { value: CANARY }, ...fields });
  }

  private info(id: string): FakeReply {
    const channel = this.visible().find((one) => one.id === id);
    return channel === undefined ? failure("channel_not_found") : ok({ channel: this.shown(channel) });
  }

  private conversationsOf(request: FakeRequest): FakeReply {
    const { query } = request;
    if (query.get("types") !== "public_channel,private_channel") return failure("invalid_types");
    const asked = query.get("user") ?? "";
    const theirs = this.visible().filter(({ members }) => members.includes(asked));
    return this.page(
      request,
      "channels",
      theirs.map((channel) => this.shown(channel)),
    );
  }

  private members(request: FakeRequest): FakeReply {
    const channel = this.visible().find((one) => one.id === request.query.get("channel"));
    return channel === undefined ? failure("channel_not_found") : this.page(request, "members", channel.members);
  }

  private groups({ query }: FakeRequest): FakeReply {
    const withUsers = query.get("include_users") === "true";
    const usergroups = Object.entries(this.state.groups).map(([id, users]) => ({
      id,
      handle: CANARY,
      date_delete: 0,
      ...(withUsers ? { users } : {}),
    }));
    return ok({ usergroups });
  }

  /** A cursor is the number of entries that came before. */
  private page({ query }: FakeRequest, name: string, all: readonly unknown[]): FakeReply {
    const from = Number(query.get("cursor") || "0");
    const size = Math.min(Number(query.get("limit") ?? "100"), this.state.pageSize);
    const next = from + size < all.length ? String(from + size) : "";
    return ok({ [name]: all.slice(from, from + size), response_metadata: { next_cursor: next } });
  }
}

function present(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function ok(fields: Readonly<Record<string, unknown>>): FakeReply {
  return { status: 200, body: { ok: true, ...fields } };
}

function failure(what: string | { readonly error: string; readonly needed: string }): FakeReply {
  const named = typeof what === "string" ? { error: what } : { ...what, provided: CANARY };
  return { status: 200, body: { ok: false, ...named, response_metadata: { messages: [CANARY] } } };
}

export async function slackWorld(
  changes: Partial<SlackState> = {},
  config: Readonly<Record<string, string>> = {},
): Promise<World> {
  const fake = await FakeServer.start(new Slack(slackState(changes)).routes());
  const credential = literal(TOKEN);
  return { fake, connections: [{ id: "slack", integration: "slack", url: `${fake.url}/api`, credential, ...config }] };
}

/** Few people and channels: fault tests change every field of every answer. */
async function small(channel: string, who: string, more: Partial<SlackState> = {}): Promise<World> {
  const users = PEOPLE.filter(({ email }) => email === `${who}@example.com`);
  return await slackWorld({ users, channels: CHANNELS.filter(({ id }) => id === channel), ...more });
}

function scenario(
  name: string,
  who: string,
  action: string,
  channel: string,
  expect: Scenario["expect"],
  more: Partial<Scenario> = {},
): Scenario {
  const asking = { user: `${who}@example.com`, action, resource: `channel:${channel}` };
  return { name, world: async () => await small(channel, who), asking, expect, ...more };
}

export const scenarios: readonly Scenario[] = [
  scenario("a message of a member in an open channel", "dana", "message.post", "C0PUBLIC", "allowed"),
  scenario("a message of somebody who is not in the channel", "outsider", "message.post", "C0PUBLIC", "denied", {
    absent: {
      response_metadata: "is there only when a list may have more pages",
      "response_metadata.next_cursor": "is empty or missing on the last page",
    },
  }),
  scenario("a message where only administrators post", "dana", "message.post", "C0ADMINS", "denied"),
  scenario("a message in an archived channel", "dana", "message.post", "C0OLD", "denied"),
  scenario("a message in #general where only administrators post", "dana", "message.post", "C0GENERAL", "denied", {
    world: async () =>
      await small("C0GENERAL", "dana", { preferences: { who_can_post_general: { type: ["admin"], user: [] } } }),
  }),
  scenario("a public channel that a guest is not in", "guest", "channel.read", "C0PUBLIC", "denied", {
    world: async () =>
      await small("C0PUBLIC", "guest", {
        channels: [{ id: "C0PUBLIC", name: "public", members: ["U0DANA"] }],
      }),
    absent: {
      response_metadata: "is there only when a list may have more pages",
      "response_metadata.next_cursor": "is empty or missing on the last page",
    },
  }),
  scenario("a private channel of others", "outsider", "channel.read", "C0PRIVATE", "denied", {
    absent: {
      response_metadata: "is there only when a list may have more pages",
      "response_metadata.next_cursor": "is empty or missing on the last page",
    },
  }),
  scenario("an account that is switched off", "dead", "message.post", "C0PUBLIC", "denied"),
  scenario("a bot's account", "bot", "message.post", "C0PUBLIC", "denied"),
  scenario("a channel without its posting rules", "dana", "message.post", "C0BARE", "unsupported"),
  scenario("a channel with a posting rule of an unknown kind", "dana", "message.post", "C0ODD", "unsupported"),
  scenario("a channel that the bot does not see", "dana", "message.post", "C0HIDDEN", "resource_not_visible"),
  {
    name: "the workspace's administration, by a member",
    world: async () => await small("C0PUBLIC", "dana"),
    asking: { user: "dana@example.com", action: "workspace.admin", resource: "workspace" },
    expect: "denied",
  },
];
