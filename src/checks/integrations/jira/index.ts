/** Jira Cloud (CHECKS §4). */
import { notBuilt } from "../not-built.ts";

export const jira = notBuilt("jira", "Jira Cloud");
