/** Jira Cloud: Jira itself is asked whether an account has a permission (CHECKS §4.6). */
import type { Call } from "../../call.ts";
import type { Finding } from "../../codes.ts";
import type { ConfigOf } from "../../config/keys.ts";
import type { Api } from "../../http/api.ts";
import { unreadable } from "../../http/reply.ts";
import { defineIntegration, type Action, type Connection, type Parts, type ProbeReport } from "../../integration.ts";
import type { Resource, Subject } from "../../question.ts";
import { atlassian, atlassianKeys as keys, checkAtlassian, type Site } from "../../shared/atlassian.ts";
import { dictionary, flag, record, text } from "../../shared/fields.ts";
import type { Lookup } from "../../shared/lookup.ts";
import { actions } from "./actions.ts";
import { findAccount, type JiraUser } from "./identity.ts";
import { decide, readAsk, type Ask } from "./permission.ts";

export type JiraConfig = ConfigOf<typeof keys>;

const TRUSTED_MS = 5 * 60_000;
const Myself = record({ accountId: text });

export class JiraConnection implements Connection<JiraUser, Ask> {
  readonly base: URL;
  private readonly site: Site;
  private readonly self: Lookup<string>;

  constructor(config: JiraConfig, parts: Parts) {
    this.site = atlassian(config, "jira", parts);
    this.base = this.site.base;
    this.self = parts.lookup("own account", TRUSTED_MS);
  }

  prepare(action: Action, resource: Resource): Ask {
    return readAsk(action.name, resource);
  }

  async identify({ email }: Subject, call: Call): Promise<JiraUser> {
    const api = await this.site.api(call);
    const confirm = async (): Promise<void> =>
      void (await this.self.get("", call, async (inner) => await ownAccount(api, inner)));
    return await findAccount(api, email, confirm, call);
  }

  async decide({ accountId }: JiraUser, ask: Ask, call: Call): Promise<Finding> {
    return await decide(await this.site.api(call), accountId, ask, call);
  }

  async probe(call: Call): Promise<ProbeReport> {
    const api = await this.site.api(call);
    const accountId = await ownAccount(api, call);
    return {
      summary: `account ${accountId}`,
      warnings: [...(await rightWarnings(api, call)), ...(await keyWarnings(api, call))],
    };
  }
}

async function ownAccount(api: Api, call: Call): Promise<string> {
  const { accountId } = await api.read(Myself, call, "/rest/api/3/myself");
  if (accountId === "") throw unreadable();
  return accountId;
}

async function rightWarnings(api: Api, call: Call): Promise<string[]> {
  const Mine = record({ permissions: dictionary(record({ havePermission: flag })) });
  const query = { permissions: "ADMINISTER" };
  const { permissions } = await api.read(Mine, call, "/rest/api/3/mypermissions", { query });
  return permissions["ADMINISTER"]?.havePermission
    ? []
    : ["the account may not Administer Jira: it cannot ask for other people's permissions"];
}

async function keyWarnings(api: Api, call: Call): Promise<string[]> {
  const Known = record({ permissions: dictionary(record({ key: text })) });
  const { permissions } = await api.read(Known, call, "/rest/api/3/permissions");
  const missing = actions.map(({ name }) => name).filter((name) => !Object.hasOwn(permissions, name));
  return missing.length === 0 ? [] : [`the site does not have the permissions ${missing.join(", ")}`];
}

export const jira = defineIntegration({
  name: "jira",
  about: "Jira Cloud",
  keys,
  actions,
  check: checkAtlassian,
  connect: (config: JiraConfig, parts: Parts) => new JiraConnection(config, parts),
});
