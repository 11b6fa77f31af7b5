import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfigCode } from "../../../src/checks/config/config.ts";
import { literal } from "../../../src/checks/config/secret.ts";
import { INTEGRATIONS } from "../../../src/checks/integrations/index.ts";
import {
  githubWorld,
  OLD_PEM,
  REPO,
  restricted,
  upTo,
  withRepo,
  type FakeIdentity,
  type FakePermission,
} from "../fakes/github.ts";
import { CANARY, Desk, SECRET, uncovered, type Asking, type World } from "../support/desk.ts";
import type { FakeReply } from "../support/fake-server.ts";

const desks: Desk[] = [];
const folder = mkdtempSync(join(tmpdir(), "hallpass-github-"));
afterAll(async () => {
  rmSync(folder, { recursive: true });
  for (const desk of desks) await desk.close();
});

async function at(made: World | Promise<World>) {
  const world = await made;
  const desk = new Desk(world);
  desks.push(desk);
  const ask = async (action: string, resource: string, user = "dana", more: Partial<Asking> = {}): Promise<string> =>
    (await desk.ask({ user: `${user}@example.com`, action, resource, ...more })).code;
  /** How many calls went to paths with `part` in them. */
  const count = (part: string): number => world.fake.calls.filter((call) => call.includes(part)).length;
  return { desk, ask, count, fake: world.fake };
}

const app = "repo:acme/app";
const main = "repo:acme/app@main";

/** What is answered where Dana's permission in the repository is this. */
async function permitted(permission: FakePermission, action: string, resource = app): Promise<string> {
  return await (await at(withRepo({ people: { dana: permission } }))).ask(action, resource);
}

async function onMain(repo: Parameters<typeof withRepo>[0], action = "repo.push", user = "dana"): Promise<string> {
  return await (await at(withRepo(repo))).ask(action, main, user);
}

describe("the level", () => {
  const needed: [string, string][] = [
    ["repo.read", "pull"],
    ["issue.create", "pull"],
    ["pr.create", "pull"],
    ["repo.triage", "triage"],
    ["repo.push", "push"],
    ["pr.merge", "push"],
    ["repo.maintain", "maintain"],
    ["repo.admin", "admin"],
  ];
  const levels = ["none", "pull", "triage", "push", "maintain", "admin"];
  for (const [action, level] of needed) {
    test(`${level} gives ${action}, and what is below does not`, async () => {
      for (const held of levels) {
        const wanted = levels.indexOf(held) >= levels.indexOf(level) ? "allowed" : "denied";
        expect([held, await permitted(upTo(held), action)]).toEqual([held, wanted]);
      }
    });
  }
  test("is read from the permission alone where that is all there is, as far as it goes", async () => {
    const wanted: [string, string, string][] = [
      ["write", "repo.push", "allowed"],
      ["write", "repo.admin", "denied"],
      ["write", "repo.maintain", "unsupported"],
      ["read", "repo.triage", "unsupported"],
      ["read", "repo.push", "denied"],
      ["admin", "repo.maintain", "allowed"],
      ["none", "repo.read", "denied"],
      ["odd", "repo.read", "unsupported"],
    ];
    for (const [permission, action, code] of wanted)
      expect([permission, action, await permitted({ permission }, action)]).toEqual([permission, action, code]);
  });
  test("is read from the role's name where the flags are missing", async () => {
    expect(await permitted({ permission: "write", role_name: "maintain" }, "repo.maintain")).toBe("allowed");
    expect(await permitted({ permission: "read", role_name: "triage" }, "repo.push")).toBe("denied");
  });
  test("of a custom role is enough where it says so, and unsupported where it does not", async () => {
    expect(await permitted(upTo("push", "release-manager"), "repo.push")).toBe("allowed");
    expect(await permitted(upTo("push", "release-manager"), "repo.admin")).toBe("unsupported");
    expect(await permitted({ permission: "write", role_name: "release-manager" }, "repo.push")).toBe("unsupported");
  });
  test("that GitHub does not say is unsupported", async () => {
    expect(await permitted({}, "repo.read")).toBe("unsupported");
  });
  test("of a person whom the repository does not know, and of a missing one, is resource_not_visible", async () => {
    const { ask } = await at(withRepo({ people: {} }));
    expect(await ask("repo.read", app)).toBe("resource_not_visible");
    expect(await ask("repo.read", "repo:acme/none")).toBe("resource_not_visible");
  });
});

describe("what is needed besides", () => {
  const fields = (change: Record<string, unknown>) => withRepo({ fields: { ...REPO.fields, ...change } });
  test("an issue needs issues to be switched on, and that to be said", async () => {
    expect(await (await at(fields({ has_issues: false }))).ask("issue.create", app)).toBe("denied");
    expect(await (await at(fields({ has_issues: undefined }))).ask("issue.create", app)).toBe("unsupported");
  });
  test("a reader's pull request needs forks, a writer's does not", async () => {
    expect(await (await at(fields({ allow_forking: true }))).ask("pr.create", app, "rita")).toBe("allowed");
    expect(await (await at(fields({ allow_forking: false }))).ask("pr.create", app, "rita")).toBe("denied");
    expect(await (await at(fields({ allow_forking: undefined }))).ask("pr.create", app, "rita")).toBe("unsupported");
    const { ask, count } = await at(fields({ allow_forking: false }));
    expect(await ask("pr.create", app)).toBe("allowed");
    expect(count("/repos/acme/app/collaborators")).toBe(1);
    expect(count("/repos/")).toBe(1);
  });
});

describe("the organization", () => {
  test("has members, owners, and people who create repositories", async () => {
    const { ask } = await at(githubWorld());
    const wanted: [string, string, string][] = [
      ["org.member", "dana", "allowed"],
      ["org.member", "rita", "denied"],
      ["org.member", "tim", "denied"],
      ["org.admin", "olga", "allowed"],
      ["org.admin", "dana", "denied"],
      ["org.repo.create", "dana", "allowed"],
      ["org.repo.create", "tim", "denied"],
    ];
    for (const [action, user, code] of wanted)
      expect([action, user, await ask(action, "org:acme", user)]).toEqual([action, user, code]);
  });
  test("lets owners create repositories where members may not", async () => {
    const { ask } = await at(githubWorld({ org: { members_can_create_repositories: false } }));
    expect(await ask("org.repo.create", "org:acme", "olga")).toBe("allowed");
    expect(await ask("org.repo.create", "org:acme")).toBe("denied");
  });
  test("that does not say whether members may, whether a membership is active or what it is of, is unsupported", async () => {
    expect(await (await at(githubWorld({ org: {} }))).ask("org.repo.create", "org:acme")).toBe("unsupported");
    const stateless = await at(githubWorld({ members: { dana: { role: "admin" } } }));
    expect(await stateless.ask("org.member", "org:acme")).toBe("unsupported");
    const odd = await at(githubWorld({ members: { dana: { state: "active", role: "ghost" } } }));
    expect(await odd.ask("org.admin", "org:acme")).toBe("unsupported");
  });
});

describe("a team", () => {
  test("has members and maintainers", async () => {
    const { ask } = await at(githubWorld());
    expect(await ask("team.member", "team:acme/core")).toBe("allowed");
    expect(await ask("team.maintainer", "team:acme/core", "olga")).toBe("allowed");
    expect(await ask("team.maintainer", "team:acme/core")).toBe("denied");
  });
  test("that the person is not in is a no, one that is not there resource_not_visible", async () => {
    const { ask, fake } = await at(githubWorld());
    expect(await ask("team.member", "team:acme/core", "tim")).toBe("denied");
    expect(fake.calls.at(-1)).toBe("GET /orgs/acme/teams/core");
    expect(await ask("team.member", "team:acme/none")).toBe("resource_not_visible");
  });
  test("with an invitation not accepted is a no, with no state unsupported", async () => {
    const teams = { core: { dana: { state: "pending", role: "member" }, tim: { role: "member" } } };
    const { ask } = await at(githubWorld({ teams }));
    expect(await ask("team.member", "team:acme/core")).toBe("denied");
    expect(await ask("team.member", "team:acme/core", "tim")).toBe("unsupported");
  });
});

describe("a branch's rules", () => {
  for (const type of ["pull_request", "update", "merge_queue"]) {
    test(`of the type ${type} leave a push unsupported and a merge alone`, async () => {
      const rules = { main: [{ type }] };
      expect(await onMain({ rules })).toBe("unsupported");
      expect(await onMain({ rules }, "pr.merge")).toBe("allowed");
    });
  }
  test("of other types are only named", async () => {
    const { desk, ask } = await at(withRepo({ rules: { main: [{ type: "creation" }, { type: "deletion" }] } }));
    expect(await ask("repo.push", main)).toBe("allowed");
    expect(desk.asked.at(-1)?.decision.reason).toContain("creation, deletion");
  });
  test("that cannot be read are unsupported for 403, not visible for 404, an error for 500", async () => {
    const wanted: [FakeReply, string][] = [
      [{ status: 403, body: { message: CANARY } }, "unsupported"],
      [{ status: 403, headers: { "x-ratelimit-remaining": "0" } }, "upstream_rate_limited"],
      [{ status: 404 }, "resource_not_visible"],
      [{ status: 500 }, "upstream_error"],
    ];
    for (const [rules, code] of wanted)
      expect(await (await at(githubWorld({ instead: { rules } }))).ask("repo.push", main)).toBe(code);
  });
  test("are read to the last page", async () => {
    const { fake, ask } = await at(withRepo({ rules: { main: [{ type: "creation" }] } }));
    const next = `<https://api.github.com/repos/acme/app/rules/branches/main?page=2>; rel="next"`;
    fake.fault = ({ path, query }) =>
      path.includes("/rules/") && !query.has("page") ? (reply) => ({ ...reply, headers: { link: next } }) : undefined;
    expect(await ask("repo.push", main)).toBe("allowed");
    expect(fake.calls.filter((call) => call.includes("/rules/")).length).toBe(2);
  });
  test("are not looked at for a reader, for no branch and for other actions", async () => {
    const { ask, count } = await at(githubWorld());
    expect(await ask("repo.push", main, "rita")).toBe("denied");
    expect(await ask("repo.push", app)).toBe("allowed");
    expect(await ask("repo.read", main)).toBe("allowed");
    expect(count("/rules/") + count("/branches/")).toBe(0);
  });
  test("are asked for by the branch as one segment", async () => {
    const { ask, fake } = await at(githubWorld());
    expect(await ask("repo.push", "repo:acme/app@release/1.0")).toBe("allowed");
    expect(fake.calls.slice(-2)).toEqual([
      "GET /repos/acme/app/rules/branches/release%2F1.0",
      "GET /repos/acme/app/branches/release%2F1.0/protection",
    ]);
  });
});

describe("a branch's protection", () => {
  const only = (users: readonly string[], teams: readonly string[] = [], more: object = {}) => ({
    protection: restricted("", {
      restrictions: { users: users.map((login) => ({ login })), teams: teams.map((slug) => ({ slug })), apps: [] },
      ...more,
    }),
  });
  const withTeam = async (member: object, instead: Record<string, FakeReply> = {}): Promise<string> =>
    await (
      await at(withRepo(only([], ["core"]), { teams: { core: { dana: member } }, instead }))
    ).ask("repo.push", main);

  test("lets the people and the teams that it lists push", async () => {
    expect(await onMain(only(["Dana"]))).toBe("allowed");
    expect(await onMain(only([], ["core"]))).toBe("allowed");
  });
  test("stops others from a push, and leaves their merge unsupported", async () => {
    expect(await onMain(only(["mia"]))).toBe("denied");
    expect(await onMain(only(["mia"]), "pr.merge")).toBe("unsupported");
    expect(await onMain(only([], ["core"]), "repo.push", "mia")).toBe("denied");
  });
  test("counts a team's active members alone", async () => {
    expect(await withTeam({ state: "active" })).toBe("allowed");
    expect(await withTeam({ state: "pending" })).toBe("denied");
    expect(await withTeam({ role: "member" })).toBe("unsupported");
  });
  test("with a team that cannot be read is unsupported", async () => {
    expect(await withTeam({ state: "active" }, { teamMember: { status: 403 } })).toBe("unsupported");
    expect(await onMain(only([], ["gone"]))).toBe("unsupported");
    expect(await onMain(only([], ["gone", "core"]))).toBe("allowed");
  });
  test("with a team of an odd name is unsupported, and makes no call for it", async () => {
    const { ask, count } = await at(withRepo(only([], ["../../x"])));
    expect(await ask("repo.push", main)).toBe("unsupported");
    expect(count("/teams/")).toBe(0);
  });
  test("does not bind administrators unless it says so", async () => {
    const enforced = (enforce_admins: unknown) => onMain(only(["mia"], [], { enforce_admins }), "repo.push", "olga");
    expect(await enforced({ enabled: false })).toBe("allowed");
    expect(await enforced({ enabled: true })).toBe("denied");
    expect(await enforced(undefined)).toBe("unsupported");
  });
  test("that asks for reviews leaves a push unsupported but an administrator's, and a merge alone", async () => {
    const reviews = { required_pull_request_reviews: { url: CANARY }, enforce_admins: { enabled: false } };
    const repo = { protection: { main: reviews } };
    expect(await onMain(repo)).toBe("unsupported");
    expect(await onMain(repo, "pr.merge")).toBe("allowed");
    expect(await onMain(repo, "repo.push", "olga")).toBe("allowed");
  });
  test("that cannot be read is unsupported", async () => {
    const { ask } = await at(githubWorld({ instead: { protection: { status: 403 } } }));
    expect(await ask("repo.push", main)).toBe("unsupported");
  });
});

describe("a person, by SAML", () => {
  const of = async (identities: readonly FakeIdentity[] | undefined, more: object = {}) =>
    await at(githubWorld({ identities, repos: { "acme/app": { ...REPO, people: { dana: upTo("push") } } }, ...more }));
  const found = async (identities: readonly FakeIdentity[] | undefined): Promise<string> =>
    await (await of(identities)).ask("repo.push", app);
  const email = "dana@example.com";

  test("is found by any of the names of an identity, with no listing", async () => {
    const identities: FakeIdentity[] = [
      { saml: { nameId: "Dana@Example.com" }, login: "dana" },
      { saml: { username: email }, login: "dana" },
      { scim: { username: email }, login: "dana" },
    ];
    for (const identity of identities) {
      const { ask, count } = await of([identity]);
      expect(await ask("repo.push", app)).toBe("allowed");
      expect(count("/graphql")).toBe(1);
    }
  });
  test("is not whom GitHub's filter finds under another name; the listing finds them", async () => {
    const { ask, count } = await of([
      { saml: { nameId: "eve@example.com" }, login: "eve", foundBy: [email] },
      { saml: { nameId: email }, login: "dana", foundBy: [] },
    ]);
    expect(await ask("repo.push", app)).toBe("allowed");
    expect(count("/graphql")).toBe(2);
  });
  test("is looked for on all pages, once in ten minutes, fresh or not", async () => {
    const many = Array.from({ length: 7 }, (_, n) => ({
      saml: { nameId: n === 6 ? email : `p${n}@example.com` },
      login: n === 6 ? "dana" : `p${n}`,
      foundBy: [],
    }));
    const { ask, count, desk } = await of(many, { pageSize: 2 });
    expect(await ask("repo.push", app)).toBe("allowed");
    expect(count("/graphql")).toBe(1 + 4);
    desk.clock.advance(5_000);
    expect(await ask("repo.push", app, "dana", { fresh: true })).toBe("allowed");
    expect(count("/graphql")).toBe(1 + 4 + 1);
    desk.clock.advance(10 * 60_000);
    expect(await ask("repo.push", app, "dana", { fresh: true })).toBe("allowed");
    expect(count("/graphql")).toBe(1 + 4 + 1 + 1 + 4);
  });
  test("who has two accounts is ambiguous; who has one twice, or beside an unlinked identity, is not", async () => {
    const twice = (login: string | undefined, foundBy: readonly string[] | undefined): FakeIdentity[] => [
      { saml: { nameId: email }, login: "dana", ...(foundBy === undefined ? {} : { foundBy }) },
      {
        saml: { username: email },
        ...(login === undefined ? {} : { login }),
        ...(foundBy === undefined ? {} : { foundBy }),
      },
    ];
    for (const foundBy of [undefined, []]) {
      expect(await found(twice("eve", foundBy))).toBe("user_ambiguous");
      expect(await found(twice("Dana", foundBy))).toBe("allowed");
      expect(await found(twice(undefined, foundBy))).toBe("allowed");
    }
  });
  test("whose identity is linked to no account is unsupported", async () => {
    expect(await found([{ saml: { nameId: email } }])).toBe("unsupported");
    expect(await found([{ saml: { nameId: email }, foundBy: [] }])).toBe("unsupported");
  });
  test("who is on no page is not found, and unsupported where the pages are too many", async () => {
    expect(await found([{ saml: { nameId: "eve@example.com" }, login: "eve" }])).toBe("user_not_found");
    const many = Array.from({ length: 51 }, (_, n) => ({ saml: { nameId: `p${n}@example.com` }, login: `p${n}` }));
    const { ask, count } = await of(many, { pageSize: 1 });
    expect(await ask("repo.push", app)).toBe("unsupported");
    expect(count("/graphql")).toBe(1 + 50);
  });
  test("is not whose address only folds to the person's", async () => {
    expect(await found([{ saml: { nameId: "\u212aim@example.com" }, login: "eve", foundBy: [] }])).toBe(
      "user_not_found",
    );
  });
  test("in an organization without a SAML provider is unsupported", async () => {
    expect(await found(undefined)).toBe("unsupported");
  });
  test("cannot be looked for where GraphQL says so", async () => {
    const wanted: [string, string][] = [
      ["FORBIDDEN", "credential_rejected"],
      ["INSUFFICIENT_SCOPES", "credential_rejected"],
      ["RATE_LIMITED", "upstream_rate_limited"],
      ["NOT_FOUND", "upstream_error"],
    ];
    for (const [type, code] of wanted) {
      const errors = [{ type, message: CANARY }];
      const graphql = {
        status: 200,
        body: type === "FORBIDDEN" ? { errors } : { data: { organization: null }, errors },
      };
      expect([type, await (await at(githubWorld({ instead: { graphql } }))).ask("repo.push", app)]).toEqual([
        type,
        code,
      ]);
    }
  });
});

describe("a person, by a template", () => {
  const mode = { identity_mode: "template", login_template: "{local}", email_domains: "example.com" };
  const of = async (users: Record<string, { type: string }>) => await at(githubWorld({ users }, mode));
  test("is the account of that name", async () => {
    const { ask, count } = await of({ dana: { type: "User" } });
    expect(await ask("repo.push", app)).toBe("allowed");
    expect(count("/users/dana")).toBe(1);
  });
  test("of another domain is unsupported, with no call", async () => {
    const { desk, fake } = await of({ dana: { type: "User" } });
    const asked = await desk.ask({ user: "dana@evil.example.com", action: "repo.push", resource: app });
    expect([asked.code, fake.calls]).toEqual(["unsupported", []]);
  });
  test("whose name GitHub would not take is not found, with no call", async () => {
    const { ask, fake } = await of({});
    expect([await ask("repo.push", app, "d.ana+x"), fake.calls]).toEqual(["user_not_found", []]);
  });
  test("who has no account, or whose name is an organization's, is not found", async () => {
    const { ask } = await of({ acme: { type: "Organization" }, bot: { type: "Bot" } });
    expect(await ask("repo.push", app)).toBe("user_not_found");
    expect(await ask("repo.push", app, "acme")).toBe("user_not_found");
    expect(await ask("repo.push", app, "bot")).toBe("unsupported");
  });
});

describe("a person, by a map file", () => {
  const write = (text: string): string => {
    const file = join(folder, "map");
    writeFileSync(file, text);
    return file;
  };
  const connect = (file: string) => at(githubWorld({}, { identity_mode: "map_file", user_map_file: file }));
  test("has the account of their line, in either form", async () => {
    const { ask } = await connect(write("# people\nDana@example.com dana\n\nolga@example.com = olga # owner\n"));
    expect(await ask("repo.push", app)).toBe("allowed");
    expect(await ask("repo.admin", app, "olga")).toBe("allowed");
    expect(await ask("repo.push", app, "eve")).toBe("user_not_found");
  });
  test("has the account of a new file after a minute, and the old one while the new is broken", async () => {
    const { ask, desk } = await connect(write("dana@example.com dana"));
    write("broken");
    desk.clock.advance(16 * 60_000);
    expect(await ask("repo.push", app)).toBe("allowed");
    write("dana@example.com rita");
    desk.clock.advance(16 * 60_000);
    expect(await ask("repo.push", app)).toBe("denied");
  });
  test("cannot be in a file with a bad line", async () => {
    for (const text of ["dana", "dana dana", "a@b@c dana", "dana@example.com d/x", "a@b.c x y", "a@b.c x\na@b.c y"]) {
      const world = await githubWorld({}, { identity_mode: "map_file", user_map_file: write(text) });
      expect(() => new Desk(world)).toThrow("map");
      await world.fake.close();
    }
  });
});

describe("the App", () => {
  test("is asked for one token an hour, and its installation once for each", async () => {
    const { ask, count, desk } = await at(githubWorld());
    await ask("repo.push", app);
    await ask("repo.admin", app);
    desk.clock.advance(54 * 60_000);
    await ask("repo.push", app);
    expect([count("/access_tokens"), count("/installation")]).toEqual([1, 2]);
    desk.clock.advance(60_000);
    await ask("repo.push", app);
    expect(count("/access_tokens")).toBe(2);
    expect(JSON.stringify(desk.decisions)).not.toContain("access_tokens");
  });
  test("does not look for an installation that is configured", async () => {
    const { ask, count } = await at(githubWorld({}, { installation_id: "77" }));
    expect(await ask("repo.push", app)).toBe("allowed");
    expect(count("/orgs/acme/installation")).toBe(0);
  });
  test("gets another token once for one that is refused", async () => {
    const ended = await at(githubWorld({ tokenUses: 1 }));
    expect(await ended.ask("repo.push", app)).toBe("allowed");
    expect(ended.count("/access_tokens")).toBe(2);
    const useless = await at(githubWorld({ tokenUses: 0 }));
    expect(await useless.ask("repo.push", app)).toBe("credential_rejected");
    expect(useless.count("/access_tokens")).toBe(2);
  });
  test("may have its key in PKCS#1", async () => {
    const world = await githubWorld();
    const [connection] = world.connections;
    const { ask } = await at({ ...world, connections: [{ ...connection, credential: literal(OLD_PEM) }] });
    expect(await ask("repo.push", app)).toBe("allowed");
  });
  test("with a key that is none is credential_rejected, with no call", async () => {
    const world = await githubWorld();
    const [connection] = world.connections;
    const { ask, fake } = await at({ ...world, connections: [{ ...connection, credential: SECRET }] });
    expect([await ask("repo.push", app), fake.calls]).toEqual(["credential_rejected", []]);
  });
  test("that is not installed is credential_rejected", async () => {
    for (const config of [{}, { installation_id: "77" }])
      expect(await (await at(githubWorld({ isInstalled: false }, config))).ask("repo.push", app)).toBe(
        "credential_rejected",
      );
  });
  test("with too many calls is told from one that lacks a right", async () => {
    const wanted: [Record<string, string>, string][] = [
      [{ "x-ratelimit-remaining": "0" }, "upstream_rate_limited"],
      [{ "retry-after": "60" }, "upstream_rate_limited"],
      [{ "x-ratelimit-remaining": "4999" }, "credential_rejected"],
      [{}, "credential_rejected"],
    ];
    for (const [headers, code] of wanted) {
      const permission = { status: 403, headers, body: { message: CANARY } };
      expect(await (await at(githubWorld({ instead: { permission } }))).ask("repo.push", app)).toBe(code);
    }
  });
  test("works at a server of one's own", async () => {
    const { ask, fake } = await at(githubWorld({}, {}, true));
    expect(await ask("repo.push", app)).toBe("allowed");
    expect(fake.calls).toContain("POST /api/graphql");
    expect(fake.calls.at(-1)).toBe("GET /api/v3/repos/acme/app/collaborators/dana/permission");
  });
});

describe("a question that is off makes no call", () => {
  const bad: [string, string][] = [
    ["repo.push", "repo:other/app"],
    ["repo.push", "repo:acme"],
    ["repo.push", "repo:acme/"],
    ["repo.push", "repo:acme/.."],
    ["repo.push", "repo:acme/a/b"],
    ["repo.push", "repo:acme/app@"],
    ["repo.push", "repo:acme/app@-x"],
    ["repo.push", "repo:acme/app@a..b"],
    ["repo.push", "repo:acme/app?x=1"],
    ["repo.push", "org:acme"],
    ["org.member", "org:other"],
    ["org.member", "org:acme/x"],
    ["team.member", "team:acme/Core"],
    ["team.member", "team:other/core"],
    ["team.member", "team:acme"],
  ];
  for (const [action, resource] of bad) {
    test(`${action} on ${resource}`, async () => {
      const { ask, fake } = await at(githubWorld());
      expect([await ask(action, resource), fake.calls]).toEqual(["invalid_request", []]);
    });
  }
  test("but the owner may be in any case", async () => {
    const { ask } = await at(githubWorld());
    expect(await ask("repo.push", "repo:ACME/app")).toBe("allowed");
    expect(await ask("team.member", "team:Acme/core")).toBe("allowed");
  });
});

test("settings that cannot work are refused", () => {
  const good = { id: "g", integration: "github", organization: "acme", app_id: "Iv1", credential: SECRET };
  const refused: [object, string][] = [
    [{ identity_mode: "template" }, "login_template"],
    [{ identity_mode: "template", login_template: "{local}" }, "email_domains"],
    [{ identity_mode: "map_file" }, "user_map_file"],
    [{ app_id: "x y" }, "app_id"],
    [{ organization: "a/b" }, "organization"],
    [{ installation_id: "abc" }, "installation_id"],
  ];
  for (const [change, message] of refused)
    expect(() => loadConfigCode([{ ...good, ...change }], INTEGRATIONS)).toThrow(message);
});

describe("the probe", () => {
  const probe = async (...given: Parameters<typeof githubWorld>) =>
    await (await at(githubWorld(...given))).desk.probe();
  test("names the App and has no warnings", async () => {
    expect(await probe()).toMatchObject({ ok: true, summary: "App hallpass, installed in acme", warnings: [] });
  });
  test("warns of rights that are missing and of rights beyond reading", async () => {
    const { warnings } = await probe({ permissions: { metadata: "read", contents: "write" } });
    expect(warnings).toEqual([
      "the App lacks the permission to read members",
      "the App has write on contents: reading is all that hallpass needs",
    ]);
  });
  test("warns of another installation and of no SAML provider", async () => {
    expect((await probe({ identities: undefined })).warnings).toEqual([expect.stringContaining("no SAML provider")]);
    const mapped = { identity_mode: "template", login_template: "{local}", email_domains: "example.com" };
    expect((await probe({ identities: undefined }, mapped)).warnings).toEqual([]);
    expect((await probe({}, { installation_id: "78", ...mapped })).warnings).toEqual([
      expect.stringContaining("installation_id is 78"),
    ]);
  });
  test("fails where the App is not installed", async () => {
    expect(await probe({ isInstalled: false })).toMatchObject({ ok: false });
  });
});

test("every action has been allowed and denied", () => expect(uncovered("github", desks)).toEqual([]));
