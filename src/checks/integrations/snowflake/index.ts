/** Snowflake (CHECKS §4). */
import { notBuilt } from "../not-built.ts";

export const snowflake = notBuilt("snowflake", "Snowflake");
