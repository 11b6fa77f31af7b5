import { afterAll, describe, expect, test } from "bun:test";
import { matcherFor } from "../../../src/checks/integrations/argocd/match.ts";
import { readPolicy } from "../../../src/checks/integrations/argocd/policy.ts";
import { argocdWorld, argoPolicy, argoState, POLICY, TEAM_A, type ArgoState } from "../fakes/argocd.ts";
import { Desk, uncovered } from "../support/desk.ts";

const desks: Desk[] = [];
afterAll(async () => {
  for (const desk of desks) await desk.close();
});

async function at(state: ArgoState = argoState(), config: Record<string, string> = {}) {
  const world = await argocdWorld(state, config);
  const desk = new Desk(world);
  desks.push(desk);
  const ask = async (action: string, resource: string, ...groups: readonly string[]): Promise<string> =>
    (await desk.ask({ user: "dana@example.com", groups, action, resource })).code;
  return { desk, ask, fake: world.fake };
}

/** What somebody of the group `team` is answered where the policy has these lines. */
async function asked(lines: string, action: string, resource: string, more: Record<string, string> = {}) {
  return await (await at(argoPolicy(`${lines}\ng, team, role:x`, more))).ask(action, resource, "team");
}

describe("a group's role", () => {
  test("gives what its rules allow, in the projects they name", async () => {
    const { ask } = await at();
    for (const action of ["app.get", "app.sync"])
      expect(await ask(action, "applications:dev/web", "developers")).toBe("allowed");
    expect(await ask("app.delete", "applications:dev/web", "developers")).toBe("denied");
    expect(await ask("app.get", "applications:prod/web", "developers")).toBe("denied");
  });
  test("gives nothing where one of its rules denies", async () => {
    const { ask } = await at();
    expect(await ask("app.delete", "applications:dev/web", "sre")).toBe("allowed");
    expect(await ask("app.delete", "applications:prod/web", "sre")).toBe("denied");
  });
  test("is given by the email where the scopes have it", async () => {
    const lines = "p, role:x, applications, get, dev/*, allow\ng, dana@example.com, role:x";
    const { ask } = await at(argoPolicy(lines, { scopes: "[groups, email]" }));
    expect(await ask("app.get", "applications:dev/web")).toBe("allowed");
    expect(await (await at(argoPolicy(lines, { scopes: "[groups" }))).ask("app.get", "applications:dev/web")).toBe(
      "unsupported",
    );
  });
  test("is followed over ten links and no more", async () => {
    const chain = (length: number): string =>
      Array.from({ length }, (_, n) => `g, ${n === 0 ? "team" : `role:${n}`}, role:${n + 1}`).join("\n");
    const policy = (length: number): string => `${chain(length)}\np, role:${length}, applications, get, */*, allow`;
    const codes = [];
    for (const length of [10, 11])
      codes.push(await (await at(argoPolicy(policy(length)))).ask("app.get", "applications:dev/web", "team"));
    expect(codes).toEqual(["allowed", "denied"]);
  });
  test("does not count for a rule that names the group itself, unless it is linked too", async () => {
    const rule = "p, team, applications, get, */*, allow";
    const named = { user_subject: "email" };
    expect(await (await at(argoPolicy(rule), named)).ask("app.get", "applications:dev/web", "team")).toBe("denied");
    expect(await asked(rule, "app.get", "applications:dev/web")).toBe("allowed");
  });
});

describe("a rule for a single user", () => {
  const rules = "p, dana@example.com, applications, get, dev/*, allow";
  test("decides where the email is Argo CD's name for the person", async () => {
    const { ask } = await at(argoPolicy(rules), { user_subject: "email" });
    expect(await ask("app.get", "applications:dev/web")).toBe("allowed");
    expect(await ask("app.get", "applications:prod/web")).toBe("denied");
  });
  test("makes a no unsupported where that name is not known", async () => {
    const { ask } = await at(argoPolicy(rules));
    expect(await ask("app.get", "applications:dev/web")).toBe("unsupported");
    const assigned = await at(argoPolicy("g, dana@example.com, role:admin"));
    expect(await assigned.ask("app.get", "applications:dev/web")).toBe("unsupported");
  });
});

describe("a project's role", () => {
  test("counts for its own project alone", async () => {
    const { ask } = await at();
    expect(await ask("app.sync", "applications:team-a/web", "team-a-deployers")).toBe("allowed");
    expect(await ask("app.sync", "applications:dev/web", "team-a-deployers")).toBe("denied");
    expect(await ask("project.get", "projects:team-a", "team-a-deployers")).toBe("allowed");
    expect(await ask("project.get", "projects:default", "team-a-deployers")).toBe("denied");
  });
  test("with a broken line is left out, and the rest goes on", async () => {
    const broken = { name: "dev", roles: [{ name: "x", policies: ["p, what"], groups: ["developers"] }] };
    const { ask } = await at(argoState({ projects: [broken, TEAM_A] }));
    expect(await ask("app.sync", "applications:dev/web", "developers")).toBe("allowed");
    expect(await ask("project.get", "projects:dev", "developers")).toBe("denied");
  });
});

describe("what is built in", () => {
  test("gives everybody the default role", async () => {
    const { ask } = await at(argoPolicy("", { "policy.default": "role:readonly" }));
    expect(await ask("app.get", "applications:dev/web")).toBe("allowed");
    expect(await ask("app.sync", "applications:dev/web")).toBe("denied");
  });
  test("is all there is where the config maps are missing", async () => {
    const { ask, desk } = await at(argoState({ configMaps: {} }));
    expect(await ask("app.delete", "applications:dev/web", "admin")).toBe("allowed");
    expect(await ask("app.get", "applications:dev/web", "sre")).toBe("denied");
    expect((await desk.probe()).warnings).toHaveLength(1);
  });

  const all: [string, string][] = [
    ...["get", "create", "update", "delete", "sync", "rollback", "override"].map((verb): [string, string] => [
      `app.${verb}`,
      "applications:dev/web",
    ]),
    ["app.action/apps/Deployment/restart", "applications:dev/ns/web"],
    ["app.action//Pod/restart", "applications:dev/web"],
    ["app.update/apps/Deployment/ns/web", "applications:dev/web"],
    ["app.delete//Pod/ns/web-1", "applications:dev/web"],
    ["logs.get", "logs:dev/web"],
    ["logs.get", "applications:dev/web"],
    ["exec.create", "exec:dev/web"],
    ["exec.create", "applications:dev/web"],
  ];
  const plain: [string, string, string[]][] = [
    ["appset", "applicationsets:dev/web", ["get", "create", "update", "delete"]],
    ["project", "projects:dev", ["get", "create", "update", "delete"]],
    ["cluster", "clusters:https://kubernetes.default.svc", ["get", "create", "update", "delete"]],
    ["repo", "repositories:https://git.example.com/a.git", ["get", "create", "update", "delete"]],
    ["writerepo", "write_repositories:https://git.example.com/a.git", ["get", "create", "update", "delete"]],
    ["certificate", "certificates:git.example.com", ["get", "create", "update", "delete"]],
    ["account", "accounts:ci", ["get", "update"]],
    ["gpgkey", "gpgkeys:4AEE18F83AFDEB23", ["get", "create", "delete"]],
  ];
  const every = [
    ...all,
    ...plain.flatMap(([first, of, verbs]) => verbs.map((verb) => [`${first}.${verb}`, of] as const)),
  ];
  test("lets an administrator do all but invoke extensions, and others nothing", async () => {
    const { ask } = await at();
    for (const [action, resource] of every) {
      expect([action, await ask(action, resource, "admin")]).toEqual([action, "allowed"]);
      expect([action, await ask(action, resource, "nobody")]).toEqual([action, "denied"]);
    }
    expect(await ask("extension.invoke", "extensions:metrics", "admin")).toBe("denied");
    expect(await asked("p, role:x, extensions, invoke, metrics, allow", "extension.invoke", "extensions:metrics")).toBe(
      "allowed",
    );
  });
});

describe("a finer verb", () => {
  const inherits = { "server.rbac.disableApplicationFineGrainedRBACInheritance": "false" };
  const withMain = (policy: string, main: Record<string, string>): ArgoState =>
    argoState({ configMaps: { "argocd-rbac-cm": { "policy.csv": `${policy}\ng, team, role:x` }, "argocd-cm": main } });
  const update = "app.update/apps/Deployment/ns/web";
  test("needs a rule of its own", async () => {
    const top = "p, role:x, applications, update, dev/*, allow";
    expect(await asked(top, update, "applications:dev/web")).toBe("denied");
    expect(await asked(top.replace("update", "update/apps/*"), update, "applications:dev/web")).toBe("allowed");
  });
  test("inherits where Argo CD is set so, but not past a rule that denies it", async () => {
    const top = "p, role:x, applications, update, dev/*, allow";
    expect(await (await at(withMain(top, inherits))).ask(update, "applications:dev/web", "team")).toBe("allowed");
    const denied = `${top}\np, role:x, applications, update/*, dev/*, deny`;
    expect(await (await at(withMain(denied, inherits))).ask(update, "applications:dev/web", "team")).toBe("denied");
  });
  test("rollback is sync, unless it is enforced", async () => {
    const enforced = { "server.rbac.rollback.enforce.enable": "true" };
    const sync = "p, role:x, applications, sync, dev/*, allow";
    const ask = async (policy: string, main: Record<string, string>): Promise<string> =>
      await (await at(withMain(policy, main))).ask("app.rollback", "applications:dev/web", "team");
    expect(await ask(sync, {})).toBe("allowed");
    expect(await ask(sync, enforced)).toBe("denied");
    expect(await ask(sync.replace("sync", "rollback"), enforced)).toBe("allowed");
  });
  test("a setting that is neither true nor false is unsupported", async () => {
    const odd = withMain("", { "server.rbac.rollback.enforce.enable": "yes" });
    expect(await (await at(odd)).ask("app.get", "applications:dev/web", "team")).toBe("unsupported");
  });
});

describe("the policy's text", () => {
  test("takes comments, blank lines, quotes and leading space; another effect counts as none", () => {
    const { rules, links } = readPolicy('# a\n\n  p, "role:x", applications,get, */*,  allow\r\ng, a, role:x');
    expect(rules).toEqual([{ sub: "role:x", of: "applications", verb: "get", object: "*/*", effect: "allow" }]);
    expect(links).toEqual([["a", "role:x"]]);
  });
  test("with any other line is unsupported", async () => {
    for (const line of ["p, a, b, c, d", "p, a, b, c, d, allow, e", "g, a", "x, a, b", 'p, a"b, c, d, e, allow'])
      expect([line, await asked(line, "app.get", "applications:dev/web")]).toEqual([line, "unsupported"]);
    expect(await asked("p, role:x, applications, get, */*, maybe", "app.get", "applications:dev/web")).toBe("denied");
  });
  test("goes on in the other keys of the config map", async () => {
    const more = { "policy.extra.csv": "p, role:x, applications, get, dev/*, allow" };
    expect(await asked("", "app.get", "applications:dev/web", more)).toBe("allowed");
  });
  test("may have regular expressions, of which an invalid one never matches", async () => {
    const regex = { "policy.matchMode": "regex" };
    const rule = (object: string): string => `p, role:x, applications, get, ${object}, allow`;
    expect(await asked(rule("dev/w.b$"), "app.get", "applications:dev/web", regex)).toBe("allowed");
    expect(await asked(rule("ev/w"), "app.get", "applications:dev/web", regex)).toBe("allowed");
    expect(await asked(rule("^prod/"), "app.get", "applications:dev/web", regex)).toBe("denied");
    expect(await asked(rule("dev/(web"), "app.get", "applications:dev/web", regex)).toBe("denied");
    expect(await asked("", "app.get", "applications:dev/web", { "policy.matchMode": "sql" })).toBe("unsupported");
  });
});

describe("a glob", () => {
  const table: [string, string, boolean][] = [
    ["*", "dev/web", true],
    ["*/*", "dev", false],
    ["dev/*", "dev/a/b", true],
    ["dev/w?b", "dev/web", true],
    ["dev/[a-w]eb", "dev/web", true],
    ["dev/[!w]eb", "dev/web", false],
    ["{dev,prod}/*", "prod/web", true],
    ["{dev,prod}/*", "test/web", false],
    ["dev.", "devx", false],
    ["a\\*b", "a*b", true],
    ["a\\*b", "axb", false],
    ["web", "dev/web", false],
  ];
  for (const [pattern, value, is] of table)
    test(`${pattern} ${is ? "matches" : "does not match"} ${value}`, () =>
      expect(matcherFor("glob")(pattern, value)).toBe(is));
  test("of a form that is not read is unsupported", async () => {
    for (const object of ["dev/[a-zA-Z]eb", "{dev", "dev/[web"])
      expect(await asked(`p, role:x, applications, get, "${object}", allow`, "app.get", "applications:dev/web")).toBe(
        "unsupported",
      );
  });
});

describe("reading", () => {
  test("is kept for 30 seconds; a fresh question reads again after one", async () => {
    const { desk, ask, fake } = await at();
    await ask("app.get", "applications:dev/web", "developers");
    await ask("app.sync", "applications:dev/web", "developers");
    expect(fake.calls).toEqual([
      "GET /api/v1/namespaces/argocd/configmaps/argocd-rbac-cm",
      "GET /api/v1/namespaces/argocd/configmaps/argocd-cm",
      "GET /apis/argoproj.io/v1alpha1/namespaces/argocd/appprojects",
    ]);
    const fresh = { user: "dana@example.com", action: "app.get", resource: "applications:dev/web", fresh: true };
    desk.clock.advance(1_001);
    await desk.ask(fresh);
    expect(fake.calls).toHaveLength(6);
    desk.clock.advance(30_001);
    await ask("app.sync", "applications:dev/web", "developers");
    expect(fake.calls).toHaveLength(9);
  });
  test("that the cluster forbids is credential_rejected", async () => {
    for (const name of ["argocd-rbac-cm", "argocd-cm", "appprojects"])
      expect(await (await at(argoState({ status: { [name]: 403 } }))).ask("app.get", "applications:dev/web")).toBe(
        "credential_rejected",
      );
  });
  test("goes to the namespace and config map that are configured", async () => {
    const state = argoState({ namespace: "cd", configMaps: { rbac: { "policy.csv": POLICY } } });
    const { ask, desk } = await at(state, { namespace: "cd", rbac_configmap: "rbac" });
    expect(await ask("app.get", "applications:dev/web", "developers")).toBe("allowed");
    expect((await desk.probe()).warnings).toEqual([]);
  });
});

test("a question of another form makes no call", async () => {
  const { ask, fake } = await at();
  for (const action of ["app.get/x", "app.action/apps", "app.update/apps/Deployment/ns", "app.action/a/*/b", "app.run"])
    expect([action, await ask(action, "applications:dev/web")]).toEqual([action, "unknown_action"]);
  for (const resource of [
    "applications:web",
    "applications:dev/*",
    "applications:dev/a/b/c",
    "applications:Dev/web",
    "applications:/web",
    "applications:dev/web?x=1",
    "projects:dev",
  ])
    expect([resource, await ask("app.get", resource)]).toEqual([resource, "invalid_request"]);
  for (const resource of ["clusters:", "clusters:a b", "clusters:*"])
    expect([resource, await ask("cluster.get", resource)]).toEqual([resource, "invalid_request"]);
  expect(fake.calls).toEqual([]);
});

test("each action has been allowed and denied", () => expect(uncovered("argocd", desks)).toEqual([]));
