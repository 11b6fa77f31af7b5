/** PagerDuty (CHECKS §4). */
import { notBuilt } from "../not-built.ts";

export const pagerduty = notBuilt("pagerduty", "PagerDuty");
