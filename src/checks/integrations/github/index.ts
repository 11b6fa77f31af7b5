/** GitHub: the level a person has in a repository, membership, and what protects a branch (CHECKS §4.3). */
import type { Call } from "../../call.ts";
import type { Finding } from "../../codes.ts";
import { key, type ConfigOf } from "../../config/keys.ts";
import type { Api } from "../../http/api.ts";
import {
  defineIntegration,
  type ConfigProblem,
  type Connection,
  type Parts,
  type ProbeReport,
} from "../../integration.ts";
import type { Resource, Subject } from "../../question.ts";
import { actions, type GithubAction } from "./actions.ts";
import { appCredential, HEADERS, installationCredential, refusal } from "./app.ts";
import { identifier, type GithubUser, type Identifier } from "./identity.ts";
import { decideOrg, decideTeam } from "./membership.ts";
import { probe } from "./probe.ts";
import { decideRepo } from "./repo.ts";
import { LOGIN, readAsk, type Ask } from "./where.ts";

const keys = {
  url: key.url({ about: "the address of a GitHub Enterprise Server; github.com without it" }),
  organization: key.text({
    about: "the organization",
    required: true,
    pattern: LOGIN,
    hint: "an organization's login",
  }),
  app_id: key.text({
    about: "the App's client id (Iv…) or number",
    required: true,
    pattern: /^(?:Iv[A-Za-z0-9.]{1,60}|[0-9]{1,20})$/,
    hint: "a client id that begins with Iv, or a number",
  }),
  installation_id: key.text({
    about: "the App's installation in the organization; found without it",
    pattern: /^[0-9]{1,20}$/,
    hint: "a number",
  }),
  credential: key.secret({ about: "the App's private key in PEM", required: true }),
  identity_mode: key.oneOf(["saml", "template", "map_file"], { about: "how a login is found", default: "saml" }),
  login_template: key.template({ about: "the login that an email stands for (template)" }),
  email_domains: key.domains({ about: "the domains that login_template is for, parted by commas (template)" }),
  user_map_file: key.text({ about: "a file with an email and a login on each line (map_file)" }),
};

export type GithubConfig = ConfigOf<typeof keys>;

/** Keys that a mode cannot do without. */
const NEEDED = {
  saml: [],
  template: ["login_template", "email_domains"],
  map_file: ["user_map_file"],
} as const;

const PUBLIC = "https://api.github.com";

export class GithubConnection implements Connection<GithubUser, Ask, GithubAction> {
  readonly base: URL;
  private readonly app: Api;
  private readonly rest: Api;
  private readonly graph: Api;
  private readonly who: Identifier;

  constructor(
    private readonly config: GithubConfig,
    parts: Parts,
  ) {
    const root = config.url?.href.replace(/\/+$/, "");
    this.base = new URL(root === undefined ? PUBLIC : `${root}/api/v3`);
    const graphBase = new URL(root === undefined ? PUBLIC : `${root}/api`);
    const common = { headers: HEADERS, refusal };
    this.app = parts.api({ ...common, base: this.base, credential: appCredential(config) });
    const credential = installationCredential(config, this.app, parts);
    this.rest = parts.api({ ...common, base: this.base, credential });
    this.graph = parts.api({ ...common, base: graphBase, credential });
    this.who = identifier(config, this.rest, this.graph, parts);
  }

  prepare(action: GithubAction, resource: Resource): Ask {
    return readAsk(action, resource, this.config.organization);
  }

  async identify(subject: Subject, call: Call): Promise<GithubUser> {
    return await this.who(subject, call);
  }

  async decide({ login }: GithubUser, ask: Ask, call: Call): Promise<Finding> {
    const { needs } = ask.action;
    const place = { api: this.rest, organization: this.config.organization };
    if (needs.on === "org") return await decideOrg(needs, login, place, call);
    if (needs.on === "team") return await decideTeam(needs, ask.name, login, place, call);
    return await decideRepo(needs, ask, login, place, call);
  }

  async probe(call: Call): Promise<ProbeReport> {
    return await probe(this.config, { app: this.app, graph: this.graph }, call);
  }
}

function check(config: GithubConfig): ConfigProblem[] {
  const missing = NEEDED[config.identity_mode].filter((name) => config[name] === undefined);
  return missing.map((name) => ({ key: name, message: `is required where identity_mode is ${config.identity_mode}` }));
}

export const github = defineIntegration({
  name: "github",
  about: "GitHub",
  keys,
  actions,
  check,
  connect: (config: GithubConfig, parts: Parts) => new GithubConnection(config, parts),
});
