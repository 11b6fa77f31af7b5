import { afterAll, describe, expect, test } from "bun:test";
import { loadConfigCode } from "../../../src/checks/config/config.ts";
import { INTEGRATIONS } from "../../../src/checks/integrations/index.ts";
import { CHANNELS, PEOPLE, slackWorld, type FakeChannel, type FakeSlackUser, type SlackState } from "../fakes/slack.ts";
import { Desk, SECRET, uncovered } from "../support/desk.ts";

const desks: Desk[] = [];
afterAll(async () => {
  for (const desk of desks) await desk.close();
});

type Config = Record<string, string>;

async function at(changes: Partial<SlackState> = {}, config: Config = {}) {
  const world = await slackWorld(changes, config);
  const desk = new Desk(world);
  desks.push(desk);
  const ask = async (action: string, resource: string, who = "dana"): Promise<string> =>
    (await desk.ask({ user: `${who}@example.com`, action, resource })).code;
  const count = (method: string): number => world.fake.calls.filter((call) => call.endsWith(`/${method}`)).length;
  return { desk, ask, count, fake: world.fake };
}

const assume = { assume_default_prefs: "true" };
const [no, yes, unsure, hidden] = ["denied", "allowed", "unsupported", "resource_not_visible"] as const;
type Row = Readonly<Record<string, string>>;

/** Who is answered what; those who are not named are answered `other`. */
async function matrix(action: string, resource: string, row: Row, other: string, state = {}, config: Config = {}) {
  const { ask } = await at(state, config);
  for (const who of ["dana", "admin", "owner", "first", "guest", "ultra", "outsider"])
    expect([action, resource, who, await ask(action, resource, who)]).toEqual([
      action,
      resource,
      who,
      row[who] ?? other,
    ]);
}

const channel = (id: string): string => `channel:${id}`;
const admins = { admin: yes, owner: yes, first: yes };
const guests = { guest: no, ultra: no };

/** The channels with nobody in them. */
const EMPTY: readonly FakeChannel[] = CHANNELS.map((one) => ({ ...one, members: [] }));

function dana(fields: Readonly<Record<string, unknown>>): Partial<SlackState> {
  const [first] = PEOPLE;
  return { users: [{ ...(first as FakeSlackUser), fields }] };
}

describe("an account", () => {
  test("that is in use is active, one that is not is a no for everything", async () => {
    const { ask, count } = await at();
    expect(await ask("user.active", "workspace")).toBe(yes);
    for (const who of ["dead", "bot", "slackbot", "invited"]) {
      expect([who, await ask("user.active", "workspace", who)]).toEqual([who, no]);
      expect([who, await ask("channel.read", "channel:C0PUBLIC", who)]).toEqual([who, no]);
    }
    expect(count("conversations.info")).toBe(0);
  });
  test("that is not there is user_not_found", async () => {
    expect(await (await at()).ask("user.active", "workspace", "nobody")).toBe("user_not_found");
  });
  test("of which Slack does not say whether it is off, a bot's or of what rank is unsupported", async () => {
    for (const name of ["deleted", "is_bot"])
      expect(await (await at(dana({ [name]: undefined }))).ask("user.active", "workspace")).toBe(unsure);
    const guest = await at(dana({ is_restricted: undefined }));
    expect(await guest.ask("channel.read", "channel:C0PUBLIC")).toBe(unsure);
    const rank = await at(dana({ is_admin: undefined }));
    expect(await rank.ask("workspace.admin", "workspace")).toBe(unsure);
  });
  test("of another organization is unsupported in channels, which are not looked at", async () => {
    const { ask, count } = await at();
    for (const action of ["channel.read", "message.post", "channel.archive"])
      expect(await ask(action, "channel:C0PUBLIC", "stranger")).toBe(unsure);
    expect(count("conversations.info")).toBe(0);
  });
});

describe("the workspace", () => {
  test("is administered by its administrators and owners", async () => {
    await matrix("workspace.admin", "workspace", admins, no);
  });
  test("of an organization is administered by the organization's, and of none by nobody known", async () => {
    expect(await (await at()).ask("org.admin", "workspace", "owner")).toBe(unsure);
    const of = async (enterprise_user: object) =>
      await (await at(dana({ enterprise_user }))).ask("org.admin", "workspace");
    expect(await of({ is_admin: true, is_owner: false })).toBe(yes);
    expect(await of({ is_admin: false, is_owner: true })).toBe(yes);
    expect(await of({ is_admin: false, is_owner: false })).toBe(no);
    expect(await of({ is_admin: false })).toBe(unsure);
  });
  test("gets channels from administrators, from members where that is assumed, from guests never", async () => {
    await matrix("channel.create", "workspace", { ...admins, ...guests }, unsure);
    await matrix("channel.create", "workspace", guests, yes, {}, assume);
  });
});

describe("a channel is read", () => {
  test("by all full members where it is public, archived or not, and by guests who are in it", async () => {
    for (const id of ["C0PUBLIC", "C0GENERAL", "C0OLD", "C0BARE"]) await matrix("channel.read", channel(id), {}, yes);
    await matrix("channel.read", "channel:C0PUBLIC", guests, yes, { channels: EMPTY });
  });
  test("by its members alone where it is private", async () => {
    await matrix("channel.read", "channel:C0PRIVATE", { outsider: no }, yes);
    await matrix("channel.read", "channel:C0PRIVATE", {}, no, { channels: EMPTY });
  });
  test("by nobody known where the bot does not see it, or it is not there", async () => {
    await matrix("channel.read", "channel:C0HIDDEN", {}, hidden);
    expect(await (await at()).ask("channel.read", "channel:C0NONE")).toBe(hidden);
  });
  test("by a full member without a look at who is in it", async () => {
    const { ask, fake } = await at();
    await ask("channel.read", "channel:C0PUBLIC");
    expect(fake.calls).toEqual(["GET /api/users.lookupByEmail", "GET /api/conversations.info"]);
  });
  test("by nobody known where Slack does not say whether it is private", async () => {
    const channels = [{ id: "C0PUBLIC", name: "public", members: [], fields: { is_private: undefined } }];
    expect(await (await at({ channels })).ask("channel.read", "channel:C0PUBLIC")).toBe(unsure);
  });
});

describe("a channel is joined", () => {
  test("by full members where it is public, by guests and into private ones only by who is in already", async () => {
    await matrix("channel.join", "channel:C0PUBLIC", {}, yes);
    await matrix("channel.join", "channel:C0PUBLIC", guests, yes, { channels: EMPTY });
    await matrix("channel.join", "channel:C0PRIVATE", { outsider: no }, yes);
    await matrix("channel.join", "channel:C0PRIVATE", {}, no, { channels: EMPTY });
  });
  test("by nobody where it is archived", async () => {
    await matrix("channel.join", "channel:C0OLD", {}, no);
  });
});

describe("team_id", () => {
  const config = { team_id: "T0TEAM" };
  test("goes with every call", async () => {
    const { ask, desk } = await at({ teamId: "T0TEAM" }, config);
    expect(await ask("message.post", "channel:C0GENERAL")).toBe(yes);
    expect(await ask("usergroup.member", "usergroup:S0GROUP")).toBe(yes);
    expect((await desk.probe()).ok).toBe(true);
  });
  test("other than the person's makes a public channel unsupported for who is not in it", async () => {
    const other = { ...config, team_id: "T0OTHER" };
    for (const action of ["channel.read", "channel.join"]) {
      await matrix(action, "channel:C0PUBLIC", guests, unsure, { channels: EMPTY }, other);
      await matrix(action, "channel:C0PUBLIC", { outsider: unsure }, yes, {}, other);
    }
  });
  test("is not compared with a person's that is not reported", async () => {
    const { ask } = await at({ ...dana({ team_id: undefined }), channels: EMPTY }, { team_id: "T0OTHER" });
    expect(await ask("channel.read", "channel:C0PUBLIC")).toBe(yes);
  });
});

describe("a message is posted", () => {
  test("by the members of an open channel, public or private", async () => {
    for (const action of ["message.post", "message.post_thread", "file.upload"])
      for (const id of ["C0PUBLIC", "C0PRIVATE"]) await matrix(action, channel(id), { outsider: no }, yes);
  });
  test("by nobody where the channel is archived, and by nobody known where it is not seen", async () => {
    for (const action of ["message.post", "message.post_thread", "file.upload"]) {
      await matrix(action, "channel:C0OLD", {}, no);
      await matrix(action, "channel:C0HIDDEN", {}, hidden);
    }
  });
  test("by administrators where the channel is theirs; a reply by every member", async () => {
    await matrix("message.post", "channel:C0ADMINS", admins, no);
    await matrix("file.upload", "channel:C0ADMINS", admins, no);
    await matrix("message.post_thread", "channel:C0ADMINS", { outsider: no }, yes);
  });
  test("by those whom the channel names, and by administrators", async () => {
    await matrix("message.post", "channel:C0CHOSEN", { ...admins, dana: yes }, no);
  });
  test("by nobody known where the channel has a rule of an unknown kind, but who matches another", async () => {
    await matrix("message.post", "channel:C0ODD", { ...admins, outsider: no }, unsure);
    const properties = { posting_restricted_to: { type: ["astronaut"], user: ["U0DANA"] } };
    const channels = [{ id: "C0ODD", name: "odd", members: ["U0DANA", "U0GUEST"], fields: { properties } }];
    await matrix("message.post", "channel:C0ODD", { dana: yes, guest: unsure }, no, { channels });
  });
  test("by nobody known where the channel's rule is not shown, or by every member where that is assumed", async () => {
    for (const action of ["message.post", "message.post_thread"]) {
      await matrix(action, "channel:C0BARE", { outsider: no }, unsure);
      await matrix(action, "channel:C0BARE", { outsider: no }, yes, {}, assume);
    }
  });
});

describe("a message in #general is posted", () => {
  const rule = async (who_can_post_general: unknown, row: Row, other: string, config: Config = {}): Promise<void> =>
    await matrix(
      "message.post",
      "channel:C0GENERAL",
      { outsider: no, ...row },
      other,
      { preferences: { who_can_post_general } },
      config,
    );
  test("by everyone, full members, administrators or owners, as the workspace has it", async () => {
    await rule("everyone", {}, yes);
    await rule({ type: ["everyone"], user: [] }, {}, yes);
    await rule("regular", guests, yes);
    await rule("admin", admins, no);
    await rule("owner", { owner: yes, first: yes }, no);
    await rule({ type: ["owner"], user: ["U0DANA"] }, { dana: yes, owner: yes, first: yes }, no);
  });
  test("by full members under Slack's default name", async () => {
    const { ask } = await at({ preferences: { who_can_post_general: "ra" } });
    expect(await ask("message.post", "channel:C0GENERAL")).toBe(yes);
  });
  test("by nobody known under a rule of an unknown kind, but who matches another", async () => {
    await rule("astronaut", {}, unsure);
    await rule({ type: ["astronaut"], user: ["U0DANA"] }, { dana: yes }, unsure);
    await rule({ type: ["astronaut", "admin"], user: [] }, admins, unsure);
  });
  test("by nobody known where the workspace's rule is not shown, or by every member where that is assumed", async () => {
    await rule(undefined, {}, unsure);
    await rule(undefined, {}, yes, assume);
  });
  test("by those whom the channel's own rule lets post besides", async () => {
    const properties = { posting_restricted_to: { type: ["admin"], user: [] } };
    const members = PEOPLE.map(({ id }) => id);
    const channels = [{ id: "C0GENERAL", name: "general", members, fields: { is_general: true, properties } }];
    await matrix("message.post", "channel:C0GENERAL", admins, no, { channels });
  });
});

describe("a channel is managed", () => {
  for (const action of ["channel.invite", "channel.rename", "channel.archive"]) {
    test(`(${action}) by administrators who are in it, and by members where that is assumed`, async () => {
      for (const id of ["C0PUBLIC", "C0PRIVATE"]) {
        const outsider = id === "C0PRIVATE" ? no : unsure;
        await matrix(action, channel(id), { ...admins, ...guests, outsider }, unsure);
        await matrix(action, channel(id), { ...guests, outsider }, yes, {}, assume);
      }
    });
    test(`(${action}) by nobody who is not in it where it is private, and by nobody known where it is public`, async () => {
      await matrix(action, "channel:C0PRIVATE", {}, no, { channels: EMPTY });
      await matrix(action, "channel:C0PUBLIC", guests, unsure, { channels: EMPTY });
      await matrix(action, "channel:C0PUBLIC", guests, unsure, { channels: EMPTY }, assume);
    });
    test(`(${action}) by nobody where it is archived, and by nobody known where it is not seen`, async () => {
      await matrix(action, "channel:C0OLD", {}, no);
      await matrix(action, "channel:C0HIDDEN", {}, hidden);
    });
  }
  test("but #general is archived by nobody, with no look at who is in it", async () => {
    await matrix("channel.archive", "channel:C0GENERAL", {}, no);
    const { ask, count } = await at();
    await ask("channel.archive", "channel:C0GENERAL", "admin");
    expect(count("users.conversations")).toBe(0);
    expect(await ask("channel.rename", "channel:C0GENERAL", "admin")).toBe(yes);
  });
});

describe("membership", () => {
  const many = (size: number): FakeChannel[] =>
    Array.from({ length: size }, (_, n) => ({ id: `C0N${n}`, name: `n${n}`, members: ["U0DANA"] }));
  const target = { id: "C0TARGET", name: "target", members: ["U0ADMIN", "U0DANA"] };
  test("is looked for in five pages of the person's channels, then among the channel's members", async () => {
    const near = await at({ channels: [...many(4), target], pageSize: 1 });
    expect(await near.ask("message.post", "channel:C0TARGET")).toBe(yes);
    expect([near.count("users.conversations"), near.count("conversations.members")]).toEqual([5, 0]);
    const far = await at({ channels: [...many(5), target], pageSize: 1 });
    expect(await far.ask("message.post", "channel:C0TARGET")).toBe(yes);
    expect([far.count("users.conversations"), far.count("conversations.members")]).toEqual([5, 2]);
    const wide = await at({ channels: [...many(501), target], pageSize: 100 });
    expect(await wide.ask("message.post", "channel:C0TARGET")).toBe(yes);
    expect([wide.count("users.conversations"), wide.count("conversations.members")]).toEqual([5, 1]);
  });
  test("is a no where neither has it, and unsupported where the members are too many", async () => {
    const crowd = (size: number) => ({ ...target, members: Array.from({ length: size }, (_, n) => `U0N${n}`) });
    const out = await at({ channels: [...many(6), crowd(50)], pageSize: 1 });
    expect(await out.ask("message.post", "channel:C0TARGET")).toBe(no);
    const lost = await at({ channels: [...many(6), crowd(51)], pageSize: 1 });
    expect(await lost.ask("message.post", "channel:C0TARGET")).toBe(unsure);
    expect(lost.count("conversations.members")).toBe(50);
  });
});

describe("a user group", () => {
  test("has members, and one that is not listed is not visible", async () => {
    const { ask } = await at();
    expect(await ask("usergroup.member", "usergroup:S0GROUP")).toBe(yes);
    expect(await ask("usergroup.member", "usergroup:S0GROUP", "guest")).toBe(no);
    expect(await ask("usergroup.member", "usergroup:S0NONE")).toBe(hidden);
  });
});

describe("an error of Slack's", () => {
  const codes: [string, string][] = [
    ["channel_not_found", hidden],
    ["not_in_channel", hidden],
    ...["invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired"].map(
      (error): [string, string] => [error, "credential_rejected"],
    ),
    ["ratelimited", "upstream_rate_limited"],
    ["fatal_error", "upstream_error"],
  ];
  for (const [error, code] of codes) {
    test(`${error} is ${code}`, async () => {
      const { ask } = await at({ errors: { "conversations.info": error } });
      expect(await ask("channel.read", "channel:C0PUBLIC")).toBe(code);
    });
  }
  test("missing_scope names the scope", async () => {
    const errors = { "users.lookupByEmail": { error: "missing_scope", needed: "users:read.email" } };
    const { ask, desk } = await at({ errors });
    expect(await ask("user.active", "workspace")).toBe("credential_rejected");
    expect(desk.asked.at(-1)?.decision.reason).toContain("users:read.email");
  });
  test("that it limits the rate is taken after another try", async () => {
    const said = await at({ errors: { "conversations.info": "ratelimited" } });
    expect(await said.ask("channel.read", "channel:C0PUBLIC")).toBe("upstream_rate_limited");
    expect(said.count("conversations.info")).toBe(2);
    const status = await at({ limited: ["conversations.info"] });
    expect(await status.ask("channel.read", "channel:C0PUBLIC")).toBe("upstream_rate_limited");
    expect(status.count("conversations.info")).toBeGreaterThan(1);
  });
});

test("a credential that is not a bot's token is credential_rejected, with no call", async () => {
  const world = await slackWorld();
  const connections = world.connections.map((connection) => ({ ...connection, credential: SECRET }));
  const desk = new Desk({ ...world, connections });
  desks.push(desk);
  const asked = await desk.ask({ user: "dana@example.com", action: "user.active", resource: "workspace" });
  expect([asked.code, world.fake.calls]).toEqual(["credential_rejected", []]);
});

describe("a question that is off makes no call", () => {
  const bad: [string, string][] = [
    ["channel.read", "channel:D0DIRECT"],
    ["channel.read", "channel:general"],
    ["channel.read", "channel:#general"],
    ["channel.read", "channel:c0public"],
    ["channel.read", "channel:"],
    ["channel.read", "channel:C0PUBLIC?x=1"],
    ["channel.read", "workspace"],
    ["user.active", "workspace:x"],
    ["user.active", "channel:C0PUBLIC"],
    ["usergroup.member", "usergroup:G0GROUP"],
  ];
  for (const [action, resource] of bad) {
    test(`${action} on ${resource}`, async () => {
      const { ask, fake } = await at();
      expect([await ask(action, resource), fake.calls]).toEqual(["invalid_request", []]);
    });
  }
});

test("settings that cannot work are refused", () => {
  const good = { id: "s", integration: "slack", credential: SECRET };
  const refused: [object, string][] = [
    [{ team_id: "x" }, "team_id"],
    [{ assume_default_prefs: "yes" }, "assume_default_prefs"],
  ];
  for (const [change, message] of refused)
    expect(() => loadConfigCode([{ ...good, ...change }], INTEGRATIONS)).toThrow(message);
});

describe("the probe", () => {
  test("names the bot and its workspace and has no warnings", async () => {
    const { desk } = await at();
    expect(await desk.probe()).toMatchObject({ ok: true, summary: "bot U0HALLPASS in T0TEAM", warnings: [] });
  });
  test("warns where channels cannot be listed, and fails where the token is refused", async () => {
    const listing = await at({ errors: { "conversations.list": { error: "missing_scope", needed: "channels:read" } } });
    expect((await listing.desk.probe()).warnings).toEqual([expect.stringContaining("channels:read")]);
    const refused = await at({ errors: { "auth.test": "invalid_auth" } });
    expect(await refused.desk.probe()).toMatchObject({ ok: false });
  });
});

test("every action has been allowed and denied", () => expect(uncovered("slack", desks)).toEqual([]));
