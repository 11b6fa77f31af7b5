/** A Vault server as far as identities and policies can be read: sys/auth, sys/mounts, identity, sys/policies, AppRole (CHECKS §4.18). */
import { z } from "zod";
import { CANARY, SECRET, type World } from "../support/desk.ts";
import { FakeServer, type FakeReply, type FakeRequest, type Route } from "../support/fake-server.ts";
import type { Scenario } from "../support/scenario.ts";

export interface FakeEntity {
  readonly id: string;
  readonly name: string;
  readonly disabled?: boolean;
  readonly policies: readonly string[] | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly aliases: readonly {
    id: string;
    name: string;
    mount_accessor: string;
    metadata: Readonly<Record<string, string>> | null;
  }[];
  readonly direct_group_ids: readonly string[];
  readonly inherited_group_ids: readonly string[];
}

export interface VaultState {
  readonly auth: Readonly<Record<string, { readonly accessor: string; readonly type: string }>>;
  readonly mounts: Readonly<
    Record<string, { readonly type: string; readonly options: Readonly<Record<string, string>> | null }>
  >;
  /** By alias name. */
  readonly entities: Readonly<Record<string, FakeEntity>>;
  readonly groups: Readonly<
    Record<string, { readonly id: string; readonly name: string; readonly policies: readonly string[] | null }>
  >;
  readonly policies: Readonly<Record<string, string>>;
  /** Tokens that the server knows, besides those of AppRole logins. */
  readonly tokens: Set<string>;
  /** Forget tokens of AppRole logins after so many uses. */
  readonly tokenUses?: number;
  readonly selfPolicies?: readonly string[];
  readonly namespace?: string;
}

export const DANA: FakeEntity = {
  id: "e-dana",
  name: "dana",
  disabled: false,
  policies: ["dev"],
  metadata: { team: "payments" },
  aliases: [{ id: "a-dana", name: "dana@example.com", mount_accessor: "auth_oidc_1", metadata: { role: "dev" } }],
  direct_group_ids: ["g-1"],
  inherited_group_ids: [],
};

export function vaultState(changes: Partial<VaultState> = {}): VaultState {
  return {
    auth: { "oidc/": { accessor: "auth_oidc_1", type: "oidc" }, "token/": { accessor: "auth_token_1", type: "token" } },
    mounts: {
      "secret/": { type: "kv", options: { version: "2" } },
      "old/": { type: "kv", options: null },
      "team/kv/": { type: "kv", options: { version: "2" } },
      "pki/": { type: "pki", options: null },
    },
    entities: { "dana@example.com": DANA },
    groups: { "g-1": { id: "g-1", name: "engineers", policies: ["team"] } },
    policies: {
      default: 'path "auth/token/lookup-self" { capabilities = ["read"] }',
      dev: 'path "secret/data/app" { capabilities = ["read"] }',
      team: 'path "secret/data/team/*" { capabilities = ["create", "update"] }',
    },
    tokens: new Set([`${CANARY}-token`]),
    ...changes,
  };
}

const Lookup = z.strictObject({ alias_name: z.string(), alias_mount_accessor: z.string() });
const Login = z.strictObject({ role_id: z.string(), secret_id: z.string() });

const missing: FakeReply = { status: 404, body: { errors: [] } };
const ok = (data: unknown): FakeReply => ({ status: 200, body: { request_id: "r", lease_duration: 0, data } });

class Vault {
  private logins = 0;
  private readonly uses = new Map<string, number>();

  constructor(private readonly state: VaultState) {}

  routes(): Route[] {
    const { auth, mounts, groups, policies, selfPolicies = ["hallpass"] } = this.state;
    const own = (map: Readonly<Record<string, unknown>>, key = ""): unknown =>
      Object.hasOwn(map, key) ? map[key] : undefined;
    const found = (value: unknown): FakeReply => (value === undefined ? missing : ok(value));
    const policy = ({ params }: FakeRequest): FakeReply => {
      const text = own(policies, params.name);
      return text === undefined ? missing : ok({ name: params.name, policy: text });
    };
    return [
      this.guarded("GET /v1/sys/auth", () => ok(auth)),
      this.guarded("GET /v1/sys/mounts", () => ok(mounts)),
      { ...this.guarded("POST /v1/identity/lookup/entity", (request) => this.lookUp(request)), body: Lookup },
      this.guarded("GET /v1/identity/group/id/:id", ({ params }) => found(own(groups, params.id))),
      this.guarded("GET /v1/sys/policies/acl/:name", policy),
      this.guarded("GET /v1/auth/token/lookup-self", () => ok({ display_name: "hallpass", policies: selfPolicies })),
      {
        on: "POST /v1/auth/approle/login",
        headers: this.headers(),
        body: Login,
        answer: (request) => this.logIn(request),
      },
    ];
  }

  private headers(): Record<string, string> {
    return this.state.namespace === undefined ? {} : { "x-vault-namespace": this.state.namespace };
  }

  private guarded(on: string, answer: (request: FakeRequest) => FakeReply): Route {
    const headers = { ...this.headers(), "x-vault-token": /./ };
    return {
      on,
      headers,
      answer: (request) => (this.knows(request.headers["x-vault-token"] ?? "") ? answer(request) : denied),
    };
  }

  private knows(token: string): boolean {
    const used = (this.uses.get(token) ?? 0) + 1;
    this.uses.set(token, used);
    return this.state.tokens.has(token) && (!token.startsWith("login-") || used <= (this.state.tokenUses ?? Infinity));
  }

  private logIn({ json }: FakeRequest): FakeReply {
    const { role_id, secret_id } = json as z.infer<typeof Login>;
    if (role_id !== "role" || secret_id !== `${CANARY}-token`)
      return { status: 400, body: { errors: ["invalid role or secret ID"] } };
    const token = `login-${++this.logins}-${CANARY}`;
    this.state.tokens.add(token);
    return { status: 200, body: { auth: { client_token: token, lease_duration: 3600 } } };
  }

  private lookUp({ json }: FakeRequest): FakeReply {
    const { alias_name, alias_mount_accessor: accessor } = json as z.infer<typeof Lookup>;
    const entity = Object.hasOwn(this.state.entities, alias_name) ? this.state.entities[alias_name] : undefined;
    const isKnown = entity?.aliases.some((alias) => alias.mount_accessor === accessor) ?? false;
    return isKnown ? ok(entity) : { status: 204 };
  }
}

const denied: FakeReply = { status: 403, body: { errors: [`${CANARY} permission denied`] } };

export async function vaultWorld(
  changes: Partial<VaultState> = {},
  config: Record<string, string> = {},
): Promise<World> {
  const fake = await FakeServer.start(new Vault(vaultState(changes)).routes());
  const given = { url: fake.url, credential: SECRET, alias_mount: "oidc", ...config };
  return { fake, connections: [{ id: "vault", integration: "vault", ...given }] };
}

/** A world in which Dana's own policy is `policy`. */
export async function withPolicy(policy: string, config: Record<string, string> = {}): Promise<World> {
  return await vaultWorld({ policies: { ...vaultState().policies, dev: policy } }, config);
}

const dana = { user: "dana@example.com" };

export const scenarios: readonly Scenario[] = [
  {
    name: "a secret that a policy gives",
    world: vaultWorld,
    asking: { ...dana, action: "secret.read", resource: "kv:secret/app" },
    expect: "allowed",
  },
  {
    name: "a secret that no policy gives",
    world: vaultWorld,
    asking: { ...dana, action: "secret.read", resource: "kv:secret/other" },
    expect: "denied",
  },
  {
    name: "a secret that a group's policy denies",
    world: async () =>
      await vaultWorld({
        policies: {
          ...vaultState().policies,
          dev: 'path "secret/data/*" { capabilities = ["read"] }',
          team: 'path "secret/data/app" { capabilities = ["deny"] }',
        },
      }),
    asking: { ...dana, action: "secret.read", resource: "kv:secret/app" },
    expect: "denied",
    nullable: {
      "data.policies": "Vault writes null for none",
      "data.direct_group_ids": "Vault writes null for none",
      "data.inherited_group_ids": "Vault writes null for none",
    },
  },
  {
    name: "a disabled entity",
    world: async () => await vaultWorld({ entities: { "dana@example.com": { ...DANA, disabled: true } } }),
    asking: { ...dana, action: "secret.read", resource: "kv:secret/app" },
    expect: "denied",
  },
  {
    name: "a policy with parameters",
    world: async () =>
      await withPolicy('path "secret/data/app" { capabilities = ["read"] required_parameters = ["x"] }'),
    asking: { ...dana, action: "secret.read", resource: "kv:secret/app" },
    expect: "unsupported",
  },
];
