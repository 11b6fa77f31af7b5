/** AWS (CHECKS §4). */
import { notBuilt } from "../not-built.ts";

export const aws = notBuilt("aws", "AWS");
