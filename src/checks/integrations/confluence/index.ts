/** Confluence Cloud (CHECKS §4). */
import { notBuilt } from "../not-built.ts";

export const confluence = notBuilt("confluence", "Confluence Cloud");
