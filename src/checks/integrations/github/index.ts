/** GitHub (CHECKS §4). */
import { notBuilt } from "../not-built.ts";

export const github = notBuilt("github", "GitHub");
