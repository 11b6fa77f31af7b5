/** Datadog (CHECKS §4). */
import { notBuilt } from "../not-built.ts";

export const datadog = notBuilt("datadog", "Datadog");
