/** A resource as a project or group of GitLab, by path or number; anything else is `invalid_request` (CHECKS §4.4). */
import type { Resource } from "../../question.ts";
import { branchOf, idOf, invalidResource, onlyParams } from "../../shared/resource.ts";
import type { GitlabAction } from "./actions.ts";

export const GROUP = /^[A-Za-z0-9_.][A-Za-z0-9_.-]*(?:\/[A-Za-z0-9_.][A-Za-z0-9_.-]*)*$/;
const PROJECT = /^(?:[0-9]+|[A-Za-z0-9_.][A-Za-z0-9_.-]*(?:\/[A-Za-z0-9_.][A-Za-z0-9_.-]*)+)$/;

export interface Ask {
  readonly action: GitlabAction;
  /** A path or a number. */
  readonly id: string;
  readonly branch: string | undefined;
}

export function readAsk(action: GitlabAction, resource: Resource): Ask {
  onlyParams(resource);
  const isProject = resource.type === "project";
  const { id, branch } = isProject ? branchOf(resource.id) : { id: resource.id, branch: undefined };
  const [pattern, hint] = isProject ? [PROJECT, "by <group>/<name> or a number"] : [GROUP, "by its path or a number"];
  idOf({ ...resource, id }, pattern, hint);
  if (id.split("/").some((part) => part === "." || part === ".."))
    throw invalidResource("the path has a . or .. in it");
  return { action, id, branch };
}
