/** How Atlassian's cloud products are reached: the site itself, or the gateway with a token (CHECKS §4.6, §4.7). */
import type { Call } from "../call.ts";
import { stop } from "../codes.ts";
import { key } from "../config/keys.ts";
import type { Secret } from "../config/secret.ts";
import { forbiddenIsCredential, type Api } from "../http/api.ts";
import { path } from "../http/path.ts";
import { unreadable } from "../http/reply.ts";
import type { ConfigProblem, Parts } from "../integration.ts";
import { basic, bearer, none } from "./credential.ts";
import { record, text, whole } from "./fields.ts";
import type { Token } from "./tokens.ts";

const GATEWAY = "https://api.atlassian.com";
const ACCOUNTS = "https://auth.atlassian.com";
/** A site's id does not change. */
const SITE_MS = 60 * 60_000;
/** Used where no lifetime is given. */
const HOUR_MS = 60 * 60_000;

export const atlassianKeys = {
  url: key.url({ about: "the site, https://<name>.atlassian.net", required: true }),
  auth_mode: key.oneOf(["basic", "scoped_token", "oauth_client"], {
    about: "an API token with its account, a token with scopes, or an OAuth client",
    default: "basic",
  }),
  username: key.text({ about: "the email of the token's account (basic)" }),
  credential: key.secret({ about: "the API token, or the client's secret", required: true }),
  client_id: key.text({ about: "the OAuth client's id (oauth_client)", pattern: /^[A-Za-z0-9_-]{1,128}$/ }),
};

export interface AtlassianConfig {
  readonly url: URL;
  readonly auth_mode: "basic" | "scoped_token" | "oauth_client";
  readonly username: string | undefined;
  readonly credential: Secret;
  readonly client_id: string | undefined;
}

export function checkAtlassian({ auth_mode: mode, username, client_id }: AtlassianConfig): ConfigProblem[] {
  const required = (name: string): ConfigProblem[] => [
    { key: name, message: `is required where auth_mode is ${mode}` },
  ];
  if (mode === "basic" && username === undefined) return required("username");
  return mode === "oauth_client" && client_id === undefined ? required("client_id") : [];
}

export interface Site {
  readonly base: URL;
  /** The product's API; the gateway's needs the site's id, which is asked for. */
  api(call: Call): Promise<Api>;
}

export function atlassian(config: AtlassianConfig, product: "jira" | "confluence", parts: Parts): Site {
  const refusal = forbiddenIsCredential;
  if (config.auth_mode === "basic") {
    const credential = basic(config.username ?? "", config.credential);
    const api = parts.api({ base: config.url, credential, refusal });
    return { base: config.url, api: async () => api };
  }
  const credential = config.auth_mode === "oauth_client" ? clientTokens(config, parts) : bearer(config.credential);
  const ids = parts.lookup<string>("site", SITE_MS);
  const site = parts.api({ base: config.url });
  return {
    base: new URL(GATEWAY),
    async api(call) {
      const id = await ids.get("", call, async (inner) => await siteId(site, inner));
      return parts.api({ base: new URL(GATEWAY + path`/ex/${product}/${id}`), credential, refusal });
    },
  };
}

async function siteId(site: Api, call: Call): Promise<string> {
  const { cloudId: id } = await site.read(record({ cloudId: text }), call, "/_edge/tenant_info", { credential: none });
  if (!/^[A-Za-z0-9-]{1,64}$/.test(id)) throw unreadable();
  return id;
}

function clientTokens({ client_id, credential }: AtlassianConfig, parts: Parts) {
  const accounts = parts.api({ base: new URL(ACCOUNTS) });
  return parts.tokens(async (call) => await mint(accounts, client_id ?? "", credential, call)).credential();
}

async function mint(accounts: Api, client_id: string, secret: Secret, call: Call): Promise<Token> {
  const asked = { grant_type: "client_credentials", client_id, client_secret: await secret.read() };
  const json = { ...asked, audience: "api.atlassian.com" };
  const reply = await accounts.post(call, "/oauth/token", { json, evidence: false, expect: [400, 403] });
  if (reply.status >= 400) throw stop("credential_rejected", "Atlassian refused the OAuth client");
  const { access_token: value, expires_in: seconds } = reply.json(record({ access_token: text, expires_in: whole }));
  if (value === "") throw unreadable();
  return { value, lifetimeMs: seconds > 0 ? seconds * 1000 : HOUR_MS };
}
