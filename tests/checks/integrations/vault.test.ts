import { afterAll, describe, expect, test } from "bun:test";
import { loadConfigCode } from "../../../src/checks/config/config.ts";
import { INTEGRATIONS } from "../../../src/checks/integrations/index.ts";
import { matches, priority } from "../../../src/checks/integrations/vault/match.ts";
import { HclError } from "../../../src/checks/integrations/vault/hcl.ts";
import { readPolicy } from "../../../src/checks/integrations/vault/policy.ts";
import { DANA, vaultState, vaultWorld, withPolicy, type FakeEntity, type VaultState } from "../fakes/vault.ts";
import { Desk, SECRET, uncovered, type World } from "../support/desk.ts";

const desks: Desk[] = [];
afterAll(async () => {
  for (const desk of desks) await desk.close();
});

async function at(made: World | Promise<World>) {
  const world = await made;
  const desk = new Desk(world);
  desks.push(desk);
  const ask = async (action: string, resource: string, user = "dana@example.com"): Promise<string> =>
    (await desk.ask({ user, action, resource })).code;
  return { desk, ask, fake: world.fake };
}

const path = (pattern: string, ...capabilities: readonly string[]): string =>
  `path "${pattern}" { capabilities = ${JSON.stringify(capabilities)} }\n`;

/** What Dana, whose own policy is `policy`, is answered. */
async function asked(
  policy: string,
  action: string,
  resource: string,
  config: Record<string, string> = {},
): Promise<string> {
  return await (await at(withPolicy(policy, config))).ask(action, resource);
}

async function withEntity(change: Partial<FakeEntity>, more: Partial<VaultState> = {}) {
  return await at(vaultWorld({ entities: { "dana@example.com": { ...DANA, ...change } }, ...more }));
}

describe("the actions", () => {
  const areas: [string, string, readonly string[], string][] = [
    ["secret.read", "secret/data/app", ["read"], "kv:secret/app"],
    ["secret.write", "secret/data/app", ["create", "update"], "kv:secret/app"],
    ["secret.delete", "secret/data/app", ["delete"], "kv:secret/app"],
    ["secret.list", "secret/metadata/app/", ["list"], "kv:secret/app"],
    ["secret.metadata", "secret/metadata/app", ["read"], "kv:secret/app"],
    ["secret.destroy", "secret/destroy/app", ["update"], "kv:secret/app"],
    ["secret.read", "team/kv/data/a/b", ["read"], "kv:team/kv/a/b"],
    ["secret.read", "old/app", ["read"], "kv:old/app"],
    ["secret.list", "old/app/", ["list"], "kv:old/app"],
    ["raw:sudo", "sys/raw/x", ["sudo"], "path:sys/raw/x"],
    ["raw:patch", "secret/data/app", ["patch"], "path:secret/data/app"],
  ];
  for (const [action, pattern, capabilities, resource] of areas) {
    test(`${action} on ${resource} needs ${capabilities.join(" and ")} on ${pattern}`, async () => {
      expect(await asked(path(pattern, ...capabilities), action, resource)).toBe("allowed");
      expect(await asked(path(pattern, "subscribe"), action, resource)).toBe("denied");
      expect(await asked(path(`${pattern}x`, ...capabilities), action, resource)).toBe("denied");
    });
  }
  test("secret.write with only one of create and update is unsupported", async () => {
    for (const one of ["create", "update"])
      expect(await asked(path("secret/data/app", one), "secret.write", "kv:secret/app")).toBe("unsupported");
  });
  test("of version 2 are unsupported on a mount of version 1, all on a mount that is no kv", async () => {
    for (const action of ["secret.metadata", "secret.destroy"])
      expect(await asked("", action, "kv:old/app")).toBe("unsupported");
    expect(await asked("", "secret.read", "kv:pki/app")).toBe("unsupported");
  });
  test("on what is no mount, or a mount itself, are resource_not_visible", async () => {
    expect(await asked("", "secret.read", "kv:none/app")).toBe("resource_not_visible");
    expect(await asked("", "secret.read", "kv:team/kv")).toBe("resource_not_visible");
  });
  test("raw has only Vault's own capabilities", async () =>
    expect(await asked("", "raw:root", "path:a/b")).toBe("unknown_action"));
});

test("a path that has no valid form makes no call", async () => {
  const { ask, fake } = await at(vaultWorld());
  for (const id of [
    "kv:secret",
    "kv:",
    "kv:/secret/app",
    "kv:secret//app",
    "kv:secret/../app",
    "kv:secret/a b",
    "kv:secret/app?x=1",
    "kv:secret/*",
    "kv:secret/+/a",
    "kv:secret/{{x}}",
    "kv:secret/%2e%2e",
  ]) {
    expect([id, await ask("secret.read", id)]).toEqual([id, "invalid_request"]);
  }
  for (const id of ["path:", "path:/sys", "path:./sys", "path:sys/.."])
    expect([id, await ask("raw:read", id)]).toEqual([id, "invalid_request"]);
  expect(await ask("raw:read", "kv:secret/app")).toBe("invalid_request");
  expect(fake.calls).toEqual([]);
});

describe("a pattern", () => {
  const table: [string, string, boolean][] = [
    ["secret/data/app", "secret/data/app", true],
    ["secret/data/app", "secret/data/app2", false],
    ["secret/data/*", "secret/data/a/b", true],
    ["secret/data/*", "secret/data", false],
    ["secret/*", "secret/", true],
    ["*", "anything/at/all", true],
    ["secret/+/app", "secret/data/app", true],
    ["secret/+/app", "secret/a/b/app", false],
    ["secret/+", "secret/", true],
    ["secret/+/ap*", "secret/data/app/x", true],
    ["secret/+/ap*", "secret/data/bapp", false],
    ["ab+", "ab+", true],
    ["ab+", "abc", false],
    ["a/b*c", "a/bxc", false],
    ["+/data", "secret/data", true],
  ];
  for (const [pattern, given, is] of table)
    test(`${pattern} ${is ? "matches" : "does not match"} ${given}`, () => expect(matches(pattern, given)).toBe(is));

  const order = [
    "*",
    "+/+/x",
    "+/b/x",
    "secret/+/x*",
    "secret/*",
    "secret/+/+",
    "secret/+/x",
    "secret/data/*",
    "secret/data/app*",
    "secret/data/app",
  ];
  test("that is more specific goes before a wider one", () => {
    for (const [index, lower] of order.entries()) {
      for (const higher of order.slice(index + 1))
        expect([lower, higher, priority(higher, lower) > 0, priority(lower, higher) < 0]).toEqual([
          lower,
          higher,
          true,
          true,
        ]);
    }
  });
  test("is compared by first wildcard, glob, count of +, length and letters, in this order", () => {
    expect(priority("a/+/+/z", "a/+/+/*")).toBeGreaterThan(0);
    expect(priority("a/+/b", "a/+/+/bbbb")).toBeGreaterThan(0);
    expect(priority("a/+/bb", "a/+/b")).toBeGreaterThan(0);
    expect(priority("a/+/c", "a/+/b")).toBeGreaterThan(0);
  });
});

describe("policies", () => {
  test("that overlap: the more specific one decides alone", async () => {
    const both = path("secret/*", "read", "delete") + path("secret/data/*", "read");
    expect(await asked(both, "secret.delete", "kv:secret/app")).toBe("denied");
    expect(await asked(path("secret/*", "deny") + path("secret/data/*", "read"), "secret.read", "kv:secret/app")).toBe(
      "allowed",
    );
  });
  test("with the same path count together, and a deny among them wins", async () => {
    const policies = (team: string): Partial<VaultState> => ({
      policies: { ...vaultState().policies, dev: path("secret/data/app", "create"), team },
    });
    expect(
      await (await at(vaultWorld(policies(path("secret/data/app", "update"))))).ask("secret.write", "kv:secret/app"),
    ).toBe("allowed");
    expect(
      await (
        await at(vaultWorld(policies(path("secret/data/app", "create", "update", "deny"))))
      ).ask("secret.write", "kv:secret/app"),
    ).toBe("denied");
  });
  test("may begin their paths with a slash", async () =>
    expect(await asked(path("/secret/data/app", "read"), "secret.read", "kv:secret/app")).toBe("allowed"));
  test("with conditions on the request are unsupported, reads too", async () => {
    const conditions = [
      'allowed_parameters = { "a" = ["b"] }',
      'denied_parameters = { "*" = [] }',
      'required_parameters = ["a"]',
      'min_wrapping_ttl = "1s"',
      "max_wrapping_ttl = 90",
      'control_group = { ttl = "4h" factor "ops" { identity { group_names = ["a"] approvals = 1 } } }',
      'control_group { factor "ops" { identity { group_names = ["a"] } } }',
    ];
    for (const condition of conditions) {
      const policy = `path "secret/data/app" { capabilities = ["read"] ${condition} }`;
      expect([condition, await asked(policy, "secret.read", "kv:secret/app")]).toEqual([condition, "unsupported"]);
      expect(await asked(policy + path("secret/data/other", "read"), "secret.read", "kv:secret/other")).toBe("allowed");
    }
  });
  test("are read in HCL with comments, old words, unknown blocks and JSON", () => {
    const of = (source: string) => readPolicy(source).map((stanza) => [stanza.path, [...stanza.capabilities]]);
    expect(
      of(
        '# c\n// d\n/* e\n*/ name = "x"\npath "a" { policy = "read" }\npath "b" { policy = "deny", }\nother "y" { z { } }',
      ),
    ).toEqual([
      ["a", ["read", "list"]],
      ["b", ["deny"]],
    ]);
    expect(of('path "a" { policy = "write" } path "b" { policy = "sudo" }')).toEqual([
      ["a", ["create", "read", "update", "delete", "list"]],
      ["b", ["create", "read", "update", "delete", "list", "sudo"]],
    ]);
    expect(of('{"path":{"a/*":{"capabilities":["read"]},"b":[{"policy":"deny"}]}}')).toEqual([
      ["a/*", ["read"]],
      ["b", ["deny"]],
    ]);
    expect(of("")).toEqual([]);
  });
  test("that are written in another way are not guessed at", async () => {
    const others = [
      'path "a" { capabilities = <<EOF\nread\nEOF\n}',
      'path "a" { capabilities = ["read" }',
      'path "a" { capabilities = ["fly"] }',
      'path "a" { policy = "fly" }',
      'path "a" "b" {}',
      'path "a/+*" {}',
      'path "a" {',
      'path "${x}" {}',
      "path 'a' {}",
      '{"path":',
      'path "a" { capabilities = "read" }',
    ];
    for (const source of others)
      expect([
        source,
        (() => {
          try {
            return readPolicy(source);
          } catch (error) {
            return error instanceof HclError;
          }
        })(),
      ]).toEqual([source, true]);
    expect(await asked(others[0] ?? "", "secret.read", "kv:secret/app")).toBe("unsupported");
  });
  test("come from the entity, its groups direct and inherited, the login and default", async () => {
    const one = (name: string): Partial<VaultState> => ({
      groups: {
        "g-1": { id: "g-1", name: "a", policies: ["team"] },
        "g-2": { id: "g-2", name: "b", policies: ["wide"] },
      },
      policies: { dev: "", team: "", wide: "", default: "", login: "", [name]: path("secret/data/app", "read") },
    });
    for (const name of ["dev", "team", "wide", "default", "login"]) {
      const state = { entities: { "dana@example.com": { ...DANA, inherited_group_ids: ["g-2"] } }, ...one(name) };
      expect([
        name,
        await (await at(vaultWorld(state, { token_policies: "login" }))).ask("secret.read", "kv:secret/app"),
      ]).toEqual([name, "allowed"]);
    }
  });
  test("that are gone are skipped, but not a group's under a namespace", async () => {
    const gone = { policies: { default: path("secret/data/app", "read"), team: "" } };
    expect(await (await at(vaultWorld(gone))).ask("secret.read", "kv:secret/app")).toBe("allowed");
    const named = { ...gone, namespace: "eng/" };
    expect(await (await at(vaultWorld(named, { namespace: "eng/" }))).ask("secret.read", "kv:secret/app")).toBe(
      "allowed",
    );
    const without = { ...named, policies: { default: path("secret/data/app", "read"), dev: "" } };
    expect(await (await at(vaultWorld(without, { namespace: "eng/" }))).ask("secret.read", "kv:secret/app")).toBe(
      "unsupported",
    );
  });
  test("with root among them are unsupported", async () => {
    expect(await (await withEntity({ policies: ["root"] })).ask("secret.read", "kv:secret/app")).toBe("unsupported");
  });
  test("are read once for two checks", async () => {
    const { ask, fake } = await at(vaultWorld());
    await ask("secret.read", "kv:secret/app");
    const first = fake.calls.length;
    await ask("secret.read", "kv:secret/other");
    expect([first, fake.calls.length]).toEqual([7, 7]);
  });
});

describe("a list", () => {
  test("is evaluated with and without its slash, and a deny on either wins", async () => {
    expect(await asked(path("secret/metadata/app", "list"), "secret.list", "kv:secret/app")).toBe("allowed");
    expect(
      await asked(
        path("secret/metadata/app", "deny") + path("secret/metadata/*", "list"),
        "secret.list",
        "kv:secret/app",
      ),
    ).toBe("denied");
    expect(
      await asked(
        path("secret/metadata/app/", "deny") + path("secret/metadata/app", "list"),
        "secret.list",
        "kv:secret/app",
      ),
    ).toBe("denied");
    expect(await asked(path("sys/x", "list"), "raw:list", "path:sys/x/")).toBe("allowed");
  });
});

describe("a template", () => {
  const filled: [string, string][] = [
    ["identity.entity.id", "e-dana"],
    ["identity.entity.name", "dana"],
    ["identity.entity.metadata.team", "payments"],
    ["identity.entity.aliases.auth_oidc_1.name", "dana@example.com"],
    ["identity.entity.aliases.auth_oidc_1.id", "a-dana"],
    ["identity.entity.aliases.auth_oidc_1.metadata.role", "dev"],
    ["identity.groups.ids.g-1.name", "engineers"],
    [" identity.groups.names.engineers.id ", "g-1"],
  ];
  for (const [name, value] of filled) {
    test(`{{${name}}} is ${value}`, async () => {
      const policy = path(`secret/data/{{${name}}}/*`, "read");
      expect(await asked(policy, "secret.read", `kv:secret/${value}/x`)).toBe("allowed");
      expect(await asked(policy, "secret.read", "kv:secret/other/x")).toBe("denied");
    });
  }
  test("without a value is unsupported where it could cover the path, and nothing elsewhere", async () => {
    for (const name of [
      "identity.entity.metadata.none",
      "identity.entity.aliases.other.name",
      "identity.groups.names.none.id",
      "identity.entity.fly",
      "entity.id",
      "identity.entity.metadata.constructor",
    ]) {
      const policy = path(`secret/data/{{${name}}}/*`, "read") + path("old/app", "read");
      expect([name, await asked(policy, "secret.read", "kv:secret/x/y")]).toEqual([name, "unsupported"]);
      expect(await asked(policy, "secret.read", "kv:old/app")).toBe("allowed");
    }
  });
  test("whose value has a slash or a wildcard is unsupported", async () => {
    for (const team of ["a/b", "a*", "+"]) {
      const policies = { ...vaultState().policies, dev: path("secret/data/{{identity.entity.metadata.team}}", "read") };
      expect(await (await withEntity({ metadata: { team } }, { policies })).ask("secret.read", "kv:secret/a/b")).toBe(
        "unsupported",
      );
    }
  });
  test("that could deny is not passed by another policy's allow", async () => {
    const policy = path("secret/data/{{identity.entity.metadata.none}}", "deny") + path("secret/data/app", "read");
    expect(await asked(policy, "secret.read", "kv:secret/app")).toBe("unsupported");
  });
});

describe("the person", () => {
  test("who has no entity is user_not_found", async () => {
    const { ask } = await at(vaultWorld());
    expect(await ask("secret.read", "kv:secret/app", "bo@example.com")).toBe("user_not_found");
  });
  test("whose alias is of another mount is not found, and a mount that is not enabled is invalid_request", async () => {
    expect(await (await at(vaultWorld({}, { alias_mount: "token" }))).ask("secret.read", "kv:secret/app")).toBe(
      "user_not_found",
    );
    expect(await (await at(vaultWorld({}, { alias_mount: "ldap" }))).ask("secret.read", "kv:secret/app")).toBe(
      "invalid_request",
    );
  });
  test("whose entity is disabled is denied; that is not said, unsupported", async () => {
    expect(await (await withEntity({ disabled: true })).ask("secret.read", "kv:secret/app")).toBe("denied");
    const { disabled: _, ...unsaid } = DANA;
    expect(
      await (await at(vaultWorld({ entities: { "dana@example.com": unsaid } }))).ask("secret.read", "kv:secret/app"),
    ).toBe("unsupported");
  });
  test("may have no policies and no metadata", async () => {
    const { ask } = await withEntity({ policies: null, metadata: null, direct_group_ids: [] });
    expect(await ask("secret.read", "kv:secret/app")).toBe("denied");
  });
  test("with a group of an odd id is upstream_error, before any group is read", async () => {
    const { ask, fake } = await withEntity({ direct_group_ids: ["g-1", "../../sys/mounts"] });
    expect(await ask("secret.read", "kv:secret/app")).toBe("upstream_error");
    expect(fake.calls.some((call) => call.includes("/group/"))).toBe(false);
  });
});

describe("the credential", () => {
  const approle = { auth_mode: "approle", role_id: "role" };
  test("that Vault does not know is credential_rejected", async () => {
    expect(await (await at(vaultWorld({ tokens: new Set() }))).ask("secret.read", "kv:secret/app")).toBe(
      "credential_rejected",
    );
  });
  test("of an AppRole logs in once", async () => {
    const { ask, fake, desk } = await at(vaultWorld({}, approle));
    expect(await ask("secret.read", "kv:secret/app")).toBe("allowed");
    expect(await ask("secret.read", "kv:secret/other")).toBe("denied");
    expect(fake.calls.filter((call) => call.endsWith("/login")).length).toBe(1);
    expect(JSON.stringify(desk.decisions)).not.toContain("/login");
  });
  test("of an AppRole logs in once more for a token that has ended, not a third time", async () => {
    const ended = await at(vaultWorld({ tokenUses: 4 }, approle));
    expect(await ended.ask("secret.read", "kv:secret/app")).toBe("allowed");
    expect(ended.fake.calls.filter((call) => call.endsWith("/login")).length).toBe(2);
    const useless = await at(vaultWorld({ tokenUses: 0 }, approle));
    expect(await useless.ask("secret.read", "kv:secret/app")).toBe("credential_rejected");
    expect(useless.fake.calls.filter((call) => call.endsWith("/login")).length).toBe(2);
  });
  test("of an AppRole that is refused is credential_rejected", async () => {
    expect(await (await at(vaultWorld({}, { ...approle, role_id: "other" }))).ask("secret.read", "kv:secret/app")).toBe(
      "credential_rejected",
    );
  });
});

test("the namespace goes with every call, the login too", async () => {
  const { ask } = await at(
    vaultWorld({ namespace: "eng/team" }, { namespace: "eng/team", auth_mode: "approle", role_id: "role" }),
  );
  expect(await ask("secret.read", "kv:secret/app")).toBe("allowed");
});

test("settings that cannot work are refused", () => {
  const good = { id: "v", integration: "vault", url: "https://v.test", credential: SECRET, alias_mount: "oidc" };
  const refused: [object, string][] = [
    [{ auth_mode: "approle" }, "role_id is required"],
    [{ token_policies: "a, root" }, "must not name root"],
    [{ alias_mount: "../x y" }, "alias_mount"],
  ];
  for (const [change, message] of refused)
    expect(() => loadConfigCode([{ ...good, ...change }], INTEGRATIONS)).toThrow(message);
});

describe("the probe", () => {
  test("names the token and has no warnings", async () => {
    expect(await (await at(vaultWorld())).desk.probe()).toMatchObject({
      ok: true,
      summary: "token hallpass",
      warnings: [],
    });
  });
  test("warns of a root token", async () => {
    expect((await (await at(vaultWorld({ selfPolicies: ["root"] }))).desk.probe()).warnings.length).toBe(1);
  });
  test("fails where the alias mount is not enabled", async () => {
    expect(await (await at(vaultWorld({}, { alias_mount: "ldap" }))).desk.probe()).toMatchObject({ ok: false });
  });
});

test("every action has been allowed and denied", () => expect(uncovered("vault", desks)).toEqual([]));
