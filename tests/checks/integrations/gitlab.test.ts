import { afterAll, describe, expect, test } from "bun:test";
import { loadConfigCode } from "../../../src/checks/config/config.ts";
import { covers } from "../../../src/checks/integrations/gitlab/wildcard.ts";
import { INTEGRATIONS } from "../../../src/checks/integrations/index.ts";
import {
  DANA,
  gitlabWorld,
  level,
  MAIN,
  member,
  person,
  PROJECT,
  withProject,
  type FakeMember,
  type FakeUser,
  type GitlabState,
} from "../fakes/gitlab.ts";
import { CANARY, Desk, SECRET, uncovered, type World } from "../support/desk.ts";

const desks: Desk[] = [];
afterAll(async () => {
  for (const desk of desks) await desk.close();
});

async function at(made: World | Promise<World>) {
  const world = await made;
  const desk = new Desk(world);
  desks.push(desk);
  const ask = async (action: string, resource: string, user = "dana"): Promise<string> =>
    (await desk.ask({ user: `${user}@example.com`, action, resource })).code;
  const count = (part: string): number => world.fake.calls.filter((call) => call.includes(part)).length;
  return { desk, ask, count, fake: world.fake };
}

const app = "project:acme/app";
const main = "project:acme/app@main";

/** What Dana is answered who has this membership in the project and the group. */
async function asMember(entry: FakeMember, action: string): Promise<string> {
  const groups = { acme: { members: { 7: entry } } };
  const { ask } = await at(withProject({ members: { 7: entry } }, { groups }));
  return await ask(action, action.startsWith("group.") ? "group:acme" : app);
}

/** What Nora is answered, who is a member nowhere. */
async function asOutsider(fields: object, action: string, nora: Partial<FakeUser> = {}): Promise<string> {
  const users = [DANA, person(11, "nora", nora)];
  return await (
    await at(withProject({ fields: { ...PROJECT.fields, ...fields } }, { users }))
  ).ask(action, app, "nora");
}

/** What the branch main with these entries answers a member of this level. */
async function onMain(entries: readonly object[], entry = member(30), more: Partial<GitlabState> = {}) {
  const rule = { name: "main", push_access_levels: entries as never, merge_access_levels: [] };
  const world = await at(withProject({ branches: [rule], members: { 7: entry } }, more));
  return { ...world, code: await world.ask("repo.push", main) };
}

describe("the level", () => {
  const all = [0, 5, 10, 15, 20, 25, 30, 40, 50];
  const any = [10, 15, 20, 25, 30, 40, 50];
  const wanted: Record<string, readonly number[]> = {
    "project.read": any,
    "issue.create": any,
    "group.member": any,
    "issue.edit": [15, 20, 25, 30, 40, 50],
    "mr.create": [30, 40, 50],
    "repo.push": [30, 40, 50],
    "mr.merge": [30, 40, 50],
    "pipeline.run": [30, 40, 50],
    "group.project.create": [30, 40, 50],
    "branch.protect": [40, 50],
    "project.admin": [40, 50],
    "member.manage": [40, 50],
    "variable.manage": [40, 50],
    "runner.manage": [40, 50],
    "project.delete": [50],
    "group.admin": [50],
  };
  for (const [action, levels] of Object.entries(wanted)) {
    test(`gives ${action} to ${levels.join(", ")} and to no other`, async () => {
      for (const one of all)
        expect([one, await asMember(member(one), action)]).toEqual([one, levels.includes(one) ? "allowed" : "denied"]);
    });
  }
  test("of a Planner or Reporter leaves an approval unsupported", async () => {
    const codes = await Promise.all(all.map(async (one) => await asMember(member(one), "mr.approve")));
    const [no, maybe, yes] = ["denied", "unsupported", "allowed"];
    expect(codes).toEqual([no, no, no, maybe, maybe, no, yes, yes, yes] as string[]);
  });
  test("that is not known, or not said, is unsupported", async () => {
    expect(await asMember(member(35), "project.read")).toBe("unsupported");
    expect(await asMember({ state: "active" }, "project.read")).toBe("unsupported");
  });
  test("of a custom role is enough where it is, and unsupported where it is not", async () => {
    const custom = (one: number) => member(one, { member_role: { id: 4, name: CANARY } });
    expect(await asMember(custom(30), "repo.push")).toBe("allowed");
    expect(await asMember(custom(20), "repo.push")).toBe("unsupported");
  });
});

describe("a membership", () => {
  test("that waits is a no, one whose state is not said unsupported", async () => {
    expect(await asMember(member(50, { membership_state: "awaiting" }), "project.read")).toBe("denied");
    expect(await asMember(member(50, { state: "awaiting" }), "project.read")).toBe("denied");
    expect(await asMember({ access_level: 50 }, "project.read")).toBe("unsupported");
  });
  test("counts without a state of its own, which the free edition does not have", async () => {
    expect(await asMember({ access_level: 30, state: "active" }, "repo.push")).toBe("allowed");
  });
  test("in what is not there is resource_not_visible", async () => {
    const { ask } = await at(gitlabWorld());
    expect(await ask("project.read", "project:acme/none")).toBe("resource_not_visible");
    expect(await ask("group.member", "group:none")).toBe("resource_not_visible");
  });
  test("is asked for by the path as one segment", async () => {
    const { ask, fake } = await at(gitlabWorld());
    expect(await ask("project.read", app)).toBe("allowed");
    expect(fake.calls.at(-1)).toBe("GET /api/v4/projects/acme%2Fapp/members/all/7");
  });
  test("that may not be read is credential_rejected", async () => {
    const { ask } = await at(gitlabWorld({ instead: { projectMember: { status: 403, body: CANARY } } }));
    expect(await ask("project.read", app)).toBe("credential_rejected");
  });
});

describe("a person who is no member", () => {
  const cases: [string, object, string, Partial<FakeUser>, string][] = [
    ["sees a public project", { visibility: "public" }, "project.read", {}, "allowed"],
    ["opens issues in a public project", { visibility: "public" }, "issue.create", {}, "allowed"],
    ["sees an internal project", { visibility: "internal" }, "project.read", {}, "allowed"],
    ["opens issues in an internal project", { visibility: "internal" }, "issue.create", {}, "allowed"],
    [
      "who is external sees no internal project",
      { visibility: "internal" },
      "project.read",
      { external: true },
      "denied",
    ],
    ["sees no private project", {}, "project.read", {}, "denied"],
    ["opens no issues in a private project", {}, "issue.create", {}, "denied"],
    ["edits no issues in a public project", { visibility: "public" }, "issue.edit", {}, "denied"],
    [
      "opens no issues that members alone see",
      { visibility: "public", issues_access_level: "private" },
      "issue.create",
      {},
      "denied",
    ],
    [
      "opens no issues where they are disabled, an administrator neither",
      { visibility: "public", issues_access_level: "disabled" },
      "issue.create",
      { is_admin: true },
      "denied",
    ],
    [
      "opens no issues where they are not enabled",
      { visibility: "public", issues_enabled: false },
      "issue.create",
      { is_admin: true },
      "denied",
    ],
    ["who is an administrator may delete a private project", {}, "project.delete", { is_admin: true }, "allowed"],
    ["pushes to no public project", { visibility: "public" }, "repo.push", {}, "denied"],
    ["in a project of unknown visibility is unsupported", { visibility: undefined }, "project.read", {}, "unsupported"],
    [
      "where issues are of an unknown kind is unsupported",
      { visibility: "public", issues_access_level: undefined },
      "issue.create",
      {},
      "unsupported",
    ],
  ];
  for (const [name, fields, action, nora, code] of cases)
    test(name, async () => expect(await asOutsider(fields, action, nora)).toBe(code));

  test("and may or may not be external is unsupported in an internal project", async () => {
    const { external: _, ...nora } = person(11, "nora");
    const { ask } = await at(withProject({ fields: { ...PROJECT.fields, visibility: "internal" } }, { users: [nora] }));
    expect(await ask("project.read", app, "nora")).toBe("unsupported");
  });
  test("needs no look at protected branches", async () => {
    const { ask, count } = await at(withProject({ branches: [MAIN] }));
    expect(await ask("repo.push", main, "nora")).toBe("denied");
    expect(count("protected_branches")).toBe(0);
  });
  test("is no member of a group, as an administrator neither, who may administer it", async () => {
    const { ask } = await at(gitlabWorld({ users: [person(11, "nora", { is_admin: true })] }));
    expect(await ask("group.member", "group:acme", "nora")).toBe("denied");
    expect(await ask("group.admin", "group:acme", "nora")).toBe("allowed");
  });
});

describe("a protected branch", () => {
  test("of maintainers stops a developer's push, and lets a merge through that is of developers", async () => {
    const { ask } = await at(withProject({ branches: [MAIN] }));
    expect(await ask("repo.push", main)).toBe("denied");
    expect(await ask("repo.push", main, "mia")).toBe("allowed");
    expect(await ask("repo.push", main, "olga")).toBe("allowed");
    expect(await ask("mr.merge", main)).toBe("allowed");
    expect(await ask("repo.push", "project:acme/app@feature/x")).toBe("allowed");
  });
  test("leaves a push unsupported that names no branch", async () => {
    const { ask } = await at(withProject({ branches: [MAIN] }));
    expect(await ask("repo.push", app)).toBe("unsupported");
    expect(await (await at(gitlabWorld())).ask("repo.push", app)).toBe("allowed");
  });
  test("is found by its wildcard, below folders too, and on the last page", async () => {
    const rule = { name: "release/*", push_access_levels: [level(40)], merge_access_levels: [] };
    const others = Array.from({ length: 5 }, (_, n) => ({ ...MAIN, name: `b${n}` }));
    const { ask, count } = await at(withProject({ branches: [...others, rule] }, { pageSize: 2 }));
    expect(await ask("repo.push", "project:acme/app@release/1.0/fix")).toBe("denied");
    expect(count("protected_branches")).toBe(3);
  });
  test("is as open as the most permissive of the rules that match", async () => {
    const wide = { name: "m*", push_access_levels: [level(30)], merge_access_levels: [] };
    expect(await (await at(withProject({ branches: [MAIN, wide] }))).ask("repo.push", main)).toBe("allowed");
  });
  test("with nobody in its list is closed, to owners too", async () => {
    expect((await onMain([], member(50))).code).toBe("denied");
    expect((await onMain([level(0)], member(50))).code).toBe("denied");
  });
  test("is open to a person it names, whatever the level beside them", async () => {
    expect((await onMain([level(0), level(40, { user_id: 7 })])).code).toBe("allowed");
    expect((await onMain([level(30, { user_id: 8 })])).code).toBe("denied");
  });
  test("is not open to a person by a deploy key", async () => {
    expect((await onMain([level(30, { deploy_key_id: 7 })], member(50))).code).toBe("denied");
  });
  test("is open to a group's members, where they can be read", async () => {
    const entry = [level(40, { group_id: 3 })];
    const of = (members: Record<number, FakeMember>) => ({ groups: { "3": { members } } });
    expect((await onMain(entry, member(30), of({ 7: member(20) }))).code).toBe("allowed");
    expect((await onMain(entry, member(50), of({ 7: member(20, { membership_state: "awaiting" }) }))).code).toBe(
      "denied",
    );
    expect((await onMain(entry, member(50), of({ 8: member(20) }))).code).toBe("denied");
    const forbidden = { instead: { groupMember: { status: 403 } } };
    expect((await onMain(entry, member(50), forbidden)).code).toBe("unsupported");
    const other = await onMain([...entry, level(30)], member(30), forbidden);
    expect([other.code, other.count("/groups/3/")]).toEqual(["allowed", 0]);
  });
  test("is open to administrators where it is known who is one", async () => {
    const of = (is_admin: boolean | undefined) => ({ users: [{ ...DANA, is_admin } as FakeUser] });
    expect((await onMain([level(60)], member(30), of(true))).code).toBe("allowed");
    expect((await onMain([level(60)], member(50), of(false))).code).toBe("denied");
    expect((await onMain([level(60)], member(50), of(undefined))).code).toBe("unsupported");
  });
  test("is open to a custom role's holders, and unsupported for others", async () => {
    const entry = [level(30, { member_role_id: 4 })];
    expect((await onMain(entry, member(30, { member_role: { id: 4, name: CANARY } }))).code).toBe("allowed");
    expect((await onMain(entry, member(30, { member_role: { id: 5, name: CANARY } }))).code).toBe("unsupported");
    expect((await onMain(entry, member(50))).code).toBe("unsupported");
  });
  test("with an entry of an unknown level is unsupported", async () => {
    expect((await onMain([level(35)], member(50))).code).toBe("unsupported");
  });
  test("that may not be read is credential_rejected", async () => {
    const { ask } = await at(gitlabWorld({ instead: { branches: { status: 403 } } }));
    expect(await ask("repo.push", main)).toBe("credential_rejected");
  });
  test("is not looked for where the level does not give it", async () => {
    const { ask, count } = await at(withProject({ branches: [MAIN], members: { 7: member(20) } }));
    expect(await ask("repo.push", main)).toBe("denied");
    expect(count("protected_branches")).toBe(0);
  });
  test("has a wildcard that stands for anything", () => {
    const table: [string, string, boolean][] = [
      ["*", "a/b", true],
      ["main", "main", true],
      ["main", "Main", false],
      ["main", "mainx", false],
      ["*-stable", "1-0-stable", true],
      ["*-stable", "-stable", true],
      ["*-stable", "stable", false],
      ["*-stable", "1-0-stable-2", false],
      ["v*.*.*", "v1.2.3", true],
      ["v*.*.*", "v1.2", false],
      ["v*.*.*", "v1.2.3.4", true],
      ["a*b*c", "abc", true],
      ["a*b*c", "axxbyyc", true],
      ["a*b*c", "acb", false],
      ["a*b*c", "ac", false],
      ["ab*ba", "aba", false],
      ["a**b", "ab", true],
      ["a.c", "abc", false],
      ["release/*", "release/1/2", true],
      ["release/*", "release", false],
    ];
    for (const [pattern, branch, is] of table)
      expect([pattern, branch, covers(pattern, branch)]).toEqual([pattern, branch, is]);
  });
});

describe("a person, by an administrator's search", () => {
  const of = async (...users: readonly FakeUser[]): Promise<string> =>
    await (await at(gitlabWorld({ users }))).ask("repo.push", app);
  const other = { email: "other@example.com" };

  test("is the account with this email, this public email, or this as a confirmed one", async () => {
    const mine = "dana@example.com";
    expect(await of(person(7, "dana", { email: "Dana@Example.com" }))).toBe("allowed");
    expect(await of(person(7, "x", { ...other, public_email: mine }))).toBe("allowed");
    expect(await of(person(7, "x", { ...other, emails: [{ email: mine, confirmed_at: "2025-01-01" }] }))).toBe(
      "allowed",
    );
    expect(await of(person(7, "x", { ...other, emails: [{ email: mine, confirmed_at: null }] }))).toBe(
      "user_not_found",
    );
  });
  test("is not an account whose email has this one in it", async () => {
    expect(await of(person(7, "x", { email: "xdana@example.com" }))).toBe("user_not_found");
    expect(await of(person(7, "dana@example.com", other))).toBe("user_not_found");
  });
  test("with two accounts is ambiguous", async () => {
    expect(await of(DANA, person(8, "dana2", { email: "dana@example.com" }))).toBe("user_ambiguous");
  });
  test("is found on a later page, and unsupported where there are more than five", async () => {
    const crowd = (size: number): FakeUser[] =>
      Array.from({ length: size }, (_, n) => person(100 + n, `u${n}`, { email: `u${n}dana@example.com` }));
    const found = await at(gitlabWorld({ users: [...crowd(450), DANA] }));
    expect([await found.ask("repo.push", app), found.count("/users")]).toEqual(["allowed", 5]);
    const lost = await at(gitlabWorld({ users: [...crowd(501), DANA] }));
    expect([await lost.ask("repo.push", app), lost.count("/users")]).toEqual(["unsupported", 5]);
  });
  test("is unsupported where the token is not shown emails", async () => {
    expect(await (await at(gitlabWorld({ isAdmin: false }))).ask("repo.push", app)).toBe("unsupported");
  });
  test("who is blocked, or a bot, is denied with no look at memberships", async () => {
    const states = ["blocked", "deactivated", "ldap_blocked", "banned", "blocked_pending_approval"];
    for (const change of [...states.map((state) => ({ state })), { bot: true }]) {
      const { ask, count } = await at(gitlabWorld({ users: [{ ...DANA, ...change, is_admin: true }] }));
      expect([change, await ask("repo.push", app), count("/members/")]).toEqual([change, "denied", 0]);
    }
  });
  test("in another state, or in none, or perhaps a bot, is unsupported", async () => {
    const { state: _, ...stateless } = DANA;
    const { bot: __, ...unsaid } = DANA;
    for (const user of [{ ...DANA, state: "dreaming" }, stateless, unsaid]) expect(await of(user)).toBe("unsupported");
  });
  test("that may not be made is credential_rejected", async () => {
    const { ask } = await at(gitlabWorld({ instead: { search: { status: 403, body: CANARY } } }));
    expect(await ask("repo.push", app)).toBe("credential_rejected");
  });
});

describe("a person, in the other modes", () => {
  test("is found among a group's enterprise users", async () => {
    const { ask, fake } = await at(gitlabWorld({}, { identity_mode: "enterprise_users", group: "acme" }));
    expect(await ask("repo.push", app)).toBe("allowed");
    expect(fake.calls[0]).toBe("GET /api/v4/groups/acme/enterprise_users");
    expect(await ask("repo.push", app, "mia")).toBe("user_not_found");
  });
  test("is found among a group's SAML identities, on all pages", async () => {
    const identity = (name: string, user_id: number) => ({ extern_uid: `${name}@example.com`, user_id });
    const saml = { acme: [identity("eve", 8), identity("xdana", 9), identity("Dana", 7)] };
    const config = { identity_mode: "saml", group: "acme" };
    const { ask, fake } = await at(gitlabWorld({ saml, pageSize: 1 }, config));
    expect(await ask("repo.push", app)).toBe("allowed");
    expect(fake.calls).toContain("GET /api/v4/users/7");
    expect(await ask("repo.push", app, "nora")).toBe("user_not_found");
    const twice = await at(gitlabWorld({ saml: { acme: [identity("dana", 7), identity("dana", 8)] } }, config));
    expect(await twice.ask("repo.push", app)).toBe("user_ambiguous");
    const gone = await at(gitlabWorld({ saml: { acme: [identity("dana", 70)] } }, config));
    expect(await gone.ask("repo.push", app)).toBe("unsupported");
  });

  const template = { identity_mode: "template", email_domains: "example.com" };
  test("is the account that a template names, unless its email is another", async () => {
    const of = async (change: Partial<FakeUser>, more: Partial<GitlabState> = {}) =>
      await (await at(gitlabWorld({ users: [{ ...DANA, ...change }], ...more }, template))).ask("repo.push", app);
    expect(await of({})).toBe("allowed");
    expect(await of({ email: "other@example.com" })).toBe("user_not_found");
    expect(await of({ email: "other@example.com" }, { isAdmin: false })).toBe("allowed");
    expect(await of({ public_email: "other@example.com" }, { isAdmin: false })).toBe("user_not_found");
    expect(await of({ username: "dan" })).toBe("user_not_found");
  });
  test("is not made up of another domain, or of a name GitLab would not take, and makes no call", async () => {
    const { ask, desk, fake } = await at(gitlabWorld({}, template));
    const asked = await desk.ask({ user: "dana@evil.example.com", action: "repo.push", resource: app });
    expect(asked.code).toBe("unsupported");
    expect(await ask("repo.push", app, "d+x")).toBe("user_not_found");
    expect(fake.calls).toEqual([]);
  });
});

describe("a question that is off makes no call", () => {
  const bad: [string, string][] = [
    ["repo.push", "project:app"],
    ["repo.push", "project:acme/../app"],
    ["repo.push", "project:acme/."],
    ["repo.push", "project:acme//app"],
    ["repo.push", "project:/acme/app"],
    ["repo.push", "project:acme/-app"],
    ["repo.push", "project:acme/a b"],
    ["repo.push", "project:acme%2Fapp"],
    ["repo.push", "project:acme/app@"],
    ["repo.push", "project:acme/app@-x"],
    ["repo.push", "project:acme/app@a..b"],
    ["repo.push", "project:acme/app@ma*n"],
    ["repo.push", "project:acme/app@a@b"],
    ["repo.push", "project:acme/app?ref=x"],
    ["repo.push", "group:acme"],
    ["group.member", "group:acme/"],
    ["group.member", "group:.."],
    ["group.member", "project:acme/app"],
  ];
  for (const [action, resource] of bad) {
    test(`${action} on ${resource}`, async () => {
      const { ask, fake } = await at(gitlabWorld());
      expect([await ask(action, resource), fake.calls]).toEqual(["invalid_request", []]);
    });
  }
  test("but a project may be a number, and below several groups", async () => {
    const projects = { "12": PROJECT, "acme/tools/app.js": PROJECT };
    const { ask } = await at(gitlabWorld({ projects }));
    expect(await ask("repo.push", "project:12")).toBe("allowed");
    expect(await ask("repo.push", "project:acme/tools/app.js@b")).toBe("allowed");
  });
});

test("settings that cannot work are refused", () => {
  const good = { id: "g", integration: "gitlab", credential: SECRET };
  const refused: [object, string][] = [
    [{ identity_mode: "saml" }, "group"],
    [{ identity_mode: "enterprise_users" }, "group"],
    [{ identity_mode: "template" }, "email_domains"],
    [{ identity_mode: "saml", group: "a b" }, "group"],
    [{ identity_mode: "ldap" }, "identity_mode"],
  ];
  for (const [change, message] of refused)
    expect(() => loadConfigCode([{ ...good, ...change }], INTEGRATIONS)).toThrow(message);
});

describe("the probe", () => {
  const probe = async (...given: Parameters<typeof gitlabWorld>) =>
    await (await at(gitlabWorld(...given))).desk.probe();
  test("names the account and has no warnings", async () => {
    expect(await probe()).toMatchObject({ ok: true, summary: "account hallpass", warnings: [] });
  });
  test("warns of a token that is no administrator's where it must be", async () => {
    expect((await probe({ isAdmin: false })).warnings).toEqual([expect.stringContaining("administrator")]);
    expect((await probe({ isAdmin: false }, { identity_mode: "saml", group: "acme" })).warnings).toEqual([]);
  });
  test("warns of scopes too many and too few, and of an end within two weeks", async () => {
    expect((await probe({ scopes: ["api"], expires: "2026-01-10" })).warnings).toEqual([
      "the token lacks the scope read_api",
      "the token has scopes beyond read_api: api",
      "the token ends on 2026-01-10",
    ]);
    expect((await probe({ expires: null })).warnings).toEqual([]);
  });
  test("only warns when the token's scopes cannot be read", async () => {
    for (const status of [403, 404])
      expect(await probe({ instead: { token: { status } } })).toMatchObject({
        ok: true,
        warnings: ["the token's scopes and its end cannot be read"],
      });
  });
});

test("every action has been allowed and denied", () => expect(uncovered("gitlab", desks)).toEqual([]));
