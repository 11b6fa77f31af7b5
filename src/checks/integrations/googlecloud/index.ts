/** Google Cloud (CHECKS §4). */
import { notBuilt } from "../not-built.ts";

export const googlecloud = notBuilt("googlecloud", "Google Cloud");
