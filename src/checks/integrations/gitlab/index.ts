/** GitLab (CHECKS §4). */
import { notBuilt } from "../not-built.ts";

export const gitlab = notBuilt("gitlab", "GitLab");
