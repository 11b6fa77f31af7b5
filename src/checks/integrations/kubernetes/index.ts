/** Kubernetes: the cluster's own authorizer is asked, by a SubjectAccessReview (CHECKS §4.1). */
import type { Call } from "../../call.ts";
import { allowed, denied, stop, unknown, type Finding } from "../../codes.ts";
import { key, type ConfigOf } from "../../config/keys.ts";
import { forbiddenIsCredential, type Api } from "../../http/api.ts";
import { defineIntegration, type Connection, type Parts, type ProbeReport } from "../../integration.ts";
import type { Resource, Subject } from "../../question.ts";
import { bearer } from "../../shared/credential.ts";
import { maybeFlag, record, text, type Read } from "../../shared/fields.ts";
import { actions, patterns, type KubernetesAction } from "./actions.ts";
import { readAttributes, type Attributes } from "./attributes.ts";
import { probe } from "./probe.ts";

const keys = {
  url: key.url({ about: "the API server", required: true }),
  credential: key.secret({ about: "token of a ServiceAccount that may create subjectaccessreviews", required: true }),
  username_template: key.template({ about: "the name the cluster knows a person by", default: "{email}" }),
  group_prefix: key.text({ about: "what the cluster puts before group names" }),
  add_authenticated_group: key.flag({ about: "add system:authenticated, as the API server does", default: "true" }),
};

/** The person as the cluster's authenticator would name them. */
export interface KubernetesUser {
  readonly user: string;
  readonly groups: readonly string[];
}

const Review = record({ status: record({ allowed: maybeFlag, denied: maybeFlag, evaluationError: text }) });
const REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

export class KubernetesConnection implements Connection<KubernetesUser, Attributes, KubernetesAction> {
  /** Argo CD reads its settings through it. */
  readonly api: Api;
  readonly base: URL;

  constructor(
    private readonly config: ConfigOf<typeof keys>,
    parts: Parts,
  ) {
    this.base = config.url;
    this.api = parts.api({ base: config.url, credential: bearer(config.credential), refusal: forbiddenIsCredential });
  }

  prepare(action: KubernetesAction, resource: Resource): Attributes {
    return readAttributes(action, resource);
  }

  /** No lookup: the cluster has no accounts, only names. Names of the system's own are never made from what a caller says. */
  async identify(subject: Subject): Promise<KubernetesUser> {
    const { username_template: template, group_prefix: prefix = "", add_authenticated_group: isAdded } = this.config;
    const user = template.render(subject);
    const groups = subject.groups.map((group) => prefix + group);
    if ([user, ...groups].some((name) => name.startsWith("system:"))) {
      throw stop("invalid_request", "the user or a group would have a name that is the cluster's own (system:)");
    }
    return { user, groups: isAdded ? [...groups, "system:authenticated"] : groups };
  }

  async decide(identity: KubernetesUser, ask: Attributes, call: Call): Promise<Finding> {
    return findingOf(await this.review(identity, ask, call));
  }

  async probe(call: Call): Promise<ProbeReport> {
    return await probe(this, call);
  }

  /** One SubjectAccessReview: a POST that changes nothing. */
  async review(identity: KubernetesUser, ask: Attributes, call: Call): Promise<Read<typeof Review>["status"]> {
    const json = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec: { ...identity, ...ask } };
    const reply = await this.api.post(call, REVIEWS, { json, idempotent: true });
    return reply.json(Review).status;
  }
}

function findingOf({ allowed: isAllowed, denied: isDenied, evaluationError }: Read<typeof Review>["status"]): Finding {
  if (evaluationError !== "") return unknown("unsupported", "the cluster could not evaluate all of its rules");
  if (isAllowed === undefined) return unknown("unsupported", "the cluster did not say whether it allows this");
  if (isAllowed && isDenied) return unknown("unsupported", "the cluster both allows and denies this");
  return isAllowed
    ? allowed("the cluster's authorizer allows it")
    : denied("the cluster's authorizer does not allow it");
}

export const kubernetes = defineIntegration({
  name: "kubernetes",
  about: "Kubernetes",
  keys,
  actions,
  patterns,
  connect: (config: ConfigOf<typeof keys>, parts: Parts) => new KubernetesConnection(config, parts),
});
