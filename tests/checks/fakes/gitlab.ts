/** GitLab as far as an administrator's token reads it: users, members, projects, protected branches (CHECKS §4.4). */
import { CANARY, SECRET, type World } from "../support/desk.ts";
import { FakeServer, type FakeReply, type FakeRequest, type Route } from "../support/fake-server.ts";
import type { Scenario } from "../support/scenario.ts";

type Named<T> = Readonly<Record<string, T>>;

export interface FakeUser {
  readonly id: number;
  readonly username: string;
  readonly state?: string;
  readonly bot?: boolean;
  /** Shown to administrators alone. */
  readonly email?: string;
  readonly public_email?: string | null;
  readonly emails?: readonly { readonly email: string; readonly confirmed_at: string | null }[];
  readonly is_admin?: boolean;
  readonly external?: boolean;
}

export interface FakeMember {
  readonly access_level?: number;
  readonly state?: string;
  readonly membership_state?: string;
  readonly member_role?: { readonly id: number; readonly name: string } | null;
}

export interface FakeProject {
  readonly fields: Named<unknown>;
  /** By user id, inherited ones too. */
  readonly members: Readonly<Record<number, FakeMember>>;
  readonly branches?: readonly FakeRule[];
}

export interface FakeRule {
  readonly name: string;
  readonly push_access_levels?: readonly Named<unknown>[];
  readonly merge_access_levels?: readonly Named<unknown>[];
}

export interface GitlabState {
  readonly users: readonly FakeUser[];
  readonly projects: Named<FakeProject>;
  readonly groups: Named<{ readonly members: Readonly<Record<number, FakeMember>> }>;
  /** By group: `extern_uid` of the SAML identities. */
  readonly saml: Named<readonly { readonly extern_uid: string; readonly user_id: number }[]>;
  readonly enterprise: Named<readonly number[]>;
  /** False: users come without their private fields. */
  readonly isAdmin: boolean;
  readonly scopes: readonly string[];
  readonly expires: string | null;
  /** At most so many items a page, whatever is asked. */
  readonly pageSize: number;
  /** By the names of `routes`: answered in the stead of what the state says. */
  readonly instead: Named<FakeReply>;
}

export const DANA: FakeUser = person(7, "dana");

export function person(id: number, username: string, more: Partial<FakeUser> = {}): FakeUser {
  const given = { email: `${username}@example.com`, state: "active", bot: false, is_admin: false, external: false };
  return { id, username, public_email: null, emails: [], ...given, ...more };
}

export function member(access_level: number, more: Partial<FakeMember> = {}): FakeMember {
  return { access_level, state: "active", membership_state: "active", member_role: null, ...more };
}

export const PROJECT: FakeProject = {
  fields: { visibility: "private", issues_enabled: true, issues_access_level: "enabled" },
  members: { 7: member(30), 8: member(40), 9: member(50), 10: member(10) },
};

export function gitlabState(changes: Partial<GitlabState> = {}): GitlabState {
  return {
    users: [DANA, person(8, "mia"), person(9, "olga"), person(10, "gus"), person(11, "nora")],
    projects: { "acme/app": PROJECT },
    groups: { acme: { members: { 7: member(30), 9: member(50) } } },
    saml: { acme: [{ extern_uid: "dana@example.com", user_id: 7 }] },
    enterprise: { acme: [7] },
    isAdmin: true,
    scopes: ["read_api"],
    expires: "2026-12-01",
    pageSize: 100,
    instead: {},
    ...changes,
  };
}

const ok = (body: unknown): FakeReply => ({ status: 200, body });
const missing: FakeReply = { status: 404, body: { message: `404 ${CANARY} Not Found` } };
const found = (body: unknown): FakeReply => (body === undefined ? missing : ok(body));
const own = <T>(map: Named<T> | Readonly<Record<number, T>> | undefined, key = ""): T | undefined =>
  map !== undefined && Object.hasOwn(map, key) ? (map as Named<T>)[key] : undefined;
const PAGED = ["per_page?", "page?"];
const HEADERS = { "private-token": `${CANARY}-token` };

class Gitlab {
  constructor(private readonly state: GitlabState) {}

  routes(): Route[] {
    const { projects, groups, saml, enterprise, users } = this.state;
    const idOf = ({ id }: FakeRequest["params"]): string => id ?? "";
    return [
      this.route("search", "/users", (request) => this.search(request), ["search?", "username?", ...PAGED]),
      this.route("me", "/user", () => ok({ id: 1, username: "hallpass", is_admin: this.state.isAdmin })),
      this.route("user", "/users/:id", ({ params }) => found(this.shown(this.byId(Number(params.id))))),
      this.route(
        "enterprise",
        "/groups/:id/enterprise_users",
        (request) =>
          this.paged(
            request,
            this.matching(
              request,
              (own(enterprise, idOf(request.params)) ?? []).map((id) => this.byId(id)),
            ),
          ),
        ["search?", ...PAGED],
      ),
      this.route(
        "saml",
        "/groups/:id/saml/identities",
        (request) => this.paged(request, own(saml, idOf(request.params)) ?? []),
        PAGED,
      ),
      this.route("groupMember", "/groups/:id/members/all/:user", ({ params }) =>
        this.member(own(groups, params.id), params),
      ),
      this.route("group", "/groups/:id", ({ params }) =>
        found(own(groups, params.id) && { id: 3, full_path: params.id }),
      ),
      this.route("projectMember", "/projects/:id/members/all/:user", ({ params }) =>
        this.member(own(projects, params.id), params),
      ),
      this.route("project", "/projects/:id", ({ params }) => {
        const fields = own(projects, params.id)?.fields;
        return found(fields && { id: 5, path_with_namespace: params.id, description: CANARY, ...fields });
      }),
      this.route(
        "branches",
        "/projects/:id/protected_branches",
        (request) => {
          const project = own(projects, request.params.id);
          return project === undefined ? missing : this.paged(request, project.branches ?? []);
        },
        PAGED,
      ),
      this.route("token", "/personal_access_tokens/self", () =>
        ok({
          id: 1,
          user_id: users[0]?.id,
          name: CANARY,
          active: true,
          scopes: this.state.scopes,
          expires_at: this.state.expires,
        }),
      ),
    ];
  }

  private route(
    name: string,
    at: string,
    answer: (request: FakeRequest) => FakeReply,
    query: readonly string[] = [],
  ): Route {
    return {
      on: `GET /api/v4${at}`,
      query,
      headers: HEADERS,
      answer: (request) => own(this.state.instead, name) ?? answer(request),
    };
  }

  private byId(id: number): FakeUser | undefined {
    return this.state.users.find((user) => user.id === id);
  }

  private shown(user: FakeUser | undefined): unknown {
    if (user === undefined || this.state.isAdmin) return user && { ...user, name: CANARY };
    const { id, username, state, public_email } = user;
    return { id, username, state, public_email, name: CANARY };
  }

  /** GitLab finds by any part of a name, user name or address. */
  private matching({ query }: FakeRequest, users: readonly (FakeUser | undefined)[]): readonly unknown[] {
    const search = (query.get("search") ?? "").toLowerCase();
    const texts = ({ username, email, public_email, emails = [] }: FakeUser): readonly string[] =>
      [username, email ?? "", public_email ?? "", ...emails.map((one) => one.email)].map((text) => text.toLowerCase());
    return users.flatMap((user) =>
      user !== undefined && texts(user).some((text) => text.includes(search)) ? [this.shown(user)] : [],
    );
  }

  private search(request: FakeRequest): FakeReply {
    const username = request.query.get("username")?.toLowerCase();
    if (username === undefined) return this.paged(request, this.matching(request, this.state.users));
    return this.paged(
      request,
      this.state.users.filter((user) => user.username.toLowerCase() === username).map((user) => this.shown(user)),
    );
  }

  private member(
    of: { readonly members: Readonly<Record<number, FakeMember>> } | undefined,
    { user = "" }: FakeRequest["params"],
  ): FakeReply {
    const entry = own(of?.members, user);
    return found(entry && { id: Number(user), username: this.byId(Number(user))?.username, ...entry });
  }

  private paged({ query, path }: FakeRequest, all: readonly unknown[]): FakeReply {
    const size = Math.min(Number(query.get("per_page") ?? 20), this.state.pageSize);
    const page = Number(query.get("page") ?? 1);
    const isLast = page * size >= all.length;
    const link = isLast ? {} : { link: `<${path}?page=${page + 1}&per_page=${size}>; rel="next"` };
    const headers = {
      "x-page": String(page),
      "x-per-page": String(size),
      "x-next-page": isLast ? "" : String(page + 1),
      ...link,
    };
    return { status: 200, headers, body: all.slice((page - 1) * size, page * size) };
  }
}

export async function gitlabWorld(
  changes: Partial<GitlabState> = {},
  config: Record<string, string> = {},
): Promise<World> {
  const fake = await FakeServer.start(new Gitlab(gitlabState(changes)).routes());
  return { fake, connections: [{ id: "gitlab", integration: "gitlab", url: fake.url, credential: SECRET, ...config }] };
}

/** A world in which the one project is changed. */
export async function withProject(project: Partial<FakeProject>, more: Partial<GitlabState> = {}): Promise<World> {
  return await gitlabWorld({ projects: { "acme/app": { ...PROJECT, ...project } }, ...more });
}

export const level = (access_level: number, more: Named<unknown> = {}): Named<unknown> => ({
  id: 1,
  access_level,
  access_level_description: CANARY,
  user_id: null,
  group_id: null,
  deploy_key_id: null,
  member_role_id: null,
  ...more,
});

export const MAIN: FakeRule = { name: "main", push_access_levels: [level(40)], merge_access_levels: [level(30)] };

const dana = { user: "dana@example.com", resource: "project:acme/app" };
const nobody = { ...dana, user: "nora@example.com" };

export const scenarios: readonly Scenario[] = [
  { name: "a push by a developer", world: gitlabWorld, asking: { ...dana, action: "repo.push" }, expect: "allowed" },
  {
    name: "an administration by a developer",
    world: gitlabWorld,
    asking: { ...dana, action: "project.admin" },
    expect: "denied",
  },
  {
    name: "a private project of others",
    world: gitlabWorld,
    asking: { ...nobody, action: "project.read" },
    expect: "denied",
  },
  {
    name: "an internal project and an external person",
    world: async () =>
      await withProject(
        { fields: { ...PROJECT.fields, visibility: "internal" } },
        { users: [DANA, person(11, "nora", { external: true })] },
      ),
    asking: { ...nobody, action: "project.read" },
    expect: "denied",
  },
  {
    name: "a public project whose issues are off",
    world: async () =>
      await withProject({ fields: { visibility: "public", issues_enabled: false, issues_access_level: "disabled" } }),
    asking: { ...nobody, action: "issue.create" },
    expect: "denied",
  },
  {
    name: "a push to a branch of the maintainers",
    world: async () => await withProject({ branches: [MAIN] }),
    asking: { ...dana, resource: "project:acme/app@main", action: "repo.push" },
    expect: "denied",
  },
  {
    name: "a push to no branch named, where some are protected",
    world: async () => await withProject({ branches: [MAIN] }),
    asking: { ...dana, action: "repo.push" },
    expect: "unsupported",
  },
  {
    name: "a blocked person",
    world: async () => await gitlabWorld({ users: [person(7, "dana", { state: "blocked" })] }),
    asking: { ...dana, action: "project.read" },
    expect: "denied",
  },
  {
    name: "a bot",
    world: async () => await gitlabWorld({ users: [person(7, "dana", { bot: true })] }),
    asking: { ...dana, action: "project.read" },
    expect: "denied",
  },
  {
    name: "a membership that waits",
    world: async () => await withProject({ members: { 7: member(30, { membership_state: "awaiting" }) } }),
    asking: { ...dana, action: "repo.push" },
    expect: "denied",
    absent: { membership_state: "only the paid editions have it" },
  },
  {
    name: "a membership of a state that is not active",
    world: async () => await withProject({ members: { 7: member(30, { state: "awaiting" }) } }),
    asking: { ...dana, action: "repo.push" },
    expect: "denied",
  },
  {
    name: "two accounts of one address",
    world: async () => await gitlabWorld({ users: [DANA, person(8, "dana2", { email: "dana@example.com" })] }),
    asking: { ...dana, action: "project.read" },
    expect: "user_ambiguous",
  },
];
