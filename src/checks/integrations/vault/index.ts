/** Vault: the person's policies are read and evaluated here, as Vault's ACL does it (CHECKS §4.18). */
import type { Call } from "../../call.ts";
import { stop, type Finding } from "../../codes.ts";
import { key, type ConfigOf } from "../../config/keys.ts";
import { forbiddenIsCredential, type Api } from "../../http/api.ts";
import { path } from "../../http/path.ts";
import { unreadable } from "../../http/reply.ts";
import {
  defineIntegration,
  type ConfigProblem,
  type Connection,
  type Parts,
  type ProbeReport,
} from "../../integration.ts";
import type { Resource, Subject } from "../../question.ts";
import { list, maybeText, record, text } from "../../shared/fields.ts";
import type { Lookup } from "../../shared/lookup.ts";
import { actions, patterns, type VaultAction } from "./actions.ts";
import { credentialOf } from "./credential.ts";
import { evaluate } from "./evaluate.ts";
import { HclError } from "./hcl.ts";
import { accessorOf, findEntity, type VaultIdentity } from "./identity.ts";
import type { Rule } from "./match.ts";
import { readPolicy, type Stanza } from "./policy.ts";
import { fill } from "./template.ts";
import { kvPath, readMounts, readPath, type Mounts } from "./where.ts";

const MOUNT = /^[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)*\/?$/;

export const keys = {
  url: key.url({ about: "Vault's address", required: true }),
  credential: key.secret({ about: "a token, or the secret id of the AppRole", required: true }),
  alias_mount: key.text({
    about: "the login mount whose aliases are emails (oidc, say)",
    required: true,
    pattern: MOUNT,
    hint: "the path of a mount",
  }),
  auth_mode: key.oneOf(["token", "approle"], { about: "what the credential is", default: "token" }),
  role_id: key.text({ about: "the AppRole's role id" }),
  approle_mount: key.text({
    about: "the AppRole mount",
    default: "approle",
    pattern: MOUNT,
    hint: "the path of a mount",
  }),
  token_policies: key.parsed({
    about: "policies that logins get from the mount's role, parted by commas",
    default: "",
    read: readPolicies,
  }),
  namespace: key.text({
    about: "an Enterprise namespace, sent with every call",
    pattern: MOUNT,
    hint: "the path of a namespace",
  }),
};

export type VaultConfig = ConfigOf<typeof keys>;

interface Ask {
  readonly action: VaultAction;
  readonly isKv: boolean;
  readonly path: string;
}

const KEPT_MS = 30_000;
/** Undefined: there is no such policy. */
type Stanzas = readonly Stanza[] | undefined;

export class VaultConnection implements Connection<VaultIdentity, Ask, VaultAction> {
  readonly base: URL;
  readonly api: Api;
  private readonly policies: Lookup<Stanzas>;
  private readonly mounts: Lookup<Mounts>;

  constructor(
    private readonly config: VaultConfig,
    parts: Parts,
  ) {
    this.base = config.url;
    const headers: Record<string, string> =
      config.namespace === undefined ? {} : { "x-vault-namespace": config.namespace };
    const options = { base: config.url, headers, refusal: forbiddenIsCredential };
    this.api = parts.api({ ...options, credential: credentialOf(config, parts.api(options), parts) });
    this.policies = parts.lookup("policies", KEPT_MS);
    this.mounts = parts.lookup("mounts", KEPT_MS);
  }

  prepare(action: VaultAction, resource: Resource): Ask {
    return { action, isKv: resource.type === "kv", path: readPath(resource) };
  }

  async identify(subject: Subject, call: Call): Promise<VaultIdentity> {
    return await findEntity(this.api, this.config.alias_mount, subject, call);
  }

  async decide(identity: VaultIdentity, ask: Ask, call: Call): Promise<Finding> {
    const { action, isKv, path: written } = ask;
    const asked = isKv ? await kvPath(action, written, await readMounts(this.api, this.mounts, call)) : written;
    return evaluate(asked, action.needs, await this.rules(identity, call));
  }

  async probe(call: Call): Promise<ProbeReport> {
    const Self = record({ data: record({ display_name: text, policies: list(text) }) });
    const { display_name: name, policies } = (await this.api.read(Self, call, "/v1/auth/token/lookup-self")).data;
    await accessorOf(this.api, this.config.alias_mount, call);
    const isRoot = policies.includes("root");
    return {
      summary: `token ${name || "without a name"}`,
      warnings: isRoot ? ["the credential is a root token: give it a policy of its own"] : [],
    };
  }

  private async rules(identity: VaultIdentity, call: Call): Promise<Rule[]> {
    const rules: Rule[] = [];
    for (const [name, isFromGroup] of policiesOf(identity, this.config.token_policies)) {
      const stanzas = await this.policies.get(name, call, async (inner) => await this.readPolicy(name, inner));
      // A group of a parent namespace names policies that are not looked up in this one.
      if (stanzas === undefined && isFromGroup && this.config.namespace !== undefined) {
        throw stop("unsupported", "a policy of a group is not in this namespace");
      }
      rules.push(...(stanzas ?? []).map((stanza) => fill(stanza, identity)));
    }
    return rules;
  }

  private async readPolicy(name: string, call: Call): Promise<Stanzas> {
    const found = await this.api.find(
      record({ data: record({ policy: maybeText }) }),
      call,
      path`/v1/sys/policies/acl/${name}`,
    );
    if (found === undefined) return undefined;
    if (found.data.policy === undefined) throw unreadable();
    try {
      return readPolicy(found.data.policy);
    } catch (error) {
      if (error instanceof HclError) throw stop("unsupported", "a policy is written in a way that is not read");
      throw error;
    }
  }
}

/** Policy names, each with whether a group gives it. Throws `unsupported` for root, which no policy text describes. */
function policiesOf({ entity, groups }: VaultIdentity, tokenPolicies: readonly string[]): Map<string, boolean> {
  const names = new Map<string, boolean>();
  for (const name of [...entity.policies, ...tokenPolicies, "default"]) names.set(name.toLowerCase(), false);
  for (const name of groups.flatMap((group) => group.policies)) names.set(name.toLowerCase(), true);
  if (names.has("root")) throw stop("unsupported", "the person has the policy root");
  return names;
}

function readPolicies(raw: string): readonly string[] {
  const names = raw === "" ? [] : raw.split(",").map((name) => name.trim().toLowerCase());
  if (names.includes("root")) throw new Error("must not name root");
  if (!names.every((name) => /^[a-z0-9][a-z0-9_./-]*$/.test(name)))
    throw new Error("must be policy names parted by commas");
  return names;
}

function check({ auth_mode, role_id }: VaultConfig): ConfigProblem[] {
  return auth_mode === "approle" && role_id === undefined
    ? [{ key: "role_id", message: "is required where auth_mode is approle" }]
    : [];
}

export const vault = defineIntegration({
  name: "vault",
  about: "HashiCorp Vault",
  keys,
  actions,
  patterns,
  check,
  connect: (config: VaultConfig, parts: Parts) => new VaultConnection(config, parts),
});
