/** Linear (CHECKS §4). */
import { notBuilt } from "../not-built.ts";

export const linear = notBuilt("linear", "Linear");
