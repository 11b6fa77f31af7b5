/** A question as the attributes of a SubjectAccessReview, or `invalid_request` (CHECKS §4.1). */
import type { Resource } from "../../question.ts";
import { idOf, invalidResource, onlyParams } from "../../shared/resource.ts";
import { readKind, type Kind, type KubernetesAction } from "./actions.ts";

export interface ResourceAttributes {
  readonly verb: string;
  readonly resource: string;
  readonly group?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

export type Attributes =
  | { readonly resourceAttributes: ResourceAttributes }
  | { readonly nonResourceAttributes: { readonly path: string; readonly verb: string } };

const NAMESPACE = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Wide enough for users and RBAC names (`system:node-reader`, an email). */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.:@-]{0,252}$/;
const PATH = /^\/[A-Za-z0-9/_.~-]*$/;

export function readAttributes(action: KubernetesAction, resource: Resource): Attributes {
  if (resource.type === "nonresource") return nonResource(action, resource);
  onlyParams(resource, "resource", "name", "subresource");
  const namespace = namespaceOf(resource);
  const { plural, group } = kindOf(action, resource.params.get("resource"));
  const subresource = subresourceOf(action, resource.params.get("subresource"));
  const name = nameOf(resource) ?? (action.namesItself ? namespace : undefined);
  const optional = { group, subresource, namespace, name };
  const given = Object.fromEntries(Object.entries(optional).filter(([, value]) => value));
  return { resourceAttributes: { verb: action.verb, resource: plural, ...given } };
}

function nonResource(action: KubernetesAction, resource: Resource): Attributes {
  onlyParams(resource);
  const [path] = idOf(resource, PATH, "by a path that begins with /");
  if (path.split("/").some((part) => part === "." || part === ".."))
    throw invalidResource("the path has a . or .. in it");
  return { nonResourceAttributes: { path, verb: action.verb } };
}

function namespaceOf(resource: Resource): string | undefined {
  if (resource.type === "namespace") return idOf(resource, NAMESPACE, "with a-z, 0-9 and -")[0];
  if (resource.raw.startsWith("cluster:")) throw invalidResource("cluster takes no id");
  return undefined;
}

function kindOf({ name, kind, instead }: KubernetesAction, written: string | undefined): Kind {
  if (written === undefined) {
    if (kind === undefined) throw invalidResource(`${name} needs ?resource=<plural>[.<group>] in the resource`);
    return kind;
  }
  const asked = readKind(written);
  if (asked === undefined) throw invalidResource("the parameter resource must be <plural>[.<group>]");
  const agrees = kind === undefined || isSame(kind, asked) || (instead?.includes(written) ?? false);
  if (!agrees) throw invalidResource("the action and the resource name different kinds");
  return asked;
}

function isSame(a: Kind, b: Kind): boolean {
  return a.plural === b.plural && a.group === b.group;
}

function subresourceOf(action: KubernetesAction, written: string | undefined): string | undefined {
  if (written === undefined) return action.subresource;
  const isFree = action.kind === undefined && action.subresource === undefined && /^[a-z][a-z0-9]{0,62}$/.test(written);
  if (!isFree && written !== action.subresource)
    throw invalidResource("the action and the resource name different subresources");
  return written;
}

function nameOf(resource: Resource): string | undefined {
  const name = resource.params.get("name");
  if (name !== undefined && !NAME.test(name)) throw invalidResource("the parameter name has no valid form");
  return name;
}
