/** Zendesk (CHECKS §4). */
import { notBuilt } from "../not-built.ts";

export const zendesk = notBuilt("zendesk", "Zendesk");
