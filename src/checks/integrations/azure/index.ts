/** Azure (CHECKS §4). */
import { notBuilt } from "../not-built.ts";

export const azure = notBuilt("azure", "Azure");
