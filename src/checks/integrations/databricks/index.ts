/** Databricks (CHECKS §4). */
import { notBuilt } from "../not-built.ts";

export const databricks = notBuilt("databricks", "Databricks");
