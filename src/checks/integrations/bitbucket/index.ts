/** Bitbucket Cloud and Data Center (CHECKS §4). */
import { notBuilt } from "../not-built.ts";

export const bitbucket = notBuilt("bitbucket", "Bitbucket Cloud and Data Center");
