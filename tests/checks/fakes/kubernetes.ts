/** A Kubernetes API server as far as its authorizer goes: SubjectAccessReview, SelfSubjectRulesReview, RBAC by exact grants (CHECKS §4.1). */
import { z } from "zod";
import { CANARY, SECRET, type World } from "../support/desk.ts";
import { FakeServer, type FakeReply, type Route } from "../support/fake-server.ts";
import type { Scenario } from "../support/scenario.ts";

/** `verb resource[.group][/subresource] [namespace]`, or `verb /path`, given to a user or a group. */
export interface Grants {
  readonly [name: string]: readonly string[];
}

export interface ClusterState {
  readonly grants?: Grants;
  readonly evaluationError?: string;
  /** Answers every review with yes. */
  readonly permissive?: boolean;
  /** Rules of the credential beyond what it needs. */
  readonly ownRules?: readonly { verbs: string[]; apiGroups: string[]; resources: string[] }[];
  readonly rulesStatus?: number;
  readonly reviewStatus?: number;
}

const Attributes = z.strictObject({
  namespace: z.string().min(1).optional(),
  verb: z.string().min(1),
  group: z.string().min(1).optional(),
  resource: z.string().min(1),
  subresource: z.string().min(1).optional(),
  name: z.string().min(1).optional(),
});

const Spec = z.strictObject({
  user: z.string().min(1),
  groups: z.array(z.string()),
  resourceAttributes: Attributes.optional(),
  nonResourceAttributes: z.strictObject({ path: z.string(), verb: z.string() }).optional(),
});

const Review = z.strictObject({
  apiVersion: z.literal("authorization.k8s.io/v1"),
  kind: z.literal("SubjectAccessReview"),
  spec: Spec,
});

const RulesReview = z.strictObject({
  apiVersion: z.literal("authorization.k8s.io/v1"),
  kind: z.literal("SelfSubjectRulesReview"),
  spec: z.strictObject({ namespace: z.string().min(1) }),
});

export const DANA_CLUSTER: ClusterState = {
  grants: {
    "dana@example.com": ["get pods payments", "create pods/exec payments", "update deployments.apps/scale payments"],
    "oidc:admins": ["* *"],
    "system:authenticated": ["get /version"],
  },
};

export async function startKubernetes(state: ClusterState = DANA_CLUSTER): Promise<FakeServer> {
  const headers = { authorization: `Bearer ${CANARY}-token`, accept: "application/json" };
  const on = (name: string): string => `POST /apis/authorization.k8s.io/v1/${name}`;
  const routes: Route[] = [
    {
      on: on("subjectaccessreviews"),
      headers,
      body: Review,
      answer: ({ json }) => review(state, (json as z.infer<typeof Review>).spec),
    },
    { on: on("selfsubjectrulesreviews"), headers, body: RulesReview, answer: () => rules(state) },
  ];
  return await FakeServer.start(routes);
}

function review(state: ClusterState, spec: z.infer<typeof Spec>): FakeReply {
  if (state.reviewStatus !== undefined)
    return { status: state.reviewStatus, body: { kind: "Status", message: CANARY } };
  const { evaluationError } = state;
  const allowed = (state.permissive ?? false) || isGranted(state.grants ?? {}, spec);
  const status = {
    allowed,
    reason: `${CANARY}: RBAC says so`,
    ...(evaluationError === undefined ? {} : { evaluationError }),
  };
  return { status: 201, body: { kind: "SubjectAccessReview", apiVersion: "authorization.k8s.io/v1", spec, status } };
}

function isGranted(
  grants: Grants,
  { user, groups, resourceAttributes: asked, nonResourceAttributes: path }: z.infer<typeof Spec>,
): boolean {
  const given = [user, ...groups].flatMap((name) => grants[name] ?? []);
  if (path !== undefined) return given.includes(`${path.verb} ${path.path}`);
  if (asked === undefined) return false;
  const kind =
    asked.resource + (asked.group ? `.${asked.group}` : "") + (asked.subresource ? `/${asked.subresource}` : "");
  return given.some(
    (grant) =>
      grant === "* *" || grant === `${asked.verb} ${kind}` || grant === `${asked.verb} ${kind} ${asked.namespace}`,
  );
}

function rules({ ownRules = [], rulesStatus }: ClusterState): FakeReply {
  if (rulesStatus !== undefined) return { status: rulesStatus, body: { kind: "Status", message: CANARY } };
  const own = { verbs: ["create"], apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"] };
  const everyone = {
    verbs: ["create"],
    apiGroups: ["authorization.k8s.io"],
    resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
  };
  const nonResourceRules = [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/version"] }];
  return {
    status: 201,
    body: { status: { resourceRules: [own, everyone, ...ownRules], nonResourceRules, incomplete: false } },
  };
}

export async function kubernetesWorld(state?: ClusterState, config: Record<string, string> = {}): Promise<World> {
  const fake = await startKubernetes(state);
  return {
    fake,
    connections: [{ id: "cluster", integration: "kubernetes", url: fake.url, credential: SECRET, ...config }],
  };
}

const dana = { user: "dana@example.com", resource: "namespace:payments" };

export const scenarios: readonly Scenario[] = [
  {
    name: "a verb that is granted",
    world: kubernetesWorld,
    asking: { ...dana, action: "raw:get:pods" },
    expect: "allowed",
  },
  {
    name: "a verb that is not granted",
    world: kubernetesWorld,
    asking: { ...dana, action: "raw:delete:pods" },
    expect: "denied",
  },
  {
    name: "rules that could not all be evaluated",
    world: async () => await kubernetesWorld({ ...DANA_CLUSTER, evaluationError: CANARY }),
    asking: { ...dana, action: "raw:get:pods" },
    expect: "unsupported",
    absent: {
      status: "without it nothing is allowed",
      "status.evaluationError": "is there only when something could not be evaluated (authorization.k8s.io/v1)",
    },
  },
];
