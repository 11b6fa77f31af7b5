/** What a cluster holds of Argo CD as far as access goes: two config maps and the projects (CHECKS §4.2). */
import { CANARY, SECRET, type World } from "../support/desk.ts";
import { FakeServer, type FakeReply, type FakeRequest, type Route } from "../support/fake-server.ts";
import type { Scenario } from "../support/scenario.ts";

export interface FakeProject {
  readonly name: string;
  readonly roles?: readonly FakeRole[];
}

export interface FakeRole {
  readonly name: string;
  readonly policies?: readonly string[];
  readonly groups?: readonly string[];
}

export interface ArgoState {
  readonly namespace: string;
  /** `data` by name; one that is not here does not exist. */
  readonly configMaps: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly projects: readonly FakeProject[];
  /** The status of every read of a config map by this name, or of `appprojects`. */
  readonly status?: Readonly<Record<string, number>>;
}

export const POLICY = `
# Who may do what
p, role:dev, applications, get, dev/*, allow
p, role:dev, applications, sync, dev/*, allow
p, role:sre, applications, *, */*, allow
p, role:sre, applications, delete, prod/*, deny
g, developers, role:dev
g, sre, role:sre
`;

export const TEAM_A: FakeProject = {
  name: "team-a",
  roles: [
    {
      name: "deployers",
      policies: ["p, proj:team-a:deployers, applications, sync, team-a/*, allow"],
      groups: ["team-a-deployers"],
    },
  ],
};

export function argoState(changes: Partial<ArgoState> = {}): ArgoState {
  return {
    namespace: "argocd",
    configMaps: { "argocd-rbac-cm": { "policy.csv": POLICY }, "argocd-cm": { url: "https://argo.example.com" } },
    projects: [{ name: "default" }, TEAM_A],
    ...changes,
  };
}

/** The policy alone, with other keys of its config map beside it where given. */
export function argoPolicy(policy: string, more: Readonly<Record<string, string>> = {}): ArgoState {
  return argoState({ configMaps: { "argocd-rbac-cm": { "policy.csv": policy, ...more }, "argocd-cm": {} } });
}

class Argo {
  constructor(private readonly state: ArgoState) {}

  routes(): Route[] {
    const headers = { authorization: `Bearer ${CANARY}-token`, accept: "application/json" };
    return [
      {
        on: "GET /api/v1/namespaces/:namespace/configmaps/:name",
        headers,
        answer: (request) => this.configMap(request),
      },
      {
        on: "GET /apis/argoproj.io/v1alpha1/namespaces/:namespace/appprojects",
        headers,
        answer: (request) => this.projects(request),
      },
    ];
  }

  private configMap({ params: { namespace = "", name = "" } }: FakeRequest): FakeReply {
    const failing = this.failing(namespace, name);
    if (failing !== undefined) return failing;
    const { configMaps } = this.state;
    if (!Object.hasOwn(configMaps, name)) return failure(404);
    const data = configMaps[name] ?? {};
    const metadata = { name, namespace, resourceVersion: "7", annotations: { note: CANARY } };
    // Go leaves out an empty map.
    return ok({ apiVersion: "v1", kind: "ConfigMap", metadata, ...(Object.keys(data).length === 0 ? {} : { data }) });
  }

  private projects({ params: { namespace = "" } }: FakeRequest): FakeReply {
    const failing = this.failing(namespace, "appprojects");
    if (failing !== undefined) return failing;
    const items = this.state.projects.map(({ name, roles }) => ({
      apiVersion: "argoproj.io/v1alpha1",
      kind: "AppProject",
      metadata: { name, namespace },
      spec: { description: CANARY, sourceRepos: ["*"], ...(roles === undefined ? {} : { roles }) },
    }));
    return ok({
      apiVersion: "argoproj.io/v1alpha1",
      kind: "AppProjectList",
      metadata: { resourceVersion: "8", continue: "" },
      items,
    });
  }

  private failing(namespace: string, name: string): FakeReply | undefined {
    const status = this.state.status?.[name];
    if (status !== undefined) return failure(status);
    return namespace === this.state.namespace ? undefined : failure(name === "appprojects" ? 403 : 404);
  }
}

function ok(body: unknown): FakeReply {
  return { status: 200, body };
}

function failure(code: number): FakeReply {
  return { status: code, body: { kind: "Status", apiVersion: "v1", status: "Failure", message: CANARY, code } };
}

export async function argocdWorld(state: ArgoState = argoState(), config: Record<string, string> = {}): Promise<World> {
  const fake = await FakeServer.start(new Argo(state).routes());
  return {
    fake,
    connections: [
      { id: "cluster", integration: "kubernetes", url: fake.url, credential: SECRET },
      { id: "argo", integration: "argocd", kubernetes_connection: "cluster", ...config },
    ],
  };
}

const dana = { user: "dana@example.com" };
const app = "applications:dev/web";

/** What is never there when it is empty: Go's `omitempty`. */
const omitted = {
  "items[].spec.roles": "Go leaves out an empty list",
  "items[].spec.roles[].policies": "Go leaves out an empty list",
  "items[].spec.roles[].groups": "Go leaves out an empty list",
};

export const scenarios: readonly Scenario[] = [
  {
    name: "an action that a group's role gives",
    world: argocdWorld,
    asking: { ...dana, groups: ["developers"], action: "app.sync", resource: app },
    expect: "allowed",
  },
  {
    name: "an action that no role of the person's gives",
    world: argocdWorld,
    asking: { ...dana, groups: ["developers"], action: "app.delete", resource: app },
    expect: "denied",
  },
  {
    name: "an action that a role gives everywhere and denies in this project",
    world: argocdWorld,
    asking: { ...dana, groups: ["sre"], action: "app.delete", resource: "applications:prod/web" },
    expect: "denied",
  },
  {
    name: "an action that a role gives and a role of the project denies",
    world: async () => {
      const policies = ["p, proj:team-a:frozen, applications, delete, team-a/*, deny"];
      const frozen = { name: "team-a", roles: [{ name: "frozen", policies, groups: ["sre"] }] };
      return await argocdWorld(argoState({ projects: [frozen] }));
    },
    asking: { ...dana, groups: ["sre"], action: "app.delete", resource: "applications:team-a/web" },
    expect: "denied",
    absent: omitted,
  },
  {
    name: "an action that could be given to the person by a rule of their own",
    world: async () => await argocdWorld(argoPolicy("p, dana, applications, get, dev/*, allow")),
    asking: { ...dana, action: "app.get", resource: app },
    expect: "unsupported",
  },
  {
    name: "a policy that cannot be read",
    world: async () => await argocdWorld(argoPolicy(`${POLICY}p, role:dev, applications\n`)),
    asking: { ...dana, groups: ["developers"], action: "app.sync", resource: app },
    expect: "unsupported",
  },
];
