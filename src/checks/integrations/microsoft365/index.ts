/** Microsoft 365 (CHECKS §4). */
import { notBuilt } from "../not-built.ts";

export const microsoft365 = notBuilt("microsoft365", "Microsoft 365");
