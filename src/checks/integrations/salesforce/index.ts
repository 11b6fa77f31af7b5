/** Salesforce (CHECKS §4). */
import { notBuilt } from "../not-built.ts";

export const salesforce = notBuilt("salesforce", "Salesforce");
