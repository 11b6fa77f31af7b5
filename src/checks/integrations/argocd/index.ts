/** Argo CD: its policies are read through the cluster's API and evaluated here, as Argo CD does it (CHECKS §4.2). */
import type { Call } from "../../call.ts";
import { allowed, denied, unknown, type Finding } from "../../codes.ts";
import { key, type ConfigOf } from "../../config/keys.ts";
import { defineIntegration, type Connection, type Parts, type ProbeReport } from "../../integration.ts";
import type { Resource, Subject } from "../../question.ts";
import type { Lookup } from "../../shared/lookup.ts";
import { kubernetes } from "../kubernetes/index.ts";
import { actions, patterns, type ArgoAction } from "./actions.ts";
import { Enforcer, type Person } from "./enforce.ts";
import { readBundle, type Bundle } from "./settings.ts";
import { readAsk, type Ask } from "./where.ts";

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const NAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;

const keys = {
  kubernetes_connection: key.connection(() => kubernetes, {
    about: "the connection to the cluster that Argo CD runs in",
    required: true,
  }),
  namespace: key.text({
    about: "Argo CD's namespace",
    default: "argocd",
    pattern: LABEL,
    hint: "the name of a namespace",
  }),
  rbac_configmap: key.text({
    about: "the config map with the policy",
    default: "argocd-rbac-cm",
    pattern: NAME,
    hint: "the name of a config map",
  }),
  user_subject: key.oneOf(["none", "email"], {
    about: "what Argo CD calls a person in policies: nothing that is known, or the email",
    default: "none",
  }),
};

const KEPT_MS = 30_000;

export class ArgoConnection implements Connection<Person, Ask, ArgoAction> {
  private readonly bundles: Lookup<Bundle>;

  constructor(
    private readonly config: ConfigOf<typeof keys>,
    parts: Parts,
  ) {
    this.bundles = parts.lookup("policies", KEPT_MS);
  }

  get base(): URL {
    return this.config.kubernetes_connection.connection.base;
  }

  prepare(action: ArgoAction, resource: Resource): Ask {
    return readAsk(action, resource);
  }

  /** No lookup: Argo CD knows people by what their login says of them. */
  async identify({ email, groups }: Subject): Promise<Person> {
    return { email, groups };
  }

  async decide(person: Person, ask: Ask, call: Call): Promise<Finding> {
    const enforcer = new Enforcer(await this.bundle(call), ask);
    const isNamed = this.config.user_subject === "email";
    if (enforcer.allows(person, isNamed ? person.email : undefined)) return allowed("Argo CD's policy allows it");
    if (!isNamed && (enforcer.hasUserRules() || enforcer.allows(person, person.email)))
      return unknown(
        "unsupported",
        "the policy has rules for single users, and what Argo CD calls the person is not known",
      );
    return denied("Argo CD's policy does not allow it");
  }

  async probe(call: Call): Promise<ProbeReport> {
    const { policy, projects, hasPolicy } = await this.bundle(call);
    return {
      summary: `read ${policy.rules.length} rules and ${projects.size} projects`,
      warnings: hasPolicy ? [] : ["the config map with the policy is missing: only what is built in counts"],
    };
  }

  private async bundle(call: Call): Promise<Bundle> {
    const { kubernetes_connection: cluster, namespace, rbac_configmap: configMap } = this.config;
    return await this.bundles.get(
      "",
      call,
      async (inner) => await readBundle(cluster.connection.api, namespace, configMap, inner),
    );
  }
}

export const argocd = defineIntegration({
  name: "argocd",
  about: "Argo CD",
  keys,
  actions,
  patterns,
  connect: (config: ConfigOf<typeof keys>, parts: Parts) => new ArgoConnection(config, parts),
});
