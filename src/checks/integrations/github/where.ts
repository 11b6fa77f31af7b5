/** A resource as the organization's repository, team or itself; anything else is `invalid_request` (CHECKS §4.3). */
import type { Resource } from "../../question.ts";
import { branchOf, idOf, invalidResource, onlyParams } from "../../shared/resource.ts";
import type { GithubAction } from "./actions.ts";

/** An account's name, with the suffix of an enterprise's own accounts (`dana_acme`). */
export const LOGIN = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,98}[A-Za-z0-9])?(?:_[A-Za-z0-9]{1,20})?$/;
export const SLUG = /^[a-z0-9_][a-z0-9_-]{0,254}$/;
const REPO = /^([A-Za-z0-9_-]+)\/([A-Za-z0-9._-]{1,100})$/;
const TEAM = /^([A-Za-z0-9_-]+)\/([a-z0-9_][a-z0-9_-]{0,254})$/;

export interface Ask {
  readonly action: GithubAction;
  /** The repository, or the team's slug; the organization has none. */
  readonly name: string;
  readonly branch: string | undefined;
}

export function readAsk(action: GithubAction, resource: Resource, organization: string): Ask {
  onlyParams(resource);
  const { id, branch } = resource.type === "repo" ? branchOf(resource.id) : { id: resource.id, branch: undefined };
  const [, owner = "", name = ""] = idOf({ ...resource, id }, ...formOf(resource.type));
  if (owner.toLowerCase() !== organization.toLowerCase())
    throw invalidResource("the owner is not the organization of this connection");
  if (name === "." || name === "..") throw invalidResource("the repository has no valid name");
  return { action, name, branch };
}

function formOf(type: string): [RegExp, string] {
  if (type === "repo") return [REPO, "by <owner>/<name>, with @<branch> behind it where one is meant"];
  if (type === "team") return [TEAM, "by <organization>/<slug>, the slug in lower case"];
  return [/^([A-Za-z0-9_-]+)$/, "by its login"];
}
