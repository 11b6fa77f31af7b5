/** What can be asked of GitLab, with the levels that give it: they are not cumulative (CHECKS §4.4). */
import type { Action } from "../../integration.ts";

export const LEVELS: ReadonlyMap<number, string> = new Map([
  [0, "no access"],
  [5, "Minimal Access"],
  [10, "Guest"],
  [15, "Planner"],
  [20, "Reporter"],
  [25, "Security Manager"],
  [30, "Developer"],
  [40, "Maintainer"],
  [50, "Owner"],
]);

export interface GitlabAction extends Action {
  readonly on: "project" | "group";
  readonly levels: readonly number[];
  /** Levels of which it depends on settings that are not read. */
  readonly unsure?: readonly number[];
  /** What a person who is not a member may do where the project is open to them. */
  readonly open?: "read" | "issue";
  /** The list of a protected branch that says who may. */
  readonly branch?: "push_access_levels" | "merge_access_levels";
  /** Membership itself is asked about: an administrator who is no member has none. */
  readonly isMembership?: true;
}

const ANY = [10, 15, 20, 25, 30, 40, 50];
const DEVELOPERS = [30, 40, 50];
const MAINTAINERS = [40, 50];

type More = Pick<GitlabAction, "unsure" | "open" | "branch" | "isMembership">;

function project(name: string, about: string, levels: readonly number[], more: More = {}): GitlabAction {
  return { name, about, resources: ["project"], on: "project", levels, ...more };
}

function group(name: string, about: string, levels: readonly number[], more: More = {}): GitlabAction {
  return { name, about, resources: ["group"], on: "group", levels, ...more };
}

export const actions: readonly GitlabAction[] = [
  project("project.read", "see a project", ANY, { open: "read" }),
  project("issue.create", "open an issue", ANY, { open: "issue" }),
  project("issue.edit", "edit issues", [15, 20, 25, 30, 40, 50]),
  project("mr.create", "open a merge request from a branch of the project", DEVELOPERS),
  project("mr.approve", "approve a merge request", DEVELOPERS, { unsure: [15, 20] }),
  project("mr.merge", "merge a merge request, or with @branch one into that branch", DEVELOPERS, {
    branch: "merge_access_levels",
  }),
  project("repo.push", "push to a project, or with @branch to that branch", DEVELOPERS, {
    branch: "push_access_levels",
  }),
  project("pipeline.run", "run a pipeline", DEVELOPERS),
  project("branch.protect", "protect a branch, or end its protection", MAINTAINERS),
  project("project.admin", "change a project's settings", MAINTAINERS),
  project("member.manage", "add and remove members of a project", MAINTAINERS),
  project("variable.manage", "read and change CI variables", MAINTAINERS),
  project("runner.manage", "manage a project's runners", MAINTAINERS),
  project("project.delete", "delete a project", [50]),
  group("group.member", "be a member of a group", ANY, { isMembership: true }),
  group("group.project.create", "create a project in a group", DEVELOPERS),
  group("group.admin", "administer a group", [50]),
];
