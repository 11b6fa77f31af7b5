/** Who a person is at GitLab, in each identity mode, and whether the account is in use (CHECKS §4.4). */
import type { Call } from "../../call.ts";
import { denied, stop, Stop, userNotFound } from "../../codes.ts";
import type { Api } from "../../http/api.ts";
import { path } from "../../http/path.ts";
import type { Subject } from "../../question.ts";
import { isEmail, single } from "../../shared/emails.ts";
import { idNumber, list, maybeFlag, maybeText, record, text, type Read } from "../../shared/fields.ts";
import { nameByTemplate } from "../../shared/identity.ts";
import type { GitlabConfig } from "./index.ts";
import { listAll, listSome } from "./lists.ts";

const User = record({
  id: idNumber,
  username: text,
  state: text,
  bot: maybeFlag,
  email: maybeText,
  public_email: maybeText,
  emails: list(record({ email: text, confirmed_at: maybeText })),
  is_admin: maybeFlag,
  external: maybeFlag,
});
type User = Read<typeof User>;

export interface GitlabUser {
  readonly id: string;
  /** Both undefined where the credential is not shown it. */
  readonly isAdmin: boolean | undefined;
  readonly isExternal: boolean | undefined;
}

const SEARCHED = 5;
const OFF = ["blocked", "deactivated", "ldap_blocked", "banned", "blocked_pending_approval"];

export async function findUser(config: GitlabConfig, api: Api, subject: Subject, call: Call): Promise<GitlabUser> {
  const { identity_mode: mode, group = "" } = config;
  if (mode === "template") return inUse(await byTemplate(config, api, subject, call));
  if (mode === "saml") return inUse(reportingBot(await bySaml(group, api, subject.email, call)));
  const from = mode === "enterprise_users" ? path`/groups/${group}/enterprise_users` : "/users";
  return inUse(reportingBot(await bySearch(from, api, subject.email, call)));
}

/** GitLab searches names and parts of addresses too: only equality counts. */
async function bySearch(from: string, api: Api, email: string, call: Call): Promise<User> {
  const { items, truncated } = await listSome(User, api, call, from, { search: email }, SEARCHED);
  const matches = items.filter((user) => isTheirs(user, email));
  if (items.some((user) => !user.email && !matches.includes(user)))
    throw stop("unsupported", "GitLab does not show hallpass the email of every account it found");
  if (matches.length === 0 && truncated) throw stop("unsupported", "GitLab found more accounts than are looked at");
  return single(matches, ({ id }) => id);
}

function isTheirs({ email: own, public_email: shown, emails }: User, email: string): boolean {
  const confirmed = emails.filter((entry) => entry.confirmed_at !== undefined).map((entry) => entry.email);
  return [own, shown, ...confirmed].some((address) => isEmail(email, address));
}

async function bySaml(group: string, api: Api, email: string, call: Call): Promise<User> {
  const Identity = record({ extern_uid: text, user_id: idNumber });
  const identities = await listAll(Identity, api, call, path`/groups/${group}/saml/identities`);
  const { user_id: id } = single(
    identities.filter(({ extern_uid: name }) => isEmail(email, name)),
    (identity) => identity.user_id,
  );
  if (id === "") throw stop("unsupported", "the person's SAML identity is linked to no account");
  const user = await api.find(User, call, path`/users/${id}`);
  if (user === undefined) throw stop("unsupported", "the account that the SAML identity is linked to is not visible");
  return user;
}

async function byTemplate(config: GitlabConfig, api: Api, subject: Subject, call: Call): Promise<User> {
  const { username_template: template, email_domains: domains = new Set<string>() } = config;
  const username = nameByTemplate(template, domains, subject);
  if (!/^[A-Za-z0-9_.-]{1,255}$/.test(username))
    throw new Stop(userNotFound("the email makes no name that GitLab would take"));
  const { items } = await listSome(User, api, call, "/users", { username }, 1);
  const named = items.filter((user) => user.username.toLowerCase() === username.toLowerCase());
  const user = single(named, ({ id }) => id);
  const shown = [user.email, user.public_email].filter((address) => address !== undefined && address !== "");
  if (shown.length > 0 && !shown.some((address) => isEmail(subject.email, address)))
    throw new Stop(userNotFound("the account that the email's name belongs to has another email"));
  return user;
}

/** Lists for administrators and single accounts say it of every account; a search by username may not. */
function reportingBot(user: User): User {
  if (user.bot === undefined) throw stop("unsupported", "GitLab did not say whether the account is a bot's");
  return user;
}

function inUse({ id, state, bot, is_admin: isAdmin, external: isExternal }: User): GitlabUser {
  if (id === "") throw stop("upstream_error", "the account has no id");
  if (OFF.includes(state)) throw new Stop(denied("the account is blocked or deactivated"));
  if (bot) throw new Stop(denied("the account is a bot's"));
  if (state !== "active") throw stop("unsupported", "GitLab did not say that the account is active");
  return { id, isAdmin, isExternal };
}
