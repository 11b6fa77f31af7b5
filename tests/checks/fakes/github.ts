/** GitHub as far as an App reads it: tokens, SAML identities, memberships, permissions, branch rules (CHECKS §4.3). */
import { createVerify, generateKeyPairSync } from "node:crypto";
import { z } from "zod";
import { literal } from "../../../src/checks/config/secret.ts";
import { CANARY, type World } from "../support/desk.ts";
import { FakeServer, type FakeReply, type FakeRequest, type Route } from "../support/fake-server.ts";
import { readQuery, select } from "../support/graphql.ts";
import type { Scenario } from "../support/scenario.ts";

export interface FakeIdentity {
  readonly saml?: { readonly nameId?: string | null; readonly username?: string | null };
  readonly scim?: { readonly username: string | null };
  /** The linked account; without one the identity is unlinked. */
  readonly login?: string;
  /** What GitHub's own filter finds it by; the names above unless given. */
  readonly foundBy?: readonly string[];
}

export interface FakePermission {
  readonly permission?: string;
  readonly role_name?: string;
  readonly levels?: Readonly<Record<string, boolean>>;
}

export interface FakeRepo {
  readonly fields: Readonly<Record<string, unknown>>;
  /** By login; who is not here gets 404. */
  readonly people: Readonly<Record<string, FakePermission>>;
  readonly rules?: Readonly<Record<string, readonly unknown[]>>;
  /** By branch; one that is not here is not protected. */
  readonly protection?: Readonly<Record<string, unknown>>;
}

interface Membership {
  readonly state?: string;
  readonly role?: string;
}
type Named<T> = Readonly<Record<string, T>>;

export interface GithubState {
  /** Undefined: the organization has no SAML provider. */
  readonly identities: readonly FakeIdentity[] | undefined;
  readonly pageSize: number;
  readonly users: Named<{ readonly type: string }>;
  /** By `owner/name`. */
  readonly repos: Named<FakeRepo>;
  readonly members: Named<Membership>;
  /** By slug, then login. */
  readonly teams: Named<Named<Membership>>;
  readonly org: Named<unknown>;
  readonly isInstalled: boolean;
  readonly permissions: Named<string>;
  /** Installation tokens are forgotten after so many uses. */
  readonly tokenUses: number;
  /** By the names of `routes`: answered in the stead of what the state says. */
  readonly instead: Named<FakeReply>;
}

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
export const PEM = privateKey.export({ type: "pkcs8", format: "pem" });
export const OLD_PEM = privateKey.export({ type: "pkcs1", format: "pem" });

const ALL = ["pull", "triage", "push", "maintain", "admin"];
/** The levels up to `top`, as GitHub reports them. */
export function upTo(top: string, role = { pull: "read", push: "write" }[top] ?? top): FakePermission {
  const levels = Object.fromEntries(ALL.map((level) => [level, ALL.indexOf(level) <= ALL.indexOf(top)]));
  const permission = { triage: "read", pull: "read", push: "write", maintain: "write", admin: "admin" }[top];
  return { role_name: role, levels, ...(permission === undefined ? {} : { permission }) };
}

export const REPO: FakeRepo = {
  fields: { visibility: "private", private: true, has_issues: true, allow_forking: true },
  people: {
    dana: upTo("push"),
    olga: upTo("admin"),
    rita: upTo("pull"),
    tim: upTo("triage"),
    mia: upTo("maintain"),
  },
};

export function githubState(changes: Partial<GithubState> = {}): GithubState {
  const linked = (login: string): FakeIdentity => ({ saml: { nameId: `${login}@example.com` }, login });
  return {
    identities: ["dana", "olga", "rita", "tim", "mia"].map(linked),
    pageSize: 100,
    users: { dana: { type: "User" }, acme: { type: "Organization" } },
    repos: { "acme/app": REPO },
    members: {
      dana: { state: "active", role: "member" },
      olga: { state: "active", role: "admin" },
      rita: { state: "pending", role: "member" },
    },
    teams: {
      core: { dana: { state: "active", role: "member" }, olga: { state: "active", role: "maintainer" } },
    },
    org: { login: "acme", members_can_create_repositories: true },
    isInstalled: true,
    permissions: { metadata: "read", members: "read", administration: "read" },
    tokenUses: Infinity,
    instead: {},
    ...changes,
  };
}

const missing: FakeReply = { status: 404, body: { message: `Not Found ${CANARY}` } };
const refused: FakeReply = { status: 401, body: { message: `Bad credentials ${CANARY}` } };
const ok = (body: unknown): FakeReply => ({ status: 200, body });
const found = (body: unknown): FakeReply => (body === undefined ? missing : ok(body));
const own = <T>(map: Named<T> | undefined, key = ""): T | undefined =>
  map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;

const Query = z.strictObject({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()),
  operationName: z.string().optional(),
});
const REST = { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" };
const INSTALLATION = 77;

class Github {
  private minted = 0;
  private readonly uses = new Map<string, number>();

  constructor(
    private readonly state: GithubState,
    private readonly appId: string,
  ) {}

  /** `root` and `graph` are the paths of the two APIs, which differ on a server of one's own. */
  routes(root: string, graph: string): Route[] {
    const { org, teams, users } = this.state;
    const repo = "/repos/:owner/:name";
    return [
      this.asApp("installation", `GET ${root}/orgs/:org/installation`, () => this.installation()),
      this.asApp("app", `GET ${root}/app`, () => ok({ id: 5, slug: "hallpass", permissions: this.state.permissions })),
      this.asApp("tokens", `POST ${root}/app/installations/:id/access_tokens`, (request) => this.mint(request)),
      { ...this.read("graphql", `POST ${graph}`, (request) => this.graphql(request)), headers: {}, body: Query },
      this.read("user", `GET ${root}/users/:login`, ({ params: { login } }) => {
        const user = own(users, login);
        return found(user && { login, ...user });
      }),
      this.read("org", `GET ${root}/orgs/:org`, () => ok(org)),
      this.read("member", `GET ${root}/orgs/:org/memberships/:login`, ({ params }) =>
        found(own(this.state.members, params.login)),
      ),
      this.read("team", `GET ${root}/orgs/:org/teams/:slug`, ({ params: { slug } }) =>
        found(own(teams, slug) && { slug, name: CANARY }),
      ),
      this.read("teamMember", `GET ${root}/orgs/:org/teams/:slug/memberships/:login`, ({ params }) =>
        found(own(own(teams, params.slug), params.login)),
      ),
      this.read("permission", `GET ${root}${repo}/collaborators/:login/permission`, (request) => this.may(request)),
      this.read("repo", `GET ${root}${repo}`, (request) => {
        const fields = this.repo(request)?.fields;
        return found(fields && { name: request.params.name, description: CANARY, ...fields });
      }),
      {
        ...this.read("rules", `GET ${root}${repo}/rules/branches/:branch`, (request) => this.rules(request)),
        query: ["per_page?", "page?"],
      },
      this.read("protection", `GET ${root}${repo}/branches/:branch/protection`, (request) =>
        found(own(this.repo(request)?.protection, request.params.branch)),
      ),
    ];
  }

  private read(name: string, on: string, answer: (request: FakeRequest) => FakeReply): Route {
    const guarded = (request: FakeRequest): FakeReply => (this.knows(request) ? answer(request) : refused);
    return { on, headers: REST, answer: (request) => own(this.state.instead, name) ?? guarded(request) };
  }

  private asApp(name: string, on: string, answer: (request: FakeRequest) => FakeReply): Route {
    const guarded = (request: FakeRequest): FakeReply => (this.claims(request) ? answer(request) : refused);
    return { on, headers: REST, answer: (request) => own(this.state.instead, name) ?? guarded(request) };
  }

  /** The claims of a JWT signed by the App, which may last ten minutes. */
  private claims({ headers }: FakeRequest): { iat: number } | undefined {
    const [head = "", body = "", signature = ""] = (headers.authorization ?? "").replace(/^Bearer /, "").split(".");
    const read = (part: string): unknown => JSON.parse(Buffer.from(part, "base64url").toString() || "{}");
    const isSigned = createVerify("RSA-SHA256").update(`${head}.${body}`).verify(publicKey, signature, "base64url");
    const { iss, iat, exp } = read(body) as { iss: unknown; iat: number; exp: number };
    return isSigned && String(iss) === this.appId && exp > iat && exp - iat <= 600 ? { iat } : undefined;
  }

  private installation(): FakeReply {
    const { isInstalled, permissions } = this.state;
    const account = { login: "acme", type: "Organization" };
    return found(isInstalled ? { id: INSTALLATION, app_id: 5, account, permissions, suspended_at: null } : undefined);
  }

  private mint(request: FakeRequest): FakeReply {
    if (request.params.id !== String(INSTALLATION) || !this.state.isInstalled) return missing;
    const token = `ghs_${++this.minted}_${CANARY}`;
    this.uses.set(token, 0);
    const begins = ((this.claims(request)?.iat ?? 0) + 60) * 1000;
    return { status: 201, body: { token, expires_at: new Date(begins + 3_600_000).toISOString().replace(".000", "") } };
  }

  private knows({ headers }: FakeRequest): boolean {
    const token = (headers.authorization ?? "").replace(/^(?:Bearer|token) /, "");
    const used = this.uses.get(token);
    if (used === undefined || used >= this.state.tokenUses) return false;
    this.uses.set(token, used + 1);
    return true;
  }

  private repo({ params: { owner, name } }: FakeRequest): FakeRepo | undefined {
    return own(this.state.repos, `${owner}/${name}`.toLowerCase());
  }

  private may(request: FakeRequest): FakeReply {
    const { login = "" } = request.params;
    const entry = own(this.repo(request)?.people, login);
    if (entry === undefined) return missing;
    const { levels, ...rest } = entry;
    return ok({ ...rest, user: { login, ...(levels === undefined ? {} : { permissions: levels }) } });
  }

  private rules(request: FakeRequest): FakeReply {
    const repo = this.repo(request);
    const { page = "1" } = Object.fromEntries(request.query);
    return found(repo && (page === "1" ? (own(repo.rules, request.params.branch) ?? []) : []));
  }

  private graphql({ json }: FakeRequest): FakeReply {
    const { query, variables } = json as z.infer<typeof Query>;
    if (query.includes("@"))
      return { status: 200, body: { errors: [{ type: "BAD", message: "a value in the text" }] } };
    const identities = (args: unknown): unknown => this.page(args as Named<unknown>);
    const provider = this.state.identities && { id: "p", externalIdentities: identities };
    const data = { organization: { login: "acme", samlIdentityProvider: provider ?? null } };
    return ok({ data: select(data, readQuery(query, variables)) });
  }

  private page({ first, after, userName }: Named<unknown>): unknown {
    const all = (this.state.identities ?? []).filter(
      (identity) => typeof userName !== "string" || namesOf(identity).includes(userName.toLowerCase()),
    );
    const from = typeof after === "string" ? Number(after) : 0;
    const end = from + Math.min(Number(first), this.state.pageSize);
    const nodes = all.slice(from, end).map((identity) => ({
      guid: CANARY,
      samlIdentity: identity.saml ? { nameId: null, username: null, emails: [], ...identity.saml } : null,
      scimIdentity: identity.scim ?? null,
      user: identity.login === undefined ? null : { login: identity.login, id: `U_${identity.login}` },
    }));
    const pageInfo = { hasNextPage: end < all.length, endCursor: nodes.length === 0 ? null : String(end) };
    return { totalCount: all.length, nodes, edges: nodes.map((node) => ({ node })), pageInfo };
  }
}

function namesOf({ saml, scim, foundBy }: FakeIdentity): readonly string[] {
  const names = foundBy ?? [saml?.nameId, saml?.username, scim?.username];
  return names.flatMap((name) => name?.toLowerCase() ?? []);
}

export async function githubWorld(
  changes: Partial<GithubState> = {},
  config: Record<string, string> = {},
  isOwnServer = false,
): Promise<World> {
  const appId = config.app_id ?? "Iv23abc";
  const [root, graph] = isOwnServer ? ["/api/v3", "/api/graphql"] : ["", "/graphql"];
  const fake = await FakeServer.start(new Github(githubState(changes), appId).routes(root, graph));
  const url = isOwnServer ? { url: fake.url } : {};
  const given = { organization: "acme", app_id: appId, credential: literal(PEM), ...url, ...config };
  return { fake, connections: [{ id: "github", integration: "github", ...given }] };
}

/** A world in which the one repository is changed. */
export async function withRepo(repo: Partial<FakeRepo>, more: Partial<GithubState> = {}): Promise<World> {
  return await githubWorld({ repos: { "acme/app": { ...REPO, ...repo } }, ...more });
}

/** Protection of main that lists `login` and the team core, unless changed. */
export function restricted(login: string, more: Record<string, unknown> = {}): Named<unknown> {
  const restrictions = { users: [{ login }], teams: [{ slug: "core" }], apps: [] };
  return { main: { restrictions, enforce_admins: { enabled: true }, ...more } };
}

const dana = { user: "dana@example.com", resource: "repo:acme/app" };

export const scenarios: readonly Scenario[] = [
  { name: "a push by who may", world: githubWorld, asking: { ...dana, action: "repo.push" }, expect: "allowed" },
  {
    name: "an administration by a writer",
    world: githubWorld,
    asking: { ...dana, action: "repo.admin" },
    expect: "denied",
  },
  {
    name: "an issue where there are none",
    world: async () => await withRepo({ fields: { ...REPO.fields, has_issues: false } }),
    asking: { ...dana, action: "issue.create" },
    expect: "denied",
  },
  {
    name: "a pull request of a reader where forks are off",
    world: async () => await withRepo({ fields: { ...REPO.fields, allow_forking: false } }),
    asking: { ...dana, user: "rita@example.com", action: "pr.create" },
    expect: "denied",
  },
  {
    name: "a push to a branch that lists others",
    world: async () =>
      await withRepo({
        protection: restricted("mia", { restrictions: { users: [{ login: "mia" }], teams: [], apps: [] } }),
      }),
    asking: { ...dana, resource: "repo:acme/app@main", action: "repo.push" },
    expect: "denied",
    absent: { restrictions: "is not there where the branch is not restricted" },
  },
  {
    name: "an administrator's push to a branch that lists others, enforced for all",
    world: async () =>
      await withRepo({ protection: restricted("mia", { restrictions: { users: [], teams: [], apps: [] } }) }),
    asking: { ...dana, user: "olga@example.com", resource: "repo:acme/app@main", action: "repo.push" },
    expect: "denied",
    absent: { restrictions: "is not there where the branch is not restricted" },
  },
  {
    name: "a push to a branch that needs pull requests",
    world: async () => await withRepo({ rules: { main: [{ type: "pull_request" }] } }),
    asking: { ...dana, resource: "repo:acme/app@main", action: "repo.push" },
    expect: "unsupported",
  },
  {
    name: "a push to a branch that needs reviews",
    world: async () => await withRepo({ protection: { main: { required_pull_request_reviews: { url: CANARY } } } }),
    asking: { ...dana, resource: "repo:acme/app@main", action: "repo.push" },
    expect: "unsupported",
    absent: { required_pull_request_reviews: "is not there where no review is needed" },
  },
  {
    name: "a pending member",
    world: githubWorld,
    asking: { user: "rita@example.com", action: "org.member", resource: "org:acme" },
    expect: "denied",
  },
  {
    name: "an organization whose members may not create repositories",
    world: async () => await githubWorld({ org: { login: "acme", members_can_create_repositories: false } }),
    asking: { user: "dana@example.com", action: "org.repo.create", resource: "org:acme" },
    expect: "denied",
  },
  {
    name: "an identity that is linked to two accounts",
    world: async () =>
      await githubWorld({
        identities: [
          { saml: { nameId: "dana@example.com" }, login: "dana" },
          { saml: { nameId: "dana@example.com" }, login: "dana2" },
        ],
      }),
    asking: { ...dana, action: "repo.push" },
    expect: "user_ambiguous",
    nullable: {
      "data.organization.samlIdentityProvider.externalIdentities.nodes[].samlIdentity":
        "an identity may be of SCIM alone",
      "data.organization.samlIdentityProvider.externalIdentities.nodes[].samlIdentity.nameId":
        "not every provider sends one",
      "data.organization.samlIdentityProvider.externalIdentities.nodes[].user": "an identity may be unlinked",
    },
  },
];
