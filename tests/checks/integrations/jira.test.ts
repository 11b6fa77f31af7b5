import { afterAll, describe, expect, test } from "bun:test";
import { loadConfigCode } from "../../../src/checks/config/config.ts";
import { INTEGRATIONS } from "../../../src/checks/integrations/index.ts";
import { DANA, jiraWorld, user, type JiraState, type JiraUser } from "../fakes/jira.ts";
import { CANARY, Desk, SECRET, uncovered, type Asking } from "../support/desk.ts";
import type { FakeReply } from "../support/fake-server.ts";

const desks: Desk[] = [];
afterAll(async () => {
  for (const desk of desks) await desk.close();
});

async function at(changes: Partial<JiraState> = {}, config: Record<string, string> = {}) {
  const world = await jiraWorld(changes, config);
  const desk = new Desk(world);
  desks.push(desk);
  const ask = async (action: string, resource: string, who = "dana", more: Partial<Asking> = {}): Promise<string> =>
    (await desk.ask({ user: `${who}@example.com`, action, resource, ...more })).code;
  const count = (part: string): number => world.fake.calls.filter((call) => call.includes(part)).length;
  return { desk, ask, count, fake: world.fake };
}

const ofThings = [...(INTEGRATIONS.get("jira")?.actions ?? [])].filter(
  ({ resources }) => !resources.includes("global"),
);
const ofSite = [...(INTEGRATIONS.get("jira")?.actions ?? [])].filter(({ resources }) => resources.includes("global"));

describe("a permission", () => {
  for (const { name } of ofThings) {
    test(`${name} is asked of the project and of the issue by their numbers`, async () => {
      const grants = { "5b10:dana": [`${name} 10001`, `${name} 20007`] };
      const { ask, fake } = await at({ grants });
      expect(await ask(name, "project:PAY")).toBe("allowed");
      expect(fake.exchanges.at(-1)?.request.json).toEqual({
        accountId: "5b10:dana",
        projectPermissions: [{ permissions: [name], projects: [10001] }],
      });
      expect(await ask(name, "project:OPS")).toBe("denied");
      expect(await ask(name, "issue:PAY-7")).toBe("allowed");
      expect(fake.exchanges.at(-1)?.request.json).toEqual({
        accountId: "5b10:dana",
        projectPermissions: [{ permissions: [name], issues: [20007] }],
      });
      expect(await ask(name, "issue:OPS-1")).toBe("denied");
    });
  }
  for (const { name } of ofSite) {
    test(`${name} is asked of the whole site`, async () => {
      const { ask, fake } = await at({ grants: { "5b10:dana": [name] } });
      expect(await ask(name, "global")).toBe("allowed");
      expect(fake.exchanges.at(-1)?.request.json).toEqual({ accountId: "5b10:dana", globalPermissions: [name] });
      expect(await ask(name, "global", "olga")).toBe("denied");
      expect(fake.calls.length).toBe(4);
    });
  }
  test("on a project says nothing of an issue with the same number", async () => {
    const { ask } = await at({ issues: { "PAY-7": "10001" }, grants: { "5b10:dana": [] } });
    expect(await ask("EDIT_ISSUES", "issue:PAY-7")).toBe("denied");
  });
  test("that Jira does not answer for is unsupported; of the site, a no", async () => {
    const { ask } = await at({ dropped: ["EDIT_ISSUES", "ADMINISTER"] });
    expect(await ask("EDIT_ISSUES", "issue:PAY-7")).toBe("unsupported");
    expect(await ask("ADMINISTER", "global", "olga")).toBe("denied");
  });
  test("of what is not there is resource_not_visible, and is not asked for", async () => {
    const { ask, count } = await at();
    expect(await ask("EDIT_ISSUES", "project:NONE")).toBe("resource_not_visible");
    expect(await ask("EDIT_ISSUES", "issue:PAY-8")).toBe("resource_not_visible");
    expect(count("/permissions/check")).toBe(0);
  });
  test("that may not be asked for is credential_rejected, and unsupported where Jira does not take the question", async () => {
    const code = async (name: string, status: number): Promise<string> => {
      const instead: Record<string, FakeReply> = { [name]: { status, body: { errorMessages: [CANARY] } } };
      return await (await at({ instead })).ask("EDIT_ISSUES", name === "issue" ? "issue:PAY-7" : "project:PAY");
    };
    expect(await code("project", 403)).toBe("credential_rejected");
    expect(await code("issue", 403)).toBe("credential_rejected");
    expect(await code("check", 403)).toBe("credential_rejected");
    expect(await code("check", 400)).toBe("unsupported");
    expect(await code("check", 500)).toBe("upstream_error");
  });
});

describe("a person", () => {
  const of = async (...users: readonly JiraUser[]): Promise<string> =>
    await (await at({ users })).ask("BROWSE_PROJECTS", "project:PAY");
  const hidden = (name: string): JiraUser => {
    const { emailAddress: _, ...rest } = user(name);
    return rest;
  };

  test("is the account with this email, in any case", async () => {
    expect(await of(user("dana", { emailAddress: "Dana@Example.com" }))).toBe("allowed");
  });
  test("is no account that is inactive, an app's or a customer's", async () => {
    for (const change of [{ active: false }, { accountType: "app" }, { accountType: "customer" }])
      expect(await of(user("dana", change))).toBe("user_not_found");
    expect(await of(DANA, user("old", { emailAddress: "dana@example.com", active: false }))).toBe("allowed");
  });
  test("with two accounts is ambiguous", async () => {
    expect(await of(DANA, user("dana2", { emailAddress: "dana@example.com" }))).toBe("user_ambiguous");
  });
  test("whose email is hidden is unsupported, but not beside one who shows it", async () => {
    expect(await of(hidden("dana"))).toBe("unsupported");
    expect(await of(user("dana", { emailAddress: "", displayName: "dana@example.com" }))).toBe("unsupported");
    expect(await of(hidden("eve"), DANA)).toBe("allowed");
  });
  test("is never one who took the email as a display name", async () => {
    const spoof = { displayName: "dana@example.com" };
    expect(await of(user("eve", spoof))).toBe("user_not_found");
    expect(await of({ ...hidden("eve"), ...spoof })).toBe("unsupported");
    expect(await of(user("eve", spoof), DANA)).toBe("allowed");
  });
  test("whose account's kind or state is not said is unsupported", async () => {
    const { active: _, ...stateless } = DANA;
    const { accountType: __, ...untyped } = DANA;
    expect(await of(stateless)).toBe("unsupported");
    expect(await of(untyped)).toBe("unsupported");
  });
  test("is found on a later page, and unsupported where there are more than five", async () => {
    const crowd = (size: number): JiraUser[] =>
      Array.from({ length: size }, (_, n) => user(`u${n}`, { displayName: "dana@example.com" }));
    const found = await at({ users: [...crowd(120), DANA] });
    expect([await found.ask("BROWSE_PROJECTS", "project:PAY"), found.count("/user/search")]).toEqual(["allowed", 3]);
    const lost = await at({ users: [...crowd(250), DANA] });
    expect([await lost.ask("BROWSE_PROJECTS", "project:PAY"), lost.count("/user/search")]).toEqual(["unsupported", 5]);
  });
  test("who is nobody is so only once our own credential is known to be good, for five minutes", async () => {
    const { ask, count, desk } = await at();
    expect(await ask("BROWSE_PROJECTS", "project:PAY", "eve")).toBe("user_not_found");
    expect(await ask("BROWSE_PROJECTS", "project:PAY", "bob")).toBe("user_not_found");
    expect(count("/myself")).toBe(1);
    desk.clock.advance(5 * 60_000);
    expect(await ask("BROWSE_PROJECTS", "project:PAY", "eve")).toBe("user_not_found");
    expect(count("/myself")).toBe(2);
    const bad = await at({ isCredentialBad: true });
    expect(await bad.ask("BROWSE_PROJECTS", "project:PAY")).toBe("credential_rejected");
  });
  test("that may not be looked for is credential_rejected", async () => {
    const { ask } = await at({ instead: { search: { status: 403, body: CANARY } } });
    expect(await ask("BROWSE_PROJECTS", "project:PAY")).toBe("credential_rejected");
  });
});

describe("the way to Jira", () => {
  for (const mode of ["scoped_token", "oauth_client"]) {
    test(`with ${mode} is the gateway, to a site that is asked for once and without a credential`, async () => {
      const { ask, count, fake } = await at({}, { auth_mode: mode });
      expect(await ask("BROWSE_PROJECTS", "project:PAY")).toBe("allowed");
      expect(await ask("BROWSE_PROJECTS", "project:OPS")).toBe("denied");
      expect(count("/_edge/tenant_info")).toBe(1);
      expect(count("/oauth/token")).toBe(mode === "oauth_client" ? 1 : 0);
      expect(fake.calls.at(-1)).toBe("POST /ex/jira/cloud-1/rest/api/3/permissions/check");
    });
  }
  test("keeps token exchanges out of the evidence and names the hosts of the rest", async () => {
    const { ask, desk } = await at({}, { auth_mode: "oauth_client" });
    await ask("BROWSE_PROJECTS", "project:PAY");
    const written = JSON.stringify(desk.decisions);
    expect(written).not.toContain("/oauth/token");
    expect(written).toContain("/_edge/tenant_info");
  });
  test("is closed where the OAuth client is refused, or the site has no id", async () => {
    for (const status of [400, 401, 403]) {
      const { ask } = await at({ instead: { token: { status, body: CANARY } } }, { auth_mode: "oauth_client" });
      expect(await ask("BROWSE_PROJECTS", "project:PAY")).toBe("credential_rejected");
    }
    const tenant = { status: 200, body: { cloudId: "../x" } };
    const { ask } = await at({ instead: { tenant } }, { auth_mode: "scoped_token" });
    expect(await ask("BROWSE_PROJECTS", "project:PAY")).toBe("upstream_error");
  });
});

describe("a question that is off makes no call", () => {
  const bad: [string, string][] = [
    ["EDIT_ISSUES", "project:pay"],
    ["EDIT_ISSUES", "project:P"],
    ["EDIT_ISSUES", "project:PAY-7"],
    ["EDIT_ISSUES", "project:"],
    ["EDIT_ISSUES", "project:PAY?x=1"],
    ["EDIT_ISSUES", "issue:PAY"],
    ["EDIT_ISSUES", "issue:PAY-0"],
    ["EDIT_ISSUES", "issue:PAY-7/x"],
    ["EDIT_ISSUES", "global"],
    ["ADMINISTER", "project:PAY"],
    ["ADMINISTER", "global:x"],
    ["ADMINISTER", "global?x=1"],
  ];
  for (const [action, resource] of bad) {
    test(`${action} on ${resource}`, async () => {
      const { ask, fake } = await at();
      expect([await ask(action, resource), fake.calls]).toEqual(["invalid_request", []]);
    });
  }
  test("nor does one for nobody", async () => {
    const { desk, fake } = await at();
    const asked = await desk.ask({ user: "", action: "EDIT_ISSUES", resource: "project:PAY" });
    expect([asked.code, fake.calls]).toEqual(["invalid_request", []]);
  });
});

test("settings that cannot work are refused", () => {
  const good = { id: "j", integration: "jira", url: "https://j.test", credential: SECRET, username: "bot@example.com" };
  const refused: [object, string][] = [
    [{ credential: undefined }, "credential"],
    [{ username: undefined }, "username is required where auth_mode is basic"],
    [{ auth_mode: "oauth_client" }, "client_id is required where auth_mode is oauth_client"],
    [{ auth_mode: "cookie" }, "auth_mode"],
    [{ strict_email_match: "false" }, "strict_email_match"],
  ];
  for (const [change, message] of refused) {
    const connection = Object.fromEntries(
      Object.entries({ ...good, ...change }).filter(([, value]) => value !== undefined),
    );
    expect(() => loadConfigCode([connection as never], INTEGRATIONS)).toThrow(message);
  }
});

describe("the probe", () => {
  const probe = async (changes: Partial<JiraState>) => await (await at(changes)).desk.probe();
  test("names the account and has no warnings", async () => {
    expect(await probe({})).toMatchObject({ ok: true, summary: "account bot", warnings: [] });
  });
  test("warns of an account that does not administer Jira", async () => {
    expect((await probe({ ownPermissions: [] })).warnings).toEqual([expect.stringContaining("Administer Jira")]);
  });
  test("names the permissions that the site does not have", async () => {
    const known = [...ofThings, ...ofSite].map(({ name }) => name).filter((name) => name !== "BULK_CHANGE");
    expect((await probe({ knownKeys: known })).warnings).toEqual([
      "the site does not have the permissions BULK_CHANGE",
    ]);
  });
  test("fails with a bad credential", async () => {
    expect(await probe({ isCredentialBad: true })).toMatchObject({ ok: false });
  });
});

test("every action has been allowed and denied", () => expect(uncovered("jira", desks)).toEqual([]));
