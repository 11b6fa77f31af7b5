/** Who may ask: the API keys, read anew for each request, compared in constant time (CHECKS §3.2). */
import { createHash, timingSafeEqual } from "node:crypto";
import type { Secret } from "../config/secret.ts";

export interface ApiKey {
  /** For the log, the metrics and the rate limit. */
  readonly name: string;
  readonly secret: Secret;
}

/** The name of the key in an Authorization header; undefined where it is none of ours. A key that is empty or cannot be read lets nobody in. */
export async function keyOf(authorization: string | undefined, keys: readonly ApiKey[]): Promise<string | undefined> {
  const given = /^bearer[ \t]+(\S+)$/i.exec(authorization ?? "")?.[1];
  if (given === undefined) return undefined;
  const digest = hash(Buffer.from(given, "latin1"));
  const values = await Promise.all(keys.map(async ({ secret }) => await secret.read().catch(() => undefined)));
  // Every key is compared, so that the time says nothing about which one came near.
  const matches = values.map((value) => value !== undefined && timingSafeEqual(hash(Buffer.from(value)), digest));
  return keys[matches.indexOf(true)]?.name;
}

function hash(bytes: Buffer): Buffer {
  return createHash("sha256").update(bytes).digest();
}
