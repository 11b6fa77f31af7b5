/** GitLab: the level a person has in a project or group, and who may do what in protected branches (CHECKS §4.4). */
import type { Call } from "../../call.ts";
import type { Finding } from "../../codes.ts";
import { key, type ConfigOf } from "../../config/keys.ts";
import { forbiddenIsCredential, type Api } from "../../http/api.ts";
import {
  defineIntegration,
  type ConfigProblem,
  type Connection,
  type Parts,
  type ProbeReport,
} from "../../integration.ts";
import type { Resource, Subject } from "../../question.ts";
import { header } from "../../shared/credential.ts";
import { actions, type GitlabAction } from "./actions.ts";
import { decideBranch } from "./branch.ts";
import { findUser, type GitlabUser } from "./identity.ts";
import { decideOutsider, findMember, lacking } from "./member.ts";
import { probe } from "./probe.ts";
import { GROUP, readAsk, type Ask } from "./where.ts";

const keys = {
  url: key.url({ about: "GitLab's address", default: "https://gitlab.com" }),
  credential: key.secret({
    about: "a token with read_api, of an administrator or (gitlab.com) of an owner of the top-level group",
    required: true,
  }),
  identity_mode: key.oneOf(["admin_search", "enterprise_users", "saml", "template"], {
    about: "how an account is found",
    default: "admin_search",
  }),
  group: key.text({
    about: "the top-level group whose users are looked through (enterprise_users, saml)",
    pattern: GROUP,
    hint: "a group's path or number",
  }),
  username_template: key.template({ about: "the username that an email stands for (template)", default: "{local}" }),
  email_domains: key.domains({ about: "the domains that username_template is for, parted by commas (template)" }),
};

export type GitlabConfig = ConfigOf<typeof keys>;

/** Keys that a mode cannot do without. */
const NEEDED = {
  admin_search: [],
  enterprise_users: ["group"],
  saml: ["group"],
  template: ["email_domains"],
} as const;

export class GitlabConnection implements Connection<GitlabUser, Ask, GitlabAction> {
  readonly base: URL;
  private readonly api: Api;

  constructor(
    private readonly config: GitlabConfig,
    parts: Parts,
  ) {
    this.base = new URL(`${config.url.href.replace(/\/+$/, "")}/api/v4`);
    const credential = header("private-token", config.credential);
    this.api = parts.api({ base: this.base, credential, refusal: forbiddenIsCredential });
  }

  prepare(action: GitlabAction, resource: Resource): Ask {
    return readAsk(action, resource);
  }

  async identify(subject: Subject, call: Call): Promise<GitlabUser> {
    return await findUser(this.config, this.api, subject, call);
  }

  async decide(user: GitlabUser, ask: Ask, call: Call): Promise<Finding> {
    const member = await findMember(ask, user, this.api, call);
    if (member === undefined) return await decideOutsider(ask, user, this.api, call);
    return lacking(ask.action, member) ?? (await decideBranch(ask, { user, member }, this.api, call));
  }

  async probe(call: Call): Promise<ProbeReport> {
    return await probe(this.config, this.api, call);
  }
}

function check(config: GitlabConfig): ConfigProblem[] {
  const missing = NEEDED[config.identity_mode].filter((name) => config[name] === undefined);
  return missing.map((name) => ({ key: name, message: `is required where identity_mode is ${config.identity_mode}` }));
}

export const gitlab = defineIntegration({
  name: "gitlab",
  about: "GitLab",
  keys,
  actions,
  check,
  connect: (config: GitlabConfig, parts: Parts) => new GitlabConnection(config, parts),
});
