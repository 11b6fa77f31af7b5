/** Google Workspace (CHECKS §4). */
import { notBuilt } from "../not-built.ts";

export const googleworkspace = notBuilt("googleworkspace", "Google Workspace");
