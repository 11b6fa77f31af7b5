/** What can be asked of Jira: its own permission keys, of projects and issues or of the whole site (CHECKS §4.6). */
import type { Action } from "../../integration.ts";

const IN_PROJECTS: Readonly<Record<string, string>> = {
  BROWSE_PROJECTS: "see a project or issue",
  CREATE_ISSUES: "create issues",
  EDIT_ISSUES: "edit issues",
  DELETE_ISSUES: "delete issues",
  ASSIGN_ISSUES: "assign issues to people",
  ASSIGNABLE_USER: "be assigned issues",
  TRANSITION_ISSUES: "move issues through the workflow",
  RESOLVE_ISSUES: "resolve and reopen issues",
  CLOSE_ISSUES: "close issues",
  MOVE_ISSUES: "move issues to another project",
  LINK_ISSUES: "link issues",
  ADD_COMMENTS: "comment on issues",
  EDIT_ALL_COMMENTS: "edit everyone's comments",
  DELETE_ALL_COMMENTS: "delete everyone's comments",
  CREATE_ATTACHMENTS: "attach files",
  WORK_ON_ISSUES: "log work",
  MANAGE_WATCHERS: "manage watchers",
  VIEW_VOTERS_AND_WATCHERS: "see voters and watchers",
  SCHEDULE_ISSUES: "set due dates",
  SET_ISSUE_SECURITY: "set an issue's security level",
  MANAGE_SPRINTS_PERMISSION: "manage sprints",
  ADMINISTER_PROJECTS: "administer a project",
};

const IN_THE_SITE: Readonly<Record<string, string>> = {
  ADMINISTER: "administer Jira",
  SYSTEM_ADMIN: "administer the system",
  USER_PICKER: "pick users and groups from lists",
  CREATE_SHARED_OBJECTS: "share dashboards and filters",
  MANAGE_GROUP_FILTER_SUBSCRIPTIONS: "manage groups' filter subscriptions",
  BULK_CHANGE: "change many issues at once",
};

function of(keys: Readonly<Record<string, string>>, resources: readonly string[]): Action[] {
  return Object.entries(keys).map(([name, about]) => ({ name, about, resources }));
}

export const actions: readonly Action[] = [...of(IN_PROJECTS, ["project", "issue"]), ...of(IN_THE_SITE, ["global"])];
