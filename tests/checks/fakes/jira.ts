/** Jira Cloud as far as permissions go: user search, projects and issues, permissions/check, Atlassian's token endpoint (CHECKS §4.6). */
import { z } from "zod";
import { CANARY, SECRET, type World } from "../support/desk.ts";
import { FakeServer, type FakeReply, type FakeRequest, type Route } from "../support/fake-server.ts";
import type { Scenario } from "../support/scenario.ts";

type Named<T> = Readonly<Record<string, T>>;

export interface JiraUser {
  readonly accountId: string;
  readonly accountType?: string;
  readonly active?: boolean;
  /** Hidden from us when undefined. */
  readonly emailAddress?: string;
  readonly displayName?: string;
}

export interface JiraState {
  readonly users: readonly JiraUser[];
  /** Key to id. */
  readonly projects: Named<string>;
  readonly issues: Named<string>;
  /** By account: `KEY`, or `KEY <id of a project or issue>`. */
  readonly grants: Named<readonly string[]>;
  /** Keys that Jira drops from its answer. */
  readonly dropped: readonly string[];
  readonly ownPermissions: readonly string[];
  readonly knownKeys: readonly string[] | undefined;
  /** Atlassian answers a bad credential with an empty list, and myself with 401. */
  readonly isCredentialBad: boolean;
  readonly instead: Named<FakeReply>;
}

export const DANA: JiraUser = user("dana");

export function user(name: string, more: Partial<JiraUser> = {}): JiraUser {
  const given = { accountType: "atlassian", active: true, emailAddress: `${name}@example.com`, displayName: name };
  return { accountId: `5b10:${name}`, ...given, ...more };
}

export function jiraState(changes: Partial<JiraState> = {}): JiraState {
  return {
    users: [DANA, user("olga")],
    projects: { PAY: "10001", OPS: "10002" },
    issues: { "PAY-7": "20007", "OPS-1": "20001" },
    grants: {
      "5b10:dana": ["BROWSE_PROJECTS 10001", "EDIT_ISSUES 20007", "USER_PICKER"],
      "5b10:olga": ["ADMINISTER", "BROWSE_PROJECTS 10001", "BROWSE_PROJECTS 10002"],
    },
    dropped: [],
    ownPermissions: ["ADMINISTER"],
    knownKeys: undefined,
    isCredentialBad: false,
    instead: {},
    ...changes,
  };
}

export type Mode = "basic" | "scoped_token" | "oauth_client";

const Check = z.strictObject({
  accountId: z.string().min(1),
  projectPermissions: z
    .array(
      z.strictObject({
        permissions: z.array(z.string().min(1)).min(1),
        projects: z.array(z.int()).optional(),
        issues: z.array(z.int()).optional(),
      }),
    )
    .optional(),
  globalPermissions: z.array(z.string().min(1)).optional(),
});
const Exchange = z.strictObject({
  grant_type: z.literal("client_credentials"),
  client_id: z.literal("client"),
  client_secret: z.literal(`${CANARY}-token`),
  audience: z.literal("api.atlassian.com"),
});

const ok = (body: unknown): FakeReply => ({ status: 200, body });
const missing: FakeReply = { status: 404, body: { errorMessages: [CANARY] } };
const own = <T>(map: Named<T>, key = ""): T | undefined => (Object.hasOwn(map, key) ? map[key] : undefined);
const CLOUD = "cloud-1";

class Jira {
  private readonly authorization: string;

  constructor(
    private readonly state: JiraState,
    private readonly mode: Mode,
  ) {
    const basic = Buffer.from(`bot@example.com:${CANARY}-token`).toString("base64");
    const tokens = { basic: `Basic ${basic}`, scoped_token: `Bearer ${CANARY}-token`, oauth_client: "Bearer minted" };
    this.authorization = tokens[mode] + (mode === "oauth_client" ? `-${CANARY}` : "");
  }

  routes(): Route[] {
    const { ownPermissions, knownKeys } = this.state;
    const keys = Object.fromEntries((knownKeys ?? KEYS).map((key) => [key, { key, name: CANARY, type: "PROJECT" }]));
    return [
      this.route("search", "GET", "/user/search", (request) => this.search(request), [
        "query",
        "startAt?",
        "maxResults?",
      ]),
      this.route("myself", "GET", "/myself", () =>
        this.state.isCredentialBad
          ? { status: 401, body: CANARY }
          : ok({ accountId: "bot", displayName: CANARY, active: true }),
      ),
      this.route("project", "GET", "/project/:key", ({ params }) => this.project(params.key)),
      this.route("issue", "GET", "/issue/:key", ({ params }) => this.issue(params.key), ["fields"]),
      { ...this.route("check", "POST", "/permissions/check", (request) => this.check(request)), body: Check },
      this.route(
        "mypermissions",
        "GET",
        "/mypermissions",
        () =>
          ok({
            permissions: { ADMINISTER: { key: "ADMINISTER", havePermission: ownPermissions.includes("ADMINISTER") } },
          }),
        ["permissions"],
      ),
      this.route("permissions", "GET", "/permissions", () => ok({ permissions: keys })),
      { on: "GET /_edge/tenant_info", answer: (request) => this.tenant(request) },
      {
        on: "POST https://auth.atlassian.com/oauth/token",
        body: Exchange,
        answer: () =>
          own(this.state.instead, "token") ??
          ok({ access_token: `minted-${CANARY}`, expires_in: 3600, token_type: "Bearer" }),
      },
    ];
  }

  private route(
    name: string,
    method: string,
    at: string,
    answer: (request: FakeRequest) => FakeReply,
    query: readonly string[] = [],
  ): Route {
    const root = this.mode === "basic" ? "" : `https://api.atlassian.com/ex/jira/${CLOUD}`;
    return {
      on: `${method} ${root}/rest/api/3${at}`,
      query,
      headers: { authorization: this.authorization },
      answer: (request) => own(this.state.instead, name) ?? answer(request),
    };
  }

  /** Takes no credential: it would be sent to a site before we know which it is. */
  private tenant({ headers }: FakeRequest): FakeReply {
    return (
      own(this.state.instead, "tenant") ??
      (headers.authorization === undefined ? ok({ cloudId: CLOUD }) : { status: 400 })
    );
  }

  /** Finds by any beginning of a name or an address, hidden ones too. */
  private search({ query }: FakeRequest): FakeReply {
    if (this.state.isCredentialBad) return ok([]);
    const text = (query.get("query") ?? "").toLowerCase();
    const isHit = ({ displayName = "", emailAddress = text }: JiraUser): boolean =>
      displayName.toLowerCase().includes(text) || emailAddress.toLowerCase().includes(text);
    const from = Number(query.get("startAt") ?? 0);
    return ok(this.state.users.filter(isHit).slice(from, from + Number(query.get("maxResults") ?? 50)));
  }

  private project(key = ""): FakeReply {
    const id = own(this.state.projects, key);
    return id === undefined ? missing : ok({ id, key, name: CANARY });
  }

  private issue(key = ""): FakeReply {
    const id = own(this.state.issues, key);
    const project = key.split("-")[0] ?? "";
    return id === undefined
      ? missing
      : ok({ id, key, fields: { project: { id: this.state.projects[project], key: project } } });
  }

  private check({ json }: FakeRequest): FakeReply {
    const { accountId, projectPermissions = [], globalPermissions = [] } = json as z.infer<typeof Check>;
    const grants = own(this.state.grants, accountId) ?? [];
    const echoed = (keys: readonly string[]): readonly string[] =>
      keys.filter((key) => !this.state.dropped.includes(key));
    const held = (key: string, ids: readonly number[] = []): number[] =>
      ids.filter((id) => grants.includes(`${key} ${id}`));
    return ok({
      projectPermissions: projectPermissions.flatMap(({ permissions, projects, issues }) =>
        echoed(permissions).map((permission) => ({
          permission,
          projects: held(permission, projects),
          issues: held(permission, issues),
        })),
      ),
      globalPermissions: echoed(globalPermissions).filter((key) => grants.includes(key)),
    });
  }
}

const KEYS =
  `BROWSE_PROJECTS CREATE_ISSUES EDIT_ISSUES DELETE_ISSUES ASSIGN_ISSUES ASSIGNABLE_USER TRANSITION_ISSUES RESOLVE_ISSUES CLOSE_ISSUES
  MOVE_ISSUES LINK_ISSUES ADD_COMMENTS EDIT_ALL_COMMENTS DELETE_ALL_COMMENTS CREATE_ATTACHMENTS WORK_ON_ISSUES MANAGE_WATCHERS
  VIEW_VOTERS_AND_WATCHERS SCHEDULE_ISSUES SET_ISSUE_SECURITY MANAGE_SPRINTS_PERMISSION ADMINISTER_PROJECTS ADMINISTER SYSTEM_ADMIN
  USER_PICKER CREATE_SHARED_OBJECTS MANAGE_GROUP_FILTER_SUBSCRIPTIONS BULK_CHANGE`.split(/\s+/);

export async function jiraWorld(changes: Partial<JiraState> = {}, config: Record<string, string> = {}): Promise<World> {
  const mode = (config.auth_mode ?? "basic") as Mode;
  const fake = await FakeServer.start(new Jira(jiraState(changes), mode).routes());
  const by: Record<Mode, Record<string, string>> = {
    basic: { username: "bot@example.com" },
    scoped_token: {},
    oauth_client: { client_id: "client" },
  };
  const given = { url: fake.url, auth_mode: mode, credential: SECRET, ...by[mode], ...config };
  return { fake, connections: [{ id: "jira", integration: "jira", ...given }] };
}

const dana = { user: "dana@example.com", action: "BROWSE_PROJECTS" };
const LISTS = {
  "projectPermissions[].projects": "a list that is null is empty",
  "projectPermissions[].issues": "a list that is null is empty",
};

export const scenarios: readonly Scenario[] = [
  {
    name: "a project that is granted",
    world: jiraWorld,
    asking: { ...dana, resource: "project:PAY" },
    expect: "allowed",
  },
  {
    name: "a project that is not granted",
    world: jiraWorld,
    asking: { ...dana, resource: "project:OPS" },
    expect: "denied",
    absent: LISTS,
  },
  {
    name: "an issue that is not granted",
    world: jiraWorld,
    asking: { ...dana, action: "EDIT_ISSUES", resource: "issue:OPS-1" },
    expect: "denied",
    absent: LISTS,
  },
  {
    name: "a global permission",
    world: jiraWorld,
    asking: { ...dana, action: "ADMINISTER", resource: "global" },
    expect: "denied",
  },
  {
    name: "an inactive account",
    world: async () => await jiraWorld({ users: [user("dana", { active: false })] }),
    asking: { ...dana, resource: "project:PAY" },
    expect: "user_not_found",
  },
  {
    name: "an app's account",
    world: async () => await jiraWorld({ users: [user("dana", { accountType: "app" })] }),
    asking: { ...dana, resource: "project:PAY" },
    expect: "user_not_found",
  },
  {
    name: "two accounts of one address",
    world: async () => await jiraWorld({ users: [DANA, user("dana2", { emailAddress: "dana@example.com" })] }),
    asking: { ...dana, resource: "project:PAY" },
    expect: "user_ambiguous",
    absent: {
      "[]": "an account that is not found is not counted",
      "[].emailAddress": "beside a match, accounts whose address is hidden are no matter (CHECKS §4.6)",
    },
  },
  {
    name: "an account whose address is hidden",
    world: async () =>
      await jiraWorld({
        users: [{ accountId: "5b10:dana", accountType: "atlassian", active: true, displayName: "dana@example.com" }],
      }),
    asking: { ...dana, resource: "project:PAY" },
    expect: "unsupported",
  },
];
