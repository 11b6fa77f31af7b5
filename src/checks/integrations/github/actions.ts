/** What can be asked of GitHub, and what each action needs there (CHECKS §4.3). */
import type { Action } from "../../integration.ts";

export const LEVELS = ["pull", "triage", "push", "maintain", "admin"] as const;
export type Level = (typeof LEVELS)[number];

/** `also`: what must hold besides the level. `push` and `merge` look at the branch, where one is named. */
export interface RepoNeed {
  readonly on: "repo";
  readonly level: Level;
  readonly also?: "issues" | "fork" | "push" | "merge";
}
export interface OrgNeed {
  readonly on: "org";
  readonly right: "member" | "admin" | "create";
}
export interface TeamNeed {
  readonly on: "team";
  readonly role: "member" | "maintainer";
}

export interface GithubAction extends Action {
  readonly needs: RepoNeed | OrgNeed | TeamNeed;
}

function repo(name: string, about: string, level: Level, also?: RepoNeed["also"]): GithubAction {
  const needs: RepoNeed = { on: "repo", level, ...(also === undefined ? {} : { also }) };
  return { name, about, resources: ["repo"], needs };
}

function org(name: string, about: string, right: OrgNeed["right"]): GithubAction {
  return { name, about, resources: ["org"], needs: { on: "org", right } };
}

function team(name: string, about: string, role: TeamNeed["role"]): GithubAction {
  return { name, about, resources: ["team"], needs: { on: "team", role } };
}

export const actions: readonly GithubAction[] = [
  repo("repo.read", "read a repository", "pull"),
  repo("repo.triage", "manage issues and pull requests without writing code", "triage"),
  repo("repo.push", "push to a repository, or with @branch to that branch", "push", "push"),
  repo("repo.maintain", "manage a repository without its dangerous settings", "maintain"),
  repo("repo.admin", "administer a repository", "admin"),
  repo("issue.create", "open an issue", "pull", "issues"),
  repo("pr.create", "open a pull request, from a fork where pushing is not allowed", "pull", "fork"),
  repo("pr.merge", "merge a pull request, or with @branch one into that branch", "push", "merge"),
  org("org.member", "be a member of the organization", "member"),
  org("org.admin", "own the organization", "admin"),
  org("org.repo.create", "create a repository in the organization", "create"),
  team("team.member", "be a member of a team", "member"),
  team("team.maintainer", "maintain a team", "maintainer"),
];
