/** Requests signed with Signature Version 4 (CHECKS §4.11). */
import { AwsV4Signer } from "aws4fetch";
import { z } from "zod";
import type { Call } from "../../call.ts";
import { stop } from "../../codes.ts";
import type { Outgoing } from "../../http/wire.ts";
import type { Credential } from "../../shared/credential.ts";
import type { Xml } from "./xml.ts";

export const AwsKeys = z.strictObject({
  access_key_id: z.string().min(1),
  secret_access_key: z.string().min(1),
  session_token: z.string().min(1).optional(),
});
export type AwsKeys = z.output<typeof AwsKeys>;

/** The keys of an answer of STS. */
export function keysOf(result: Xml): AwsKeys {
  const found = result.at("Credentials");
  const keys = AwsKeys.safeParse({
    access_key_id: found.text("AccessKeyId"),
    secret_access_key: found.text("SecretAccessKey"),
    session_token: found.text("SessionToken"),
  });
  if (!keys.success) throw stop("upstream_error", "AWS gave no keys for a role");
  return keys.data;
}

/** Where keys come from when a request is signed. */
export type KeySource = (call: Call) => Promise<AwsKeys>;

export function signed(service: string, region: string, source: KeySource): Credential {
  const headers = async (request: Outgoing, call: Call): Promise<Record<string, string>> => {
    const keys = await source(call);
    const signer = new AwsV4Signer({
      method: request.method,
      url: request.url.origin + request.path,
      headers: chosen(request.headers),
      body: Buffer.from(request.body ?? []).toString("utf8"),
      accessKeyId: keys.access_key_id,
      secretAccessKey: keys.secret_access_key,
      ...(keys.session_token === undefined ? {} : { sessionToken: keys.session_token }),
      service,
      region,
      datetime: stamp(call.clock.now()),
      allHeaders: true,
    });
    return Object.fromEntries((await signer.sign()).headers);
  };
  return { headers, renew: () => false };
}

/** The headers that say what the request is; others may be changed on the way. */
function chosen(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name === "content-type" || name === "x-amz-target"),
  );
}

/** `20260101T000000Z`. */
function stamp(now: number): string {
  return new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, "");
}
