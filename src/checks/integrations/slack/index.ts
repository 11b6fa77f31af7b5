/** Slack (CHECKS §4). */
import { notBuilt } from "../not-built.ts";

export const slack = notBuilt("slack", "Slack");
