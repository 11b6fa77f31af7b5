/** hallpass as a GitHub App: its JWT, the installation in the organization, the token of that installation (CHECKS §4.3). */
import type { Call } from "../../call.ts";
import { stop, unknown, type Finding } from "../../codes.ts";
import type { Api } from "../../http/api.ts";
import { path } from "../../http/path.ts";
import { unreadable, type Reply } from "../../http/reply.ts";
import type { Parts } from "../../integration.ts";
import type { Credential } from "../../shared/credential.ts";
import { dictionary, idNumber, record, text, type Read } from "../../shared/fields.ts";
import { signJwt } from "../../shared/jwt.ts";
import type { Token } from "../../shared/tokens.ts";
import type { GithubConfig } from "./index.ts";

const HOUR_MS = 60 * 60_000;
export const HEADERS = { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" };

const Installation = record({ id: idNumber, permissions: dictionary(text) });
export type Installation = Read<typeof Installation>;

/** 403 is GitHub's answer to too many calls as well as to a missing right. */
export function refusal(reply: Reply): Finding | undefined {
  if (reply.status !== 403) return undefined;
  return isLimited(reply)
    ? unknown("upstream_rate_limited", "GitHub limits the rate of calls")
    : unknown("credential_rejected", "the GitHub App lacks a right that the check needs");
}

export function isLimited({ headers }: Reply): boolean {
  return headers["x-ratelimit-remaining"] === "0" || headers["retry-after"] !== undefined;
}

/** The App itself, not its installation: good for ten minutes, made for each request. */
export function appCredential({ app_id: iss, credential }: GithubConfig): Credential {
  const headers = async (_request: unknown, call: Call): Promise<Record<string, string>> => {
    const now = Math.floor(call.clock.now() / 1000);
    const jwt = await signJwt(await credential.read(), { iat: now - 60, exp: now + 9 * 60, iss });
    return { authorization: `Bearer ${jwt}` };
  };
  return { headers, renew: () => false };
}

/** The installation's token, kept for its hour. `api` sends the App's credential. */
export function installationCredential(config: GithubConfig, api: Api, parts: Parts): Credential {
  return parts.tokens(async (call) => await mint(config, api, call)).credential();
}

async function mint(config: GithubConfig, api: Api, call: Call): Promise<Token> {
  const id = config.installation_id ?? (await findInstallation(config, api, call, false)).id;
  const reply = await api.post(call, path`/app/installations/${id}/access_tokens`, { evidence: false, expect: [404] });
  if (reply.status === 404) throw notInstalled();
  const { token: value } = reply.json(record({ token: text }));
  if (value === "") throw unreadable();
  return { value, lifetimeMs: HOUR_MS };
}

export async function findInstallation(
  { organization }: GithubConfig,
  api: Api,
  call: Call,
  evidence: boolean,
): Promise<Installation> {
  const found = await api.find(Installation, call, path`/orgs/${organization}/installation`, { evidence });
  if (found === undefined) throw notInstalled();
  if (found.id === "") throw unreadable();
  return found;
}

function notInstalled(): Error {
  return stop("credential_rejected", "the GitHub App is not installed in the organization");
}
