/** Who a person is at GitHub: by SAML, by a template, or by a file (CHECKS §4.3). */
import type { Call } from "../../call.ts";
import { denied, stop, Stop, userNotFound } from "../../codes.ts";
import type { Template } from "../../config/template.ts";
import type { Api } from "../../http/api.ts";
import { path } from "../../http/path.ts";
import type { Parts } from "../../integration.ts";
import type { Subject } from "../../question.ts";
import { keyOfEmail } from "../../shared/emails.ts";
import { maybeText, record, text } from "../../shared/fields.ts";
import { nameByTemplate } from "../../shared/identity.ts";
import { MapFile, mapLines } from "../../shared/map-file.ts";
import type { GithubConfig } from "./index.ts";
import { LISTING_MS, samlLogin, type Listing, type Saml } from "./saml.ts";
import { LOGIN } from "./where.ts";

export interface GithubUser {
  readonly login: string;
}

export type Identifier = (subject: Subject, call: Call) => Promise<GithubUser>;

/** Throws an Error for a map file that is broken. */
export function identifier(config: GithubConfig, rest: Api, graph: Api, parts: Parts): Identifier {
  const { identity_mode: mode, login_template, email_domains, user_map_file, organization } = config;
  if (mode === "template" && login_template && email_domains)
    return async (subject, call) => await byTemplate(rest, login_template, email_domains, subject, call);
  if (mode === "map_file" && user_map_file !== undefined) {
    const map = new MapFile(user_map_file, readMap, parts);
    return async ({ email }) => ({ login: map.current().get(email) ?? notMapped() });
  }
  const listing = parts.lookup<Listing>("SAML identities", LISTING_MS, { exempt: true });
  const saml: Saml = { api: graph, organization, listing };
  return async ({ email }, call) => ({ login: await samlLogin(saml, email, call) });
}

async function byTemplate(
  api: Api,
  template: Template,
  domains: ReadonlySet<string>,
  subject: Subject,
  call: Call,
): Promise<GithubUser> {
  const name = nameByTemplate(template, domains, subject);
  if (!LOGIN.test(name)) throw new Stop(userNotFound("the email makes no name that GitHub would take"));
  const Account = record({ login: text, type: text, suspended_at: maybeText });
  const account = await api.find(Account, call, path`/users/${name}`);
  if (account === undefined) throw new Stop(userNotFound("no account has the name that the email makes"));
  const { login, type, suspended_at: suspendedAt } = account;
  if (type === "Organization") throw new Stop(userNotFound("the name that the email makes is an organization's"));
  if (type !== "User" || login.toLowerCase() !== name.toLowerCase())
    throw stop("unsupported", "GitHub did not say that the account is a person's");
  // GitHub Enterprise Server only; github.com has no such field.
  if (suspendedAt !== undefined) throw new Stop(denied("the account is suspended"));
  return { login };
}

function notMapped(): never {
  throw new Stop(userNotFound("the map file has no account for this email"));
}

function readMap(file: string): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  for (const [address, login] of mapLines(file, /\s*=\s*|\s+/)) {
    const email = /^[^@]+@[^@]+$/.test(address) ? keyOfEmail(address) : undefined;
    if (email === undefined || !LOGIN.test(login))
      throw new Error("the map file has a line that is not an email and a GitHub login");
    if ((map.get(email) ?? login).toLowerCase() !== login.toLowerCase())
      throw new Error("the map file gives an email two accounts");
    map.set(email, login);
  }
  return map;
}
