import { afterEach, describe, expect, test } from "bun:test";
import { loadConfigCode, type Config, type Registry } from "../../src/checks/config/config.ts";
import { allowed, denied, Stop, stop, userNotFound, type Finding } from "../../src/checks/codes.ts";
import type { Call } from "../../src/checks/call.ts";
import { key, type ConfigOf } from "../../src/checks/config/keys.ts";
import { Engine } from "../../src/checks/engine.ts";
import type { Api } from "../../src/checks/http/api.ts";
import { defineIntegration, type Action, type Connection, type Parts } from "../../src/checks/integration.ts";
import type { Subject } from "../../src/checks/question.ts";
import { anything, record, text } from "../../src/checks/shared/fields.ts";
import { logWrite } from "../../src/checks/write-line.ts";
import { TestClock } from "./support/clock.ts";
import { FakeServer } from "./support/fake-server.ts";
import { TestLog } from "./support/log.ts";

/** Reads the person and the answer from a server; what it does beyond that is up to each test. */
class Subjectable implements Connection<{ name: string }, string> {
  readonly base: URL;
  readonly api: Api;
  /** In the stead of reading the answer. */
  static decides: ((call: Call) => Promise<unknown>) | undefined;

  constructor(
    { url }: ConfigOf<typeof keys>,
    readonly parts: Parts,
  ) {
    this.base = url;
    this.api = parts.api({ base: url });
  }
  prepare(_action: Action, resource: { id: string }): string {
    if (resource.id === "bad") throw stop("invalid_request", "bad");
    return resource.id;
  }
  async identify({ email }: Subject, call: Call): Promise<{ name: string }> {
    const { name } = await this.api.read(record({ name: text }), call, "/user", { query: { email } });
    if (name === "") throw new Stop(userNotFound());
    if (name === "twins") throw stop("user_ambiguous");
    return { name };
  }
  async decide({ name }: { name: string }, id: string, call: Call): Promise<Finding> {
    if (Subjectable.decides !== undefined) return (await Subjectable.decides(call)) as Finding;
    const { may } = await this.api.read(record({ may: text }), call, "/may", { query: { name, id } });
    return may === "yes" ? allowed() : may === "no" ? denied("no") : stop("unsupported", "?").finding;
  }
  async probe(call: Call) {
    await this.api.read(anything, call, "/probe");
    return { summary: "fine", warnings: [] };
  }
}

const keys = { url: key.url({ about: "where", required: true }) };
const system = defineIntegration({
  name: "system",
  about: "a system",
  keys,
  actions: [{ name: "do", resources: ["thing"], about: "do it" }],
  patterns: [
    {
      form: "raw:<x>",
      about: "any",
      match: (name) => (name.startsWith("raw:") ? { name, resources: ["thing"], about: "" } : undefined),
    },
  ],
  connect: (config: ConfigOf<typeof keys>, parts: Parts) => new Subjectable(config, parts),
});
const REGISTRY: Registry = new Map([["system", system]]);

const closers: (() => unknown)[] = [];
afterEach(async () => {
  Subjectable.decides = undefined;
  for (const close of closers.splice(0)) await close();
});

async function setUp(settings: Partial<Config> = {}) {
  const state = { may: "yes", name: "dana" };
  const fake = await FakeServer.start([
    {
      on: "GET /user",
      query: ["email"],
      answer: () => ({ status: 200, headers: { etag: '"u1"' }, body: { name: state.name } }),
    },
    { on: "GET /may", query: ["name", "id"], answer: () => ({ status: 200, body: { may: state.may } }) },
    { on: "GET /probe", answer: () => ({ status: 200, body: {} }) },
  ]);
  const [clock, log, lines] = [new TestClock(), new TestLog(), [] as Record<string, unknown>[]];
  fake.onHang = () => clock.advance(60_000);
  const config = {
    ...loadConfigCode(
      [
        { id: "s", integration: "system", url: fake.url },
        { id: "other", integration: "system", url: fake.url },
      ],
      REGISTRY,
    ),
    ...settings,
  };
  const decisionLog = {
    write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>),
    close: () => {},
  };
  const engine = new Engine(config, { clock, log, decisionLog, env: {} });
  closers.push(async () => (engine.close(), await fake.close()));
  const question = { user: "dana@example.com", connection: "s", action: "do", resource: "thing:1" };
  const ask = async (change: object = {}) => await engine.check({ ...question, ...change });
  return { state, fake, clock, log, lines, engine, question, ask };
}

describe("a question", () => {
  test("is answered by the system it is about", async () => {
    const { state, ask } = await setUp();
    expect(await ask()).toEqual({
      decision: "allow",
      reason: "allowed",
      code: "allowed",
      allowed: true,
      status: 200,
      cached: false,
    });
    state.may = "no";
    expect(await ask({ resource: "thing:2" })).toMatchObject({
      decision: "deny",
      reason: "denied: no",
      allowed: false,
    });
  });

  test("that is off is refused with status 400 and no call", async () => {
    const { fake, ask } = await setUp();
    const refused = { user: "a", groups: [""], connection: "", action: "a b", resource: "" };
    for (const [name, value] of Object.entries(refused)) {
      expect([name, await ask({ [name]: value })]).toMatchObject([
        name,
        { code: "invalid_request", status: 400, decision: "unknown" },
      ]);
    }
    expect(await ask({ connection: "none" })).toMatchObject({ code: "unknown_connection", status: 400 });
    expect(await ask({ action: "dance" })).toMatchObject({ code: "unknown_action", status: 400 });
    expect(fake.calls).toEqual([]);
  });

  test("is checked in all its parts before its connection is looked for", async () => {
    const { ask } = await setUp();
    expect(await ask({ connection: "none", resource: "" })).toMatchObject({ code: "invalid_request" });
  });

  test("that only the integration finds off is unknown with status 200 and no call", async () => {
    const { fake, ask } = await setUp();
    for (const resource of ["thing:bad", "Zebra:1".toLowerCase()]) {
      expect(await ask({ resource })).toMatchObject({ code: "invalid_request", status: 200 });
    }
    expect(fake.calls).toEqual([]);
  });

  test("may name an action of a family", async () => {
    const { ask } = await setUp();
    expect(await ask({ action: "raw:anything" })).toMatchObject({ code: "allowed" });
  });
});

describe("a bug", () => {
  const bugs: Record<string, () => Promise<unknown>> = {
    "a plain error": async () => await Promise.reject(new Error("CANARY")),
    "something that is no error": async () => await Promise.reject("CANARY"),
    "a TypeError": async () => (undefined as unknown as { a: { b: unknown } }).a.b,
  };
  for (const [name, bug] of Object.entries(bugs)) {
    test(`that throws ${name} is upstream_error, logged without its message`, async () => {
      const { log, ask } = await setUp();
      Subjectable.decides = bug;
      expect(await ask()).toMatchObject({ decision: "unknown", code: "upstream_error", status: 200 });
      expect(log.at("error").length).toBe(1);
      expect(JSON.stringify(log.lines)).not.toContain("CANARY");
    });
  }
  test("that gives no code, or one with another outcome, never allows", async () => {
    const { ask } = await setUp();
    Subjectable.decides = async () => ({ decision: "allow", allowed: true });
    expect(await ask()).toMatchObject({ code: "unsupported" });
    Subjectable.decides = async () => ({ code: "denied", text: "", outcome: "allow", decision: "allow" });
    expect(await ask({ resource: "thing:2" })).toMatchObject({ decision: "deny" });
  });
  test("in the decision log does not fail the check", async () => {
    const { engine, log, question } = await setUp();
    Object.assign(engine, {
      decisionLog: {
        write: () => {
          throw new Error("disk full");
        },
        close: () => {},
      },
    });
    expect(await engine.check(question)).toMatchObject({ code: "allowed" });
    expect(log.at("error").length).toBe(1);
  });
});

describe("the caches", () => {
  test("answer the same question for 30 s with no call, and the evidence says so", async () => {
    const { clock, fake, lines, ask } = await setUp();
    await ask();
    fake.forget();
    clock.advance(29_999);
    expect(await ask()).toMatchObject({ cached: true, code: "allowed" });
    expect(fake.calls).toEqual([]);
    expect(lines.at(-1)).toMatchObject({
      cached: true,
      evidence: {
        upstream: [
          { path: "/user", cached: true },
          { path: "/may", cached: true },
        ],
      },
    });
    clock.advance(1);
    expect(await ask()).toMatchObject({ cached: false });
  });

  test("keep the person longer than the answer", async () => {
    const { clock, fake, ask } = await setUp();
    await ask();
    fake.forget();
    clock.advance(30_000);
    await ask();
    expect(fake.calls).toEqual(["GET /may"]);
    clock.advance(870_000);
    fake.forget();
    await ask();
    expect(fake.calls).toEqual(["GET /user", "GET /may"]);
  });

  test("tell apart users, groups, actions, resources and connections", async () => {
    const { fake, ask } = await setUp();
    await ask();
    for (const change of [
      { user: "bo@example.com" },
      { groups: ["g"] },
      { groups: ["g", "h"] },
      { action: "raw:x" },
      { resource: "thing:1?" },
      { connection: "other" },
    ]) {
      fake.forget();
      expect([change, await ask(change)]).toMatchObject([change, { cached: false }]);
      expect(fake.calls).toContain("GET /may");
    }
  });

  test("never keep an unknown", async () => {
    const { state, fake, ask } = await setUp();
    state.may = "?";
    await ask();
    fake.forget();
    expect(await ask()).toMatchObject({ code: "unsupported", cached: false });
    expect(fake.calls).toEqual(["GET /may"]);
  });

  test("keep for 60 s that there is no account, or more than one", async () => {
    for (const [name, code] of [
      ["", "user_not_found"],
      ["twins", "user_ambiguous"],
    ] as const) {
      const { state, fake, clock, ask } = await setUp({ decisionCacheSeconds: 0 });
      state.name = name;
      expect(await ask()).toMatchObject({ code });
      fake.forget();
      clock.advance(59_999);
      expect(await ask()).toMatchObject({ code });
      expect(fake.calls).toEqual([]);
      clock.advance(1);
      await ask();
      expect(fake.calls).toEqual(["GET /user"]);
    }
  });

  test("are off at 0 seconds", async () => {
    const { fake, ask } = await setUp({ decisionCacheSeconds: 0, identityCacheSeconds: 0 });
    await ask();
    await ask();
    expect(fake.calls).toEqual(["GET /user", "GET /may", "GET /user", "GET /may"]);
  });

  test("look up a person once for two checks at a time", async () => {
    const { fake, lines, ask } = await setUp();
    await Promise.all([ask(), ask({ resource: "thing:2" })]);
    expect(fake.calls.filter((call) => call === "GET /user").length).toBe(1);
    const shared = lines.filter((line) => JSON.stringify(line).includes('"shared":true'));
    expect([lines.length, shared.length]).toEqual([2, 1]);
  });

  test("are passed by a fresh question, which leaves its answer for the next", async () => {
    const { state, clock, fake, ask } = await setUp();
    await ask();
    clock.advance(1_000);
    state.may = "no";
    fake.forget();
    expect(await ask({ fresh: true })).toMatchObject({ code: "denied", cached: false });
    expect(fake.calls).toEqual(["GET /user", "GET /may"]);
    fake.forget();
    expect(await ask()).toMatchObject({ code: "denied", cached: true });
    expect(fake.calls).toEqual([]);
  });
});

describe("time", () => {
  test("is shared by the person's lookup and the check: 8 s for both", async () => {
    const { fake, clock, ask } = await setUp();
    fake.fault = ({ path }) => (path === "/user" ? (reply) => (clock.advance(7_000), reply) : "hang");
    fake.onHang = () => clock.advance(1_000);
    expect(await ask()).toMatchObject({ code: "upstream_timeout" });
    expect(clock.ticks()).toBe(8_000);
  });

  test("of a caller that goes away ends its waiting, not the work that others wait for", async () => {
    const { engine, question } = await setUp();
    const gone = new AbortController();
    const [first, second] = [engine.check(question, { signal: gone.signal }), engine.check(question)];
    gone.abort(new Error("gone"));
    expect(await first.catch((error: Error) => error.message)).toBe("gone");
    expect(await second).toMatchObject({ code: "allowed" });
  });

  test("to probe is twice the timeout", async () => {
    const { engine, fake, clock } = await setUp();
    expect(await engine.probe()).toEqual(["s", "other"].map((id) => ({ id, ok: true, summary: "fine", warnings: [] })));
    fake.fault = () => "hang";
    fake.onHang = () => clock.advance(8_000);
    expect(await engine.probe("s")).toMatchObject([{ id: "s", ok: false }]);
  });
});

describe("the decision log", () => {
  test("has one line a check, with the calls it rests on", async () => {
    const { engine, lines, question } = await setUp();
    await engine.check({ ...question, groups: ["g"], fresh: true }, { remote: "10.0.0.1" });
    expect(lines).toEqual([
      {
        time: "2026-01-01T00:00:00.000Z",
        connection: "s",
        user: "dana@example.com",
        groups: ["g"],
        action: "do",
        resource: "thing:1",
        decision: "allow",
        code: "allowed",
        reason: "",
        cached: false,
        fresh: true,
        duration_ms: 0,
        status: 200,
        remote: "10.0.0.1",
        evidence: {
          upstream: [
            { method: "GET", path: "/user", status: 200, etag: '"u1"' },
            { method: "GET", path: "/may", status: 200, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown },
          ],
        },
      },
    ]);
  });
  test("has refused questions too, without evidence, groups and fresh", async () => {
    const { lines, ask } = await setUp();
    await ask({ user: "a" });
    expect(lines).toMatchObject([{ code: "invalid_request", status: 400, remote: "in-process", decision: "unknown" }]);
    for (const name of ["evidence", "groups", "fresh"]) expect(lines[0]).not.toHaveProperty(name);
  });
});

test("a write that ran is one line that says who, what, and when it was checked", async () => {
  const { log, question, ask } = await setUp();
  const decision = await ask();
  logWrite(log, { ...question, fresh: true }, decision, { how: "raised", error: "TypeError" }, Date.UTC(2026, 0, 1));
  expect(log.at("info").map(({ message }) => message)).toEqual([
    "dana@example.com raised TypeError from do on thing:1 at s: allow (allowed), checked 2026-01-01T00:00:00.000Z, fresh; the check and the write were not one step",
  ]);
});

test("only the connection asked for is built, with those it links to", () => {
  const config = loadConfigCode(
    ["a", "b"].map((id) => ({ id, integration: "system", url: "https://s.test" })),
    REGISTRY,
  );
  expect(new Engine(config, { connection: "b" }).connections).toEqual(["b"]);
});
