import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { build } from "../../src/checks/build.ts";
import { loadConfigCode, loadConfigFile, loadConfigText, type Registry } from "../../src/checks/config/config.ts";
import { key } from "../../src/checks/config/keys.ts";
import { ConfigError } from "../../src/checks/config/raw.ts";
import { env, file, literal } from "../../src/checks/config/secret.ts";
import { readDomains, readTemplate } from "../../src/checks/config/template.ts";
import { defineIntegration, type Connection } from "../../src/checks/integration.ts";
import { INTEGRATIONS } from "../../src/checks/integrations/index.ts";
import { TestClock } from "./support/clock.ts";
import { TestLog } from "./support/log.ts";

const folder = mkdtempSync(join(tmpdir(), "hallpass-config-"));
afterAll(() => rmSync(folder, { recursive: true }));

const nothing: Connection = {
  prepare: () => undefined,
  identify: async () => undefined,
  decide: async () => ({ code: "allowed", text: "" }),
  probe: async () => ({ summary: "", warnings: [] }),
};

/** Two integrations that link to each other, so that circles can be made. */
const left: ReturnType<typeof linked> = linked("left", () => right);
const right: ReturnType<typeof linked> = linked("right", () => left);

function linked(name: string, other: () => unknown) {
  return defineIntegration({
    name,
    about: name,
    keys: {
      peer_connection: key.connection(other as never, { about: "the other" }),
      mode: key.oneOf(["a", "b"], { about: "mode", default: "a" }),
    },
    actions: [],
    connect: (): Connection => nothing,
  });
}

const REGISTRY: Registry = new Map([...INTEGRATIONS, ["left", left], ["right", right]]);

function problems(source: string): string[] {
  try {
    loadConfigText(source, "h.yaml", REGISTRY);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split("\n");
    throw error;
  }
}

const cluster = (lines = ""): string =>
  `connections:\n  - id: k\n    integration: kubernetes\n    url: https://k.test\n    credential: env:K\n${lines}`;

describe("the file", () => {
  test("gives defaults for what it leaves out", () => {
    const config = loadConfigText(cluster(), "h.yaml", REGISTRY);
    expect(config).toMatchObject({
      listen: ":8080",
      decisionLog: "stderr",
      decisionCacheSeconds: 30,
      identityCacheSeconds: 900,
    });
    expect(config.connections[0]).toMatchObject({
      id: "k",
      timeoutMs: 8_000,
      values: { add_authenticated_group: true },
    });
  });

  test("reports everything that is wrong in one pass, each with its line", () => {
    const source = [
      "api_key: in-the-open", // 1
      "listen:", // 2
      "colour: red", // 3
      "decision_cache_seconds: 3601", // 4
      "identity_cache_seconds: soon", // 5
      "connections:", // 6
      "  - id: Bad_Id", // 7
      "    integration: kubernetes",
      "    url: http://k.test", // 9
      "    credential: hunter2", // 10
      "    colour: red", // 11
      "  - id: two", // 12
      "    integration: kubernetes",
      "    url: https://k.test",
      "    credential: env:K",
      "    timeout: 0s", // 16
      "    timeout: 6m", // 17
      "  - id: three", // 18
      "    integration: nothing", // 19
      "  - id: four", // 20
      "    integration: left",
      "    peer_connection: [a]", // 22
      "    mode: c", // 23
    ].join("\n");
    expect(problems(source).map((line) => /^h\.yaml:(\d+): (\w+)/.exec(line)?.slice(1).join(" "))).toEqual([
      "1 api_key",
      "2 listen",
      "3 there",
      "4 decision_cache_seconds",
      "5 identity_cache_seconds",
      "7 id",
      "9 url",
      "10 credential",
      "11 kubernetes",
      "16 timeout",
      "17 the",
      "19 there",
      "22 peer_connection",
      "23 mode",
    ]);
  });

  test("never quotes a secret that stands in it", () => {
    expect(problems(cluster().replace("env:K", "hunter2")).join()).not.toContain("hunter2");
  });

  test("is a mapping of one document without aliases", () => {
    expect(problems("- a")).toEqual([
      "h.yaml:1: the file must be a mapping with the key connections",
      "h.yaml:1: there are no connections",
    ]);
    expect(problems(`${cluster()}---\nfoo: bar\n`)).toEqual([]);
    expect(problems(`listen: &a :1\ndecision_log: *a\n${cluster()}`)).toEqual([
      "h.yaml:2: decision_log: aliases are not read",
    ]);
    expect(problems("a: [")[0]).toMatch(/^h\.yaml:1: not YAML/);
  });

  test("keeps digits as they are written", () => {
    const source = cluster("    group_prefix: 0123\n");
    expect(loadConfigText(source, "h.yaml", REGISTRY).connections[0]?.values.group_prefix).toBe("0123");
  });

  test("takes durations up to 5 minutes", () => {
    expect(problems(cluster("    timeout: 5m\n"))).toEqual([]);
    for (const bad of ["5m1s", "0s", "8", "-1s", "soon"])
      expect(problems(cluster(`    timeout: ${bad}\n`)).length).toBe(1);
  });

  test("that cannot be read is a problem", () => {
    expect(() => loadConfigFile(join(folder, "none.yaml"), REGISTRY)).toThrow("none.yaml:1: cannot be read (ENOENT)");
  });

  test("names a ca_file that exists and holds a certificate", () => {
    const empty = join(folder, "empty.pem");
    writeFileSync(empty, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    expect(problems(cluster(`    ca_file: ${join(folder, "no.pem")}\n`))[0]).toContain("cannot be read");
    expect(problems(cluster(`    ca_file: ${empty}\n`))[0]).toContain("must hold PEM certificates");
  });

  test("names a proxy by http or https", () => {
    expect(problems(cluster("    proxy_url: socks5://p.test:1\n")).length).toBe(1);
    expect(problems(cluster("    proxy_url: http://user:pass@p.test:1\n"))).toEqual([]);
  });
});

test("a URL is https, or http on this machine, with no user, query or fragment", () => {
  const of = (url: string): number => problems(cluster().replace("https://k.test", url)).length;
  for (const url of [
    "https://k.test",
    "https://k.test/base/",
    "http://localhost:1",
    "http://127.0.0.1:1",
    "http://[::1]:1",
  ])
    expect([url, of(url)]).toEqual([url, 0]);
  const refused = [
    "http://k.test",
    "https://u@k.test",
    "https://u:p@k.test",
    "https://k.test/?",
    "https://k.test?a=b",
    "'https://k.test/#'",
    "ftp://k.test",
    "k.test",
    "http://127.0.0.1.evil.test",
  ];
  for (const url of refused) expect([url, of(url)]).toEqual([url, 1]);
});

describe("links between connections", () => {
  const one = (id: string, integration: string, peer?: string): string =>
    `  - id: ${id}\n    integration: ${integration}\n${peer === undefined ? "" : `    peer_connection: ${peer}\n`}`;
  const all = (...parts: readonly string[]): string => `connections:\n${parts.join("")}`;

  test("put each connection after the one it needs", () => {
    const config = loadConfigText(
      all(one("a", "left", "b"), one("b", "right", "c"), one("c", "left")),
      "h.yaml",
      REGISTRY,
    );
    expect(config.connections.map(({ id }) => id)).toEqual(["c", "b", "a"]);
  });
  test("that dangle, point to another integration, to themselves or in a circle are problems", () => {
    expect(problems(all(one("a", "left", "gone")))).toEqual([
      "h.yaml:2: peer_connection names a connection that is not there or not in order: gone",
    ]);
    expect(problems(all(one("a", "left", "b"), one("b", "left")))).toEqual([
      "h.yaml:2: peer_connection needs a connection of right; b is of left",
    ]);
    expect(problems(all(one("a", "left", "a"))).join()).toContain("names its own connection");
    expect(problems(all(one("a", "left", "b"), one("b", "right", "a"))).join()).toContain("closes a circle");
  });
  test("an id is used once", () =>
    expect(problems(all(one("a", "left"), one("a", "left")))).toEqual(["h.yaml:4: the id a is used twice"]));
});

describe("secrets", () => {
  test("are read on every use", async () => {
    const path = join(folder, "secret");
    writeFileSync(path, "one\n \n");
    const secret = file(path);
    expect(await secret.read()).toBe("one");
    writeFileSync(path, "two");
    expect(await secret.read()).toBe("two");
  });
  test("that are unset or empty reject the credential", async () => {
    writeFileSync(join(folder, "blank"), " \n");
    for (const secret of [
      env("HALLPASS_NOT_SET"),
      file(join(folder, "blank")),
      file(join(folder, "none")),
      literal(""),
    ]) {
      expect(await secret.read().catch((error: Error) => error.message)).toStartWith("credential_rejected");
    }
  });
  test("cannot be printed or written out", () => {
    const secret = literal("hunter2");
    for (const text of [String(secret), inspect({ secret })]) expect(text).not.toContain("hunter2");
    expect(() => JSON.stringify({ secret })).toThrow(TypeError);
  });
  test("are references in a file, and need a usable name", () => {
    for (const reference of ["env:", "env:a b", "env:a=b", "file:relative", "literal:x", "x"]) {
      expect(problems(cluster().replace("env:K", `"${reference}"`)).length).toBe(1);
    }
  });
});

describe("connections in code", () => {
  const given = { id: "k", integration: "kubernetes", url: "https://k.test", credential: literal("x") };

  test("are checked by the same rules", () => {
    expect(loadConfigCode([{ ...given, add_authenticated_group: false }], REGISTRY)).toMatchObject({
      decisionLog: "none",
    });
    expect(() => loadConfigCode([given, { ...given, id: "l", colour: "red" }], REGISTRY)).toThrow(
      "<connections>:2: kubernetes has no key colour",
    );
    expect(() => loadConfigCode([], REGISTRY)).toThrow("there are no connections");
  });
  test("take a secret only where one belongs, and never one in the open", () => {
    expect(() => loadConfigCode([{ ...given, url: literal("https://k.test") }], REGISTRY)).toThrow(
      "url is not a secret",
    );
    expect(() => loadConfigCode([{ ...given, credential: "hunter2" }], REGISTRY)).toThrow(
      "credential must be env:NAME",
    );
  });
});

describe("templates and domains", () => {
  test("fill in the email and its halves", () => {
    const subject = { email: "dana@example.com", local: "dana", domain: "example.com" };
    expect(readTemplate("oidc:{local}.{domain}/{email}").render(subject)).toBe(
      "oidc:dana.example.com/dana@example.com",
    );
  });
  test("must name the person, with known placeholders and whole braces", () => {
    for (const source of ["static", "{user}", "{email", "email}", "{domain}", "{}{email}", "{{email}}"])
      expect(() => readTemplate(source)).toThrow();
  });
  test("domains are exact names", () => {
    expect([...readDomains(" Example.com, b.test ")]).toEqual(["example.com", "b.test"]);
    for (const source of ["", "a,,b", "*.a.test", "a_b", "-a.test", "a..b"])
      expect(() => readDomains(source)).toThrow();
  });
});

test("every integration that is built needs no network for it", () => {
  const config = loadConfigText(cluster(), "h.yaml", REGISTRY);
  const around = { clock: new TestClock(), log: new TestLog(), identityCacheSeconds: 900, env: {} };
  expect([...build(config.connections, around).keys()]).toEqual(["k"]);
});
