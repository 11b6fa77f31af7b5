/** The library as an application uses it: in this process, and against a server over a real socket. */
import { AsyncLocalStorage } from "node:async_hooks";
import { afterAll, describe, expect, test } from "bun:test";
import { createServer, type RequestListener } from "node:http";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigError, GuardError, guarded, Hallpass, literal, PermissionDenied } from "../../src/checks/index.ts";
import { TestLog } from "./support/log.ts";

const folder = mkdtempSync(join(tmpdir(), "hallpass-client-"));
afterAll(() => rmSync(folder, { recursive: true }));

const THINGS = { id: "things", integration: "fake", users: "bob@example.com", admins: "ann@example.com" };
const ANN = ["ann@example.com", "things", "thing.write", "thing:1"] as const;
const BOB = ["bob@example.com", "things", "thing.write", "thing:1"] as const;

function things(log = new TestLog()): Hallpass {
  return Hallpass.connect([THINGS], { log });
}

const thrown = async (work: Promise<unknown>): Promise<unknown> => await work.catch((error: unknown) => error);

describe("checks in this process", () => {
  test("answer allow, deny and unknown, with connections in code", async () => {
    const hallpass = things();
    expect(await hallpass.check(...ANN)).toMatchObject({
      decision: "allow",
      code: "allowed",
      allowed: true,
      status: 200,
    });
    expect(await hallpass.check(...BOB)).toMatchObject({ decision: "deny", code: "denied", allowed: false });
    expect(await hallpass.check(ANN[0], "other", ANN[2], ANN[3])).toMatchObject({
      code: "unknown_connection",
      status: 400,
    });
    expect(await hallpass.check("no address", ...(BOB.slice(1) as [string, string, string]))).toMatchObject({
      code: "invalid_request",
    });
    expect([hallpass.local, hallpass.connections()]).toEqual([true, ["things"]]);
    expect(await hallpass.probe()).toMatchObject([{ id: "things", ok: true }]);
  });

  test("take their connections from a file", async () => {
    const path = join(folder, "hallpass.yaml");
    writeFileSync(
      path,
      "decision_log: none\nconnections:\n  - {id: things, integration: fake, admins: ann@example.com}\n",
    );
    expect(await Hallpass.fromConfig(path).allowed(...ANN)).toBe(true);
    writeFileSync(path, "connections: []\n");
    expect(() => Hallpass.fromConfig(path)).toThrow(ConfigError);
    expect(() => Hallpass.connect([])).toThrow("there are no connections");
  });

  test("require gives the decision or throws what names all of it", async () => {
    expect((await things().require(...ANN)).code).toBe("allowed");
    const refusal = await things()
      .require(...BOB)
      .catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(PermissionDenied);
    expect(refusal).toMatchObject({ user: BOB[0], connection: "things", action: BOB[2], resource: BOB[3] });
    for (const part of BOB) expect((refusal as Error).message).toContain(part);
  });

  test.each([
    ["a user that is no string", [1, "things", "a", "b:c"]],
    ["groups as one string", [...ANN, "admins"]],
    ["fresh in the place of groups", [...ANN, true]],
    ["a group that is no string", [...ANN, { groups: [1] }]],
    ["an option that is not there", [...ANN, { frsh: true }]],
    ["fresh as a text", [...ANN, { fresh: "true" }]],
  ])("%s is a TypeError", async (_, args) => {
    const check = things().check.bind(things()) as (...args: unknown[]) => Promise<unknown>;
    const error = await thrown(check(...args));
    expect(error).toBeInstanceOf(TypeError);
  });

  test("groups and fresh are given in an object, or one after the other", async () => {
    expect(await things().allowed(...ANN, { groups: ["g"], fresh: true })).toBe(true);
    expect(await things().allowed(...ANN, ["g"], true)).toBe(true);
  });
});

describe("a guarded function", () => {
  const write = async function writeThing(
    { id }: { id: string | number; user?: string },
    extra?: string,
  ): Promise<string> {
    return `wrote ${id}${extra ?? ""}`;
  };

  test("runs when the person may, with all its arguments and its name, and one line is logged", async () => {
    const log = new TestLog();
    const guardedWrite = things(log).guarded("things", "thing.write", "thing:{id}", { user: ANN[0] })(write);
    expect([guardedWrite.name, await guardedWrite({ id: 7 }, "!")]).toEqual(["writeThing", "wrote 7!"]);
    expect(log.at("info").map(({ message }) => message)).toEqual([
      expect.stringMatching(/^ann@example.com ran thing.write on thing:7 at things: allow \(.*\), checked \d{4}-.*Z; /),
    ]);
  });

  test("does not run when the person may not, and the user among its arguments changes nothing", async () => {
    const log = new TestLog();
    let ran = 0;
    const one = guarded(things(log), "things", "thing.write", "thing:{id}", { user: () => BOB[0] })((args: object) => [
      args,
      ran++,
    ]);
    const refusal = await one({ id: "7", user: ANN[0] }).catch((error: unknown) => error);
    expect([refusal instanceof PermissionDenied, ran, log.at("info")]).toEqual([true, 0, []]);
  });

  test("gives what deny makes of the refusal", async () => {
    const deny = (refusal: PermissionDenied): string => `no: ${refusal.decision.code}`;
    const one = things().guarded("things", "thing.write", "thing:{id}", { user: BOB[0], deny })(write);
    expect(await one({ id: "7" })).toBe("no: denied");
  });

  test("takes the person from a context variable on every call; an unset one is an error", async () => {
    const current = new AsyncLocalStorage<string>();
    const one = things().guarded("things", "thing.write", "thing:{id}", { user: current })(write);
    expect(await current.run(ANN[0], async () => await one({ id: "7" }))).toBe("wrote 7");
    expect(await thrown(current.run(BOB[0], async () => await one({ id: "7" })))).toBeInstanceOf(PermissionDenied);
    expect(await thrown(one({ id: "7" }))).toBeInstanceOf(GuardError);
  });

  test.each([
    ["no argument", undefined],
    ["another type", { id: true }],
    ["half a number", { id: 1.5 }],
    ["an empty text", { id: "" }],
    ["a ?, which begins parameters", { id: "1?x=2" }],
    ["a field that is not its own", Object.create({ id: "1" })],
  ])("asks and runs nothing with %s", async (_, args) => {
    let ran = 0;
    const one = things().guarded("things", "thing.write", "thing:{id}", { user: ANN[0] })((given: unknown) => [
      given,
      ran++,
    ]);
    expect(await one(args).catch((error: unknown) => error)).toBeInstanceOf(GuardError);
    expect(ran).toBe(0);
  });

  test("does not run when its groups cannot be found, or its arguments changed meanwhile", async () => {
    const args = { id: "7" };
    const lost = things().guarded("things", "thing.write", "thing:{id}", { user: ANN[0], groups: () => "g" as never })(
      write,
    );
    expect(await thrown(lost(args))).toBeInstanceOf(GuardError);
    const raced = things().guarded("things", "thing.write", "thing:{id}", { user: ANN[0] })(write);
    const running = raced(args).catch((error: unknown) => error);
    args.id = "8";
    expect(await running).toBeInstanceOf(GuardError);
  });

  test("has a template of plain names", () => {
    const make = (resource: string) => () => things().guarded("things", "thing.write", resource, { user: ANN[0] });
    for (const resource of ["", "a:{", "a:{b.c}", "a:{0}", "a:{}", "a:}"]) expect(make(resource)).toThrow(TypeError);
  });

  test("escapes what goes into a parameter, and keeps a value from moving the border at @", async () => {
    const hallpass = things();
    const seen: string[] = [];
    const options = { user: ANN[0], deny: ({ resource }: PermissionDenied) => void seen.push(resource) };
    await hallpass.guarded("things", "no.such", "thing:{a}?b={b}", options)((args: object) => args)({
      a: "x",
      b: "1&c=2",
    });
    expect(seen).toEqual(["thing:x?b=1%26c%3D2"]);
    const branch = hallpass.guarded("things", "no.such", "repo:{r}@{b}", options)((args: object) => args);
    expect(await thrown(branch({ r: "o/r", b: "x@main" }))).toBeInstanceOf(GuardError);
  });
});

describe("a remote client", () => {
  async function against(listener: RequestListener, use: (hallpass: Hallpass) => Promise<void>): Promise<void> {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const hallpass = Hallpass.remote({ url: `http://127.0.0.1:${port}/`, apiKey: literal("k"), timeoutMs: 5_000 });
    await use(hallpass).finally(() => (hallpass.close(), server.closeAllConnections(), server.close()));
  }

  const answers =
    (status: number, body: string, headers = {}): RequestListener =>
    (request, response) => {
      request.resume();
      response.writeHead(status, headers).end(body);
    };

  test("sends the question and the key, and `fresh` only when it is wanted", async () => {
    const bodies: unknown[] = [];
    const listener: RequestListener = (request, response) => {
      let text = `${request.method} ${request.url} ${request.headers.authorization} `;
      request.on("data", (chunk) => (text += String(chunk)));
      request.on("end", () => (bodies.push(text), response.end('{"decision":"allow","reason":"allowed: yes"}')));
    };
    await against(listener, async (hallpass) => {
      expect(await hallpass.check(...ANN)).toMatchObject({
        decision: "allow",
        code: "allowed",
        reason: "allowed: yes",
        status: 200,
      });
      await hallpass.check(...ANN, { groups: ["g"], fresh: true });
      expect(hallpass.local).toBe(false);
    });
    const base = '"connection":"things","action":"thing.write","resource":"thing:1"';
    expect(bodies).toEqual([
      `POST /check Bearer k {"user":"ann@example.com",${base}}`,
      `POST /check Bearer k {"user":"ann@example.com","groups":["g"],${base},"fresh":true}`,
    ]);
  });

  test.each([
    ["a redirect", answers(302, "", { location: "/check" })],
    ["HTML", answers(400, "<html>")],
    ["an allow with another status", answers(400, '{"decision":"allow","reason":"allowed"}')],
    ["no decision", answers(200, "{}")],
    ["a decision of no kind", answers(200, '{"decision":"maybe","reason":"allowed"}')],
    ["a decision that its code denies", answers(200, '{"decision":"allow","reason":"denied: no"}')],
    ["more than a megabyte", answers(200, `{"decision":"allow","reason":"allowed: ${"x".repeat(1 << 20)}"}`)],
    ["a broken connection", (request) => request.socket.destroy()],
    ["a failing server that allows", answers(500, '{"decision":"allow","reason":"allowed"}')],
    ["a gateway's page", answers(502, "<html>")],
  ] as [string, RequestListener][])("takes %s for an unknown", async (_, listener) => {
    await against(listener, async (hallpass) => {
      expect(await hallpass.check(...ANN)).toMatchObject({ decision: "unknown", code: "client_error", allowed: false });
    });
  });

  test("passes a server's refusals on", async () => {
    await against(answers(401, '{"decision":"unknown","reason":"unauthorized: no"}'), async (hallpass) => {
      expect(await hallpass.check(...ANN)).toMatchObject({ decision: "unknown", code: "unauthorized", status: 401 });
    });
  });

  test("takes a server that is not there for an unknown", async () => {
    const hallpass = Hallpass.remote({ url: "http://127.0.0.1:1", apiKey: "k", timeoutMs: 3_000 });
    expect(await hallpass.check(...ANN)).toMatchObject({ code: "client_error", status: 0 });
  });

  test.each(["http://example.com", "https://a b", "https://u@example.com", "https://example.com?x", "nonsense"])(
    "does not take the address %s",
    (url) => expect(() => Hallpass.remote({ url, apiKey: "k" })).toThrow(TypeError),
  );

  test("needs a key", () => {
    expect(() => Hallpass.remote({ url: "https://example.com", apiKey: "" })).toThrow("API key");
  });
});

test.skipIf(Bun.which("node") === null)('`import { Hallpass } from "hallpass"` works on Node', () => {
  const script = `import { Hallpass } from "hallpass";
    const hallpass = Hallpass.connect([${JSON.stringify(THINGS)}]);
    console.log((await hallpass.check(${ANN.map((part) => JSON.stringify(part)).join(", ")})).decision);`;
  const node = Bun.spawnSync(["node", "--input-type=module", "-e", script], { cwd: join(import.meta.dir, "../..") });
  expect([node.stderr.toString(), node.stdout.toString().trim()]).toEqual(["", "allow"]);
});
