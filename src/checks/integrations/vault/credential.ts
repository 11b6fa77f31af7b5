/** hallpass's own token: as configured, or from an AppRole login (CHECKS §4.18). */
import { stop } from "../../codes.ts";
import type { Api } from "../../http/api.ts";
import type { Parts } from "../../integration.ts";
import { header, type Credential } from "../../shared/credential.ts";
import { record, text, whole } from "../../shared/fields.ts";
import type { Token } from "../../shared/tokens.ts";
import type { Call } from "../../call.ts";
import type { VaultConfig } from "./index.ts";

const HEADER = "x-vault-token";
const Login = record({ auth: record({ client_token: text, lease_duration: whole }) });
/** Used where Vault gives a lease of 0: a token that does not end. */
const ENDLESS_MS = 60 * 60_000;

/** `api` sends no credential: it is for the login. */
export function credentialOf(config: VaultConfig, api: Api, parts: Parts): Credential {
  if (config.auth_mode === "token") return header(HEADER, config.credential);
  const tokens = parts.tokens(async (call) => await logIn(config, api, call), 60_000);
  // Vault answers 403, not 401, to a token that has ended.
  return tokens.credential({ name: HEADER, prefix: "", renewOn: [403] });
}

async function logIn({ approle_mount: mount, role_id, credential }: VaultConfig, api: Api, call: Call): Promise<Token> {
  const json = { role_id, secret_id: await credential.read() };
  const reply = await api.post(call, `/v1/auth/${mount.replace(/\/$/, "")}/login`, {
    json,
    evidence: false,
    expect: [400],
  });
  const { client_token: value, lease_duration: seconds } =
    reply.status === 400 ? { client_token: "", lease_duration: 0 } : reply.json(Login).auth;
  if (value === "") throw stop("credential_rejected", "Vault refused the AppRole login");
  return { value, lifetimeMs: seconds > 0 ? seconds * 1000 : ENDLESS_MS };
}
