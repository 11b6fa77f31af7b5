/** Whether the ServiceAccount of hallpass may do what it must, and no more (CHECKS §4.1). */
import type { Call } from "../../call.ts";
import { Stop } from "../../codes.ts";
import type { ProbeReport } from "../../integration.ts";
import { list, record, text, type Read } from "../../shared/fields.ts";
import type { KubernetesConnection } from "./index.ts";

const Rule = record({ verbs: list(text), apiGroups: list(text), resources: list(text) });
const Rules = record({ status: record({ resourceRules: list(Rule) }) });
const RULES = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";

/** A name that no role binding of a cluster in order names. */
const NOBODY = { user: "hallpass-probe-nobody", groups: [] };
const ANYTHING = { resourceAttributes: { verb: "create", resource: "pods", namespace: "default" } };

export async function probe(connection: KubernetesConnection, call: Call): Promise<ProbeReport> {
  const { allowed } = await connection.review(NOBODY, ANYTHING, call);
  const permissive = allowed
    ? ["the cluster allows an unknown user to create pods: its authorizer allows everyone everything"]
    : [];
  const excess = await excessOf(connection, call);
  return { summary: "may create subject access reviews", warnings: [...permissive, ...excess] };
}

async function excessOf(connection: KubernetesConnection, call: Call): Promise<string[]> {
  try {
    const json = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectRulesReview",
      spec: { namespace: "default" },
    };
    const reply = await connection.api.post(call, RULES, { json, idempotent: true });
    const rules = reply.json(Rules).status.resourceRules.filter((rule) => !isExpected(rule));
    return rules.length === 0 ? [] : [`the credential can do more than it needs: ${rules.map(describe).join("; ")}`];
  } catch (error) {
    if (error instanceof Stop) return [`its rules could not be read (${error.finding.code})`];
    throw error;
  }
}

/** The one rule of hallpass's ClusterRole, and what every ServiceAccount is given (system:basic-user). */
function isExpected({ verbs, apiGroups, resources }: Read<typeof Rule>): boolean {
  const own = ["subjectaccessreviews", "selfsubjectaccessreviews", "selfsubjectrulesreviews", "selfsubjectreviews"];
  const groups = ["authorization.k8s.io", "authentication.k8s.io"];
  const isWithin = (values: readonly string[], known: readonly string[]): boolean =>
    values.every((value) => known.includes(value));
  return isWithin(verbs, ["create"]) && isWithin(apiGroups, groups) && isWithin(resources, own);
}

function describe({ verbs, apiGroups, resources }: Read<typeof Rule>): string {
  const group = apiGroups.filter(Boolean).join(",");
  return `${verbs.join(",")} ${resources.join(",")}${group === "" ? "" : ` in ${group}`}`;
}
