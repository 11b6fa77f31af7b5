/** hallpass's own keys: as configured or from where it runs, and those of the roles it assumes (CHECKS §4.11). */
import type { Call } from "../../call.ts";
import { stop } from "../../codes.ts";
import type { Secret } from "../../config/secret.ts";
import type { Parts } from "../../integration.ts";
import { Ambient, isAmbientKind } from "./ambient.ts";
import type { AwsConfig } from "./config.ts";
import { HOME, QueryService, stsUrl } from "./services.ts";
import { AwsKeys, keysOf, type KeySource } from "./sign.ts";

/** Of a role's session, unless more is asked for. */
const SESSION_MS = 60 * 60_000;

export interface Sources {
  /** For the account that is asked about. */
  readonly account: KeySource;
  readonly center: KeySource;
}

export function sourcesOf(config: AwsConfig, parts: Parts): Sources {
  const { partition, role_arn: role, identity_center_role_arn: centerRole } = config;
  const region = config.region ?? HOME[partition];
  const own = ownKeys(config.credential, new Ambient(parts, stsUrl(partition, region), config.session_name));
  const sts = new QueryService(parts, stsUrl(partition, region), "sts", region, own, "2011-06-15");
  const sessions = parts.tokens(async (call, arn) => {
    const result = await sts.ask(call, "AssumeRole", assumption(arn, config), false);
    return { value: JSON.stringify(keysOf(result)), lifetimeMs: SESSION_MS };
  });
  const as =
    (arn: string): KeySource =>
    async (call) =>
      AwsKeys.parse(JSON.parse(await sessions.get(call, arn)));
  return {
    account: role === undefined ? own : as(role),
    center: centerRole === undefined ? own : as(centerRole),
  };
}

function assumption(arn: string, { session_name: name, external_id: external }: AwsConfig): Record<string, string> {
  return { RoleArn: arn, RoleSessionName: name, ...(external === undefined ? {} : { ExternalId: external }) };
}

function ownKeys(credential: Secret, ambient: Ambient): KeySource {
  return async (call: Call) => {
    const value = (await credential.read()).trim();
    const kind = value.startsWith("ambient:") ? value.slice("ambient:".length) : undefined;
    if (kind !== undefined && isAmbientKind(kind)) return await ambient.keys(kind, call);
    return readKeys(value);
  };
}

/** Never says what it read. */
function readKeys(value: string): AwsKeys {
  const refused = stop("credential_rejected", "the credential is neither JSON with AWS keys nor ambient:…");
  try {
    const keys = AwsKeys.safeParse(JSON.parse(value));
    if (keys.success) return keys.data;
  } catch {
    throw refused;
  }
  throw refused;
}
