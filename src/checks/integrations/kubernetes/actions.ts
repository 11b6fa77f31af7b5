/** What can be asked of a Kubernetes cluster, as verbs and resources of its authorizer (CHECKS §4.1). */
import type { Action, Pattern } from "../../integration.ts";

/** A resource as RBAC names it. */
export interface Kind {
  readonly plural: string;
  /** "" is the core group. */
  readonly group: string;
}

export interface KubernetesAction extends Action {
  readonly verb: string;
  /** Undefined: the question's `resource` parameter names it, or there is none (nonresource). */
  readonly kind?: Kind;
  readonly subresource?: string;
  /** The kinds that the `resource` parameter may choose in the stead of `kind`. */
  readonly instead?: readonly string[];
  /** On `namespace:<ns>` the namespace itself is the object. */
  readonly namesItself?: true;
}

const PLURAL = /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const OBJECTS = ["namespace", "cluster"] as const;

function action(
  name: string,
  about: string,
  verb: string,
  kind: string,
  more: Partial<KubernetesAction> = {},
): KubernetesAction {
  const read = readKind(kind);
  return { name, about, verb, resources: OBJECTS, ...(read === undefined ? {} : { kind: read }), ...more };
}

const BINDINGS = "rolebindings.rbac.authorization.k8s.io";

export const actions: readonly KubernetesAction[] = [
  action("pods.exec", "run a command in a pod", "create", "pods", { subresource: "exec" }),
  action("pods.logs", "read a pod's log", "get", "pods", { subresource: "log" }),
  action("pods.portforward", "forward a port of a pod", "create", "pods", { subresource: "portforward" }),
  action("pods.attach", "attach to a pod", "create", "pods", { subresource: "attach" }),
  {
    name: "scale",
    about: "change the number of replicas of ?resource=",
    verb: "update",
    resources: OBJECTS,
    subresource: "scale",
  },
  action("secrets.read", "read a secret", "get", "secrets"),
  action("secrets.list", "list secrets, with their contents", "list", "secrets"),
  action("impersonate", "act as a user, or with ?resource= a group or service account", "impersonate", "users", {
    instead: ["groups", "serviceaccounts"],
  }),
  action("deployment.create", "create a deployment", "create", "deployments.apps"),
  action("deployment.update", "change a deployment", "update", "deployments.apps"),
  action("deployment.delete", "delete a deployment", "delete", "deployments.apps"),
  action("deployment.restart", "restart a deployment", "patch", "deployments.apps"),
  action("namespace.create", "create a namespace", "create", "namespaces"),
  action("namespace.delete", "delete a namespace", "delete", "namespaces", { namesItself: true }),
  action("rbac.bind", "grant a role by a role binding", "create", BINDINGS),
];

const RAW = /^raw:([a-z]{1,32}|\*)(?::([a-z0-9.-]+)(?:\/([a-z][a-z0-9]{0,62}))?)?$/;

export const patterns: readonly Pattern<KubernetesAction>[] = [
  {
    form: "raw:<verb>:<plural>[.<group>][/<subresource>]",
    about: "any verb on any resource",
    match: (name) => raw(name, true),
  },
  { form: "raw:<verb>", about: "a verb on a nonresource path, or on ?resource=", match: (name) => raw(name, false) },
];

function raw(name: string, withKind: boolean): KubernetesAction | undefined {
  const [whole, verb = "", written, subresource] = RAW.exec(name) ?? [];
  if (whole === undefined || (written !== undefined) !== withKind) return undefined;
  const about = `the verb ${verb}`;
  if (written === undefined) return { name, about, verb, resources: [...OBJECTS, "nonresource"] };
  const kind = readKind(written);
  return kind && { name, about, verb, kind, resources: OBJECTS, ...(subresource === undefined ? {} : { subresource }) };
}

/** `<plural>[.<group>]`, cut at the first dot; undefined when it has no valid form. */
export function readKind(written: string): Kind | undefined {
  const [plural = "", ...labels] = written.split(".");
  const isValid = PLURAL.test(plural) && labels.every((label) => LABEL.test(label));
  return isValid ? { plural, group: labels.join(".") } : undefined;
}
