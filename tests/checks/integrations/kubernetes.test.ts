import { afterAll, describe, expect, test } from "bun:test";
import { loadConfigCode } from "../../../src/checks/config/config.ts";
import { INTEGRATIONS } from "../../../src/checks/integrations/index.ts";
import { DANA_CLUSTER, kubernetesWorld, type ClusterState } from "../fakes/kubernetes.ts";
import { Desk, SECRET, uncovered, type Asking } from "../support/desk.ts";

const desks: Desk[] = [];
afterAll(async () => {
  for (const desk of desks) await desk.close();
});

async function at(state?: ClusterState, config: Record<string, string> = {}) {
  const world = await kubernetesWorld(state, config);
  const desk = new Desk(world);
  desks.push(desk);
  const ask = async (action: string, resource: string, more: Partial<Asking> = {}): Promise<string> =>
    (await desk.ask({ user: "dana@example.com", action, resource, ...more })).code;
  /** The `spec` of the last review. */
  const spec = (): unknown => (world.fake.exchanges.at(-1)?.request.json as { spec: unknown } | undefined)?.spec;
  return { desk, ask, spec, fake: world.fake };
}

describe("a verb on a resource", () => {
  test("is allowed where RBAC gives it, with the caller's groups and the one of everyone logged in", async () => {
    const { ask, spec } = await at();
    expect(await ask("raw:get:pods", "namespace:payments", { groups: ["dev"] })).toBe("allowed");
    expect(spec()).toEqual({
      user: "dana@example.com",
      groups: ["dev", "system:authenticated"],
      resourceAttributes: { verb: "get", resource: "pods", namespace: "payments" },
    });
  });
  test("is denied for another verb and in another namespace", async () => {
    const { ask } = await at();
    expect(await ask("raw:delete:pods", "namespace:payments")).toBe("denied");
    expect(await ask("raw:get:pods", "namespace:other")).toBe("denied");
  });
  test("is allowed on the cluster to an administrator's group", async () => {
    const { ask, spec } = await at(DANA_CLUSTER, { group_prefix: "oidc:" });
    expect(await ask("raw:delete:nodes", "cluster", { groups: ["admins"] })).toBe("allowed");
    expect(spec()).toMatchObject({ resourceAttributes: { verb: "delete", resource: "nodes" } });
    expect(await ask("raw:delete:nodes", "cluster")).toBe("denied");
  });
  test("may come with a group, a subresource and a name", async () => {
    const { ask, spec } = await at();
    await ask(
      "raw:patch:deployments.apps/status",
      "namespace:payments?name=web&resource=deployments.apps&subresource=status",
    );
    expect(spec()).toMatchObject({
      resourceAttributes: {
        verb: "patch",
        resource: "deployments",
        group: "apps",
        subresource: "status",
        name: "web",
        namespace: "payments",
      },
    });
  });
  test("may be named by the resource alone", async () => {
    const { ask, spec } = await at();
    expect(await ask("raw:get", "namespace:payments?resource=pods")).toBe("allowed");
    await ask("raw:get", "namespace:payments?resource=pods&subresource=log");
    expect(spec()).toMatchObject({ resourceAttributes: { resource: "pods", subresource: "log" } });
  });
});

test("a path that everyone may get is allowed, another verb on it denied", async () => {
  const { ask, spec } = await at();
  expect(await ask("raw:get", "nonresource:/version")).toBe("allowed");
  expect(spec()).toMatchObject({ nonResourceAttributes: { path: "/version", verb: "get" } });
  expect(await ask("raw:post", "nonresource:/version")).toBe("denied");
});

test("without system:authenticated what is given to it is denied", async () => {
  const { ask } = await at(DANA_CLUSTER, { add_authenticated_group: "false" });
  expect(await ask("raw:get", "nonresource:/version")).toBe("denied");
});

describe("the named actions ask for", () => {
  const wanted: Record<string, [string, object]> = {
    "pods.exec": [
      "namespace:n?name=p",
      { verb: "create", resource: "pods", subresource: "exec", namespace: "n", name: "p" },
    ],
    "pods.logs": ["namespace:n", { verb: "get", resource: "pods", subresource: "log", namespace: "n" }],
    "pods.portforward": [
      "namespace:n",
      { verb: "create", resource: "pods", subresource: "portforward", namespace: "n" },
    ],
    "pods.attach": ["namespace:n", { verb: "create", resource: "pods", subresource: "attach", namespace: "n" }],
    scale: [
      "namespace:n?resource=deployments.apps",
      { verb: "update", resource: "deployments", group: "apps", subresource: "scale", namespace: "n" },
    ],
    "secrets.read": ["namespace:n?name=s", { verb: "get", resource: "secrets", namespace: "n", name: "s" }],
    "secrets.list": ["namespace:n", { verb: "list", resource: "secrets", namespace: "n" }],
    impersonate: ["cluster?name=bo@example.com", { verb: "impersonate", resource: "users", name: "bo@example.com" }],
    "deployment.create": ["namespace:n", { verb: "create", resource: "deployments", group: "apps", namespace: "n" }],
    "deployment.update": ["namespace:n", { verb: "update", resource: "deployments", group: "apps", namespace: "n" }],
    "deployment.delete": ["namespace:n", { verb: "delete", resource: "deployments", group: "apps", namespace: "n" }],
    "deployment.restart": ["namespace:n", { verb: "patch", resource: "deployments", group: "apps", namespace: "n" }],
    "namespace.create": ["cluster", { verb: "create", resource: "namespaces" }],
    "namespace.delete": ["namespace:n", { verb: "delete", resource: "namespaces", namespace: "n", name: "n" }],
    "rbac.bind": [
      "namespace:n",
      { verb: "create", resource: "rolebindings", group: "rbac.authorization.k8s.io", namespace: "n" },
    ],
  };
  for (const [action, [resource, attributes]] of Object.entries(wanted)) {
    test(`${action} exactly this, and follow the answer`, async () => {
      const { ask, spec } = await at({ grants: { admins: ["* *"] } });
      expect(await ask(action, resource)).toBe("denied");
      expect(await ask(action, resource, { groups: ["admins"] })).toBe("allowed");
      expect(spec()).toMatchObject({ resourceAttributes: attributes });
      expect(Object.keys((spec() as { resourceAttributes: object }).resourceAttributes).toSorted()).toEqual(
        Object.keys(attributes).toSorted(),
      );
    });
  }
  test("groups or service accounts where impersonate's resource says so", async () => {
    const { ask, spec } = await at();
    await ask("impersonate", "namespace:n?resource=serviceaccounts&name=bot");
    expect(spec()).toMatchObject({ resourceAttributes: { verb: "impersonate", resource: "serviceaccounts" } });
    expect(await ask("impersonate", "cluster?resource=pods")).toBe("invalid_request");
  });
});

describe("a question that is off makes no call", () => {
  const bad: [string, string][] = [
    ["raw:get", "namespace:payments"],
    ["scale", "namespace:payments"],
    ["raw:get:pods", "pod:x"],
    ["raw:get:pods", "namespace:Payments"],
    ["raw:get:pods", "namespace:"],
    ["raw:get:pods", "namespace:a/b"],
    ["raw:get:pods", "cluster:x"],
    ["raw:get:pods", "cluster:"],
    ["raw:get:pods", "namespace:payments?name=a%20b"],
    ["raw:get:pods", "namespace:payments?name=a%2Fb"],
    ["raw:get:pods", "namespace:payments?resource=secrets"],
    ["raw:get:pods", "namespace:payments?resource=pods.apps"],
    ["raw:get:pods", "namespace:payments?resource=Pods"],
    ["raw:get:pods", "namespace:payments?subresource=log"],
    ["raw:get:pods", "namespace:payments?verb=delete"],
    ["pods.exec", "namespace:payments?subresource=log"],
    ["raw:get:pods", "nonresource:/version"],
    ["raw:get", "nonresource:version"],
    ["raw:get", "nonresource:/a/../b"],
    ["raw:get", "nonresource:/a?x=1"],
  ];
  for (const [action, resource] of bad) {
    test(`${action} on ${resource}`, async () => {
      const { ask, fake } = await at();
      expect(await ask(action, resource)).toBe("invalid_request");
      expect(fake.calls).toEqual([]);
    });
  }
  test("nor does an action with a resource in capitals", async () => {
    const { ask, fake } = await at();
    for (const action of ["raw:get:Pods", "raw:GET:pods", "raw:get:pods/", "raw:get:.apps", "raw:"])
      expect(await ask(action, "namespace:payments")).toBe("unknown_action");
    expect(fake.calls).toEqual([]);
  });
});

describe("names of the cluster's own", () => {
  test("are never made from a caller's group", async () => {
    const { ask, fake } = await at();
    expect(await ask("raw:get:pods", "cluster", { groups: ["system:masters"] })).toBe("invalid_request");
    expect(fake.calls).toEqual([]);
  });
  test("are sent with the prefix where there is one", async () => {
    const { ask, spec } = await at(DANA_CLUSTER, { group_prefix: "oidc:" });
    expect(await ask("raw:delete:nodes", "cluster", { groups: ["system:masters"] })).toBe("denied");
    expect(spec()).toMatchObject({ groups: ["oidc:system:masters", "system:authenticated"] });
  });
  test("are not put together by a prefix either", async () => {
    const { ask } = await at(DANA_CLUSTER, { group_prefix: "system:" });
    expect(await ask("raw:get:pods", "cluster", { groups: ["masters"] })).toBe("invalid_request");
  });
  test("are never made from a user's", async () => {
    const { ask, fake } = await at(DANA_CLUSTER, { username_template: "{local}" });
    expect(await ask("raw:get:pods", "cluster", { user: "system:serviceaccount:kube-system:admin@example.com" })).toBe(
      "invalid_request",
    );
    expect(fake.calls).toEqual([]);
  });
});

test("what the cluster could not evaluate is unsupported, an allow beside it too", async () => {
  const { ask } = await at({ ...DANA_CLUSTER, evaluationError: "CANARY" });
  expect(await ask("raw:get:pods", "namespace:payments")).toBe("unsupported");
});

test("a review that the credential may not make is credential_rejected", async () => {
  const { ask } = await at({ reviewStatus: 403 });
  expect(await ask("raw:get:pods", "namespace:payments")).toBe("credential_rejected");
});

test("a user name comes from the template", async () => {
  const { ask, spec } = await at(DANA_CLUSTER, { username_template: "oidc#{local}@{domain}" });
  await ask("raw:get:pods", "namespace:payments", { user: "Dana@Example.com" });
  expect(spec()).toMatchObject({ user: "oidc#dana@example.com" });
});

test("templates that name nobody, or have an unknown or open placeholder, are refused", () => {
  for (const template of ["static", "{user}", "{email"]) {
    const connection = {
      id: "k",
      integration: "kubernetes",
      url: "https://k.test",
      credential: SECRET,
      username_template: template,
    };
    expect(() => loadConfigCode([connection], INTEGRATIONS)).toThrow("username_template");
  }
});

describe("the probe", () => {
  const probe = async (state: ClusterState) => await (await at(state)).desk.probe();
  test("of a cluster in order has no warnings", async () =>
    expect(await probe({})).toMatchObject({ ok: true, warnings: [] }));
  test("warns of a cluster that allows everyone everything", async () => {
    expect((await probe({ permissive: true })).warnings.length).toBe(1);
  });
  test("names the rights beyond what is needed", async () => {
    const { warnings } = await probe({
      ownRules: [
        { verbs: ["get", "list"], apiGroups: [""], resources: ["secrets"] },
        { verbs: ["*"], apiGroups: ["apps"], resources: ["deployments"] },
      ],
    });
    expect(warnings).toEqual(["the credential can do more than it needs: get,list secrets; * deployments in apps"]);
  });
  test("only warns when the rules cannot be read", async () => {
    expect(await probe({ rulesStatus: 403 })).toMatchObject({
      ok: true,
      warnings: [expect.stringContaining("credential_rejected")],
    });
  });
  test("fails when reviews cannot be made", async () =>
    expect(await probe({ reviewStatus: 403 })).toMatchObject({ ok: false }));
});

test("every action has been allowed and denied", () => expect(uncovered("kubernetes", desks)).toEqual([]));
