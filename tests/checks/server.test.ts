/** `hallpass serve` over real sockets. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { request as httpsRequest } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Hallpass } from "../../src/checks/index.ts";
import { hallpass } from "../support/hallpass.ts";
import { makePlaces } from "../support/places.ts";
import { waitFor } from "../support/wait.ts";
import { makeAuthority } from "./support/certificates.ts";
import { post, question, RawClient, send, serve, type Serving } from "./support/serving.ts";

const places = makePlaces();
const keyFile = join(places.root, "key");
const ANN = question("ann@example.com");
const BOB = question("bob@example.com");
let server: Serving;

beforeAll(async () => {
  writeFileSync(keyFile, "k2\n");
  const keys = ["api_key: env:KEY", `api_keys: ci=file:${keyFile}, agents=env:AGENTS`];
  const down =
    "  - {id: down, integration: kubernetes, url: 'http://127.0.0.1:1', credential: env:NOT_SET, timeout: 1s}";
  server = await serve(places, keys, { KEY: "k1", AGENTS: "k3" }, [down]);
});
afterAll(async () => {
  await server.stop();
  places[Symbol.dispose]();
});

describe("POST /check", () => {
  test("answers allow, deny and unknown with 200, as JSON that is not stored", async () => {
    const allow = await send(server.port, post(ANN));
    expect(allow).toMatchObject({
      status: 200,
      headers: { "content-type": "application/json", "cache-control": "no-store" },
      body: '{"decision":"allow","reason":"allowed: admins may write 1"}',
    });
    expect(JSON.parse((await send(server.port, post(BOB))).body)).toMatchObject({ decision: "deny" });
    const odd = await send(server.port, post(question("ann@example.com", { resource: "thing:a/b" })));
    expect([odd.status, odd.body]).toEqual([200, expect.stringContaining('"unknown","reason":"invalid_request')]);
  });

  test.each([
    ["a user of no form", question("ann"), "invalid_request"],
    ["another connection", question("a@b", { connection: "other" }), "unknown_connection"],
    ["another action", question("a@b", { action: "thing.read" }), "unknown_action"],
    ["no body", "", "invalid_request"],
    ["no JSON", "{", "invalid_request"],
    ["a list", "[]", "invalid_request"],
    ["trailing data", `${ANN}x`, "invalid_request"],
    ["a field twice", ANN.replace("{", '{"user":"x@y",'), "invalid_request"],
    ["a field twice with the same value", ANN.replace("{", '{"user":"ann@example.com",'), "invalid_request"],
    ["a field twice in another case", ANN.replace("{", '{"USER":"ann@example.com",'), "invalid_request"],
    ["a field twice, once escaped", ANN.replace("{", '{"\\u0075ser":"ann@example.com",'), "invalid_request"],
    ["a field it does not know", question("a@b", { role: "x" }), "invalid_request"],
    ["a folded field name", ANN.replace("user", "u\u017fer"), "invalid_request"],
    ["a number for a user", ANN.replace('"ann@example.com"', "1"), "invalid_request"],
    ["one group", question("a@b", { groups: "g" }), "invalid_request"],
    ["fresh as text", question("a@b", { fresh: "true" }), "invalid_request"],
  ])("answers 400 for %s", async (_, body, code) => {
    const answer = await send(server.port, post(body));
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({ decision: "unknown", reason: expect.stringContaining(code) });
  });

  test("takes field names in any case, null for absent, groups and fresh", async () => {
    const body = ANN.replace("user", "User").replace("{", '{"groups":null,"FRESH":true,');
    expect((await send(server.port, post(body))).status).toBe(200);
    expect((await send(server.port, post(question("ann@example.com", { groups: ["a", "b"] })))).status).toBe(200);
  });

  test.each([
    ["no key", null],
    ["a wrong key", "k4"],
    ["an empty key", ""],
  ])("answers 401 for %s", async (_, key) => {
    const answer = await send(server.port, post(ANN, key));
    expect(answer).toMatchObject({ status: 401, headers: { "www-authenticate": 'bearer realm="hallpass"' } });
    expect(answer.body).toContain('"unknown","reason":"unauthorized');
  });

  test("takes each of several keys, the scheme in any case, and a key that changed on disk", async () => {
    for (const key of ["k1", "k2", "k3"]) expect((await send(server.port, post(ANN, key))).status).toBe(200);
    expect((await send(server.port, post(ANN).replace("Bearer", "bEARER"))).status).toBe(200);
    writeFileSync(keyFile, "k5\n");
    expect((await send(server.port, post(ANN, "k5"))).status).toBe(200);
    expect((await send(server.port, post(ANN, "k2"))).status).toBe(401);
    writeFileSync(keyFile, "\n");
    expect((await send(server.port, post(ANN, ""))).status).toBe(401);
  });

  test("answers 413 for more than 64 KiB and ends the connection, whether or not the body came", async () => {
    for (const body of ["x".repeat(65 * 1024 + 1), ""]) {
      const client = new RawClient(server.port);
      client.write(post("x".repeat(65 * 1024 + 1)).replace(/x+$/, body));
      expect(await client.answer()).toMatchObject({ status: 413, headers: { connection: "close" } });
      await client.closed();
    }
    const padded = `${ANN}${" ".repeat(64 * 1024 - ANN.length)}`;
    expect((await send(server.port, post(padded))).status).toBe(200);
  });

  test("refuses two framings with 400 and long headers with 431, and ends the connection", async () => {
    const both = await send(server.port, post(ANN).replace("\r\n\r\n", "\r\nTransfer-Encoding: chunked\r\n\r\n"));
    expect([both.status, both.headers.connection]).toEqual([400, "close"]);
    expect((await send(server.port, post(ANN, "k1", "/check", [`X: ${"x".repeat(17_000)}`]))).status).toBe(431);
  });

  test("takes a chunked body, and tells a client that waits to go on", async () => {
    const head = "POST /check HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer k1\r\nTransfer-Encoding: chunked\r\n";
    const body = `${ANN.length.toString(16)}\r\n${ANN}\r\n0\r\n\r\n`;
    expect((await send(server.port, `${head}\r\n${body}`)).status).toBe(200);
    const client = new RawClient(server.port);
    client.write(`${head}Expect: 100-continue\r\n\r\n`);
    expect((await client.answer()).status).toBe(100);
    client.write(body);
    expect((await client.answer()).status).toBe(200);
    client.destroy();
  });
});

describe("other paths and methods", () => {
  test("GET /check is 405 with a decision, another path 404 in text, whatever the query", async () => {
    const get = await send(server.port, "GET /check HTTP/1.1\r\nHost: h\r\n\r\n");
    expect(get).toMatchObject({ status: 405, headers: { allow: "post" } });
    expect(get.body).toContain('"decision":"unknown"');
    const lost = await send(server.port, post(ANN, "k1", "/checks"));
    expect([lost.status, lost.headers["content-type"]]).toEqual([404, "text/plain; charset=utf-8"]);
    expect((await send(server.port, post(ANN, "k1", "/check?a=/healthz"))).status).toBe(200);
  });

  test("health needs no key", async () => {
    const get = await send(server.port, "GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n");
    expect([get.status, get.body]).toEqual([200, '{"status":"ok"}']);
    const head = await send(server.port, "HEAD /healthz HTTP/1.1\r\nHost: h\r\n\r\n", false);
    expect([head.status, head.headers["content-length"]]).toEqual([200, "15"]);
    expect((await send(server.port, post("", null, "/healthz"))).status).toBe(405);
  });

  test("a batch is answered in its order; one question that is off is an unknown, a body that is off a 400", async () => {
    const body = `{"checks":[${[ANN, BOB, question("no address"), ANN].join(",")}]}`;
    const answer = await send(server.port, post(body, "k1", "/check/batch"));
    const { decisions } = JSON.parse(answer.body) as { decisions: { decision: string }[] };
    expect([answer.status, ...decisions.map(({ decision }) => decision)]).toEqual([
      200,
      "allow",
      "deny",
      "unknown",
      "allow",
    ]);
    const twice = ANN.replace("{", '{"user":"ann@example.com",');
    for (const off of ['{"checks":[]}', `{"checks":[${ANN},${twice}]}`, `{"checks":[${ANN}],"checks":[]}`, ANN])
      expect((await send(server.port, post(off, "k1", "/check/batch"))).status).toBe(400);
    expect((await send(server.port, post(body, "no", "/check/batch"))).status).toBe(401);
  });

  test("metrics need a key, and count answers by connection and code", async () => {
    const get = (key: string): string => `GET /metrics HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${key}\r\n\r\n`;
    expect((await send(server.port, get("no"))).status).toBe(401);
    const { status, body } = await send(server.port, get("k1"));
    expect(status).toBe(200);
    expect(body).toMatch(
      /^hallpass_checks_total\{connection="things",decision="allow",code="allowed",cached="true"\} \d+$/m,
    );
    expect(body).toContain('hallpass_checks_total{connection="",decision="unknown",code="unknown_connection"');
    expect(body).toMatch(/^hallpass_check_seconds_bucket\{connection="things",le="\+Inf"\} \d+$/m);
    expect(body).toContain('hallpass_http_requests_total{route="other",status="413"}');
  });
});

describe("a connection", () => {
  test("is kept for further requests, also those sent ahead", async () => {
    const client = new RawClient(server.port);
    client.write(post(ANN) + post(BOB) + post(ANN));
    const bodies = [await client.answer(), await client.answer(), await client.answer()].map(({ body }) =>
      body.slice(13, 17),
    );
    expect(bodies).toEqual(["allo", "deny", "allo"]);
    client.write(post(ANN, "k1", "/check", ["Connection: close"]));
    expect((await client.answer()).headers.connection).toBe("close");
    await client.closed();
  });

  test("that sends no more is still answered", async () => {
    const client = new RawClient(server.port);
    client.write(post(ANN));
    client.halfClose();
    expect((await client.answer()).status).toBe(200);
    await client.closed();
  });

  test("whose headers do not come within 5 seconds is cut, however they trickle", async () => {
    const client = new RawClient(server.port);
    const began = performance.now();
    client.write("POST /check HTTP/1.1\r\nX: ");
    const drip = setInterval(() => client.write("x"), 200);
    await client.closed();
    clearInterval(drip);
    const seconds = (performance.now() - began) / 1000;
    expect([seconds > 4.5, seconds < 9]).toEqual([true, true]);
  }, 30_000);
});

test("the operator's log has a line a request and a warning for each connection that cannot be asked; no key is in it", async () => {
  await waitFor("the warning", () => server.lines().find(({ connection }) => connection === "down"));
  const lines = server.lines();
  expect(lines.some(({ message, status }) => message === "request" && status === 401)).toBe(true);
  expect(JSON.stringify(lines)).not.toMatch(/k1|k3|Bearer/);
});

test("a key that asks more than its rate gets 429 and when to come back; other keys do not suffer", async () => {
  const one = await serve(places, ["api_key: env:KEY", "api_keys: b=env:B", "rate_limit: 3", "metrics: open"], {
    KEY: "k1",
    B: "k2",
  });
  const answers = await Promise.all(Array.from({ length: 8 }, async () => await send(one.port, post(ANN))));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThanOrEqual(3);
  expect(refused[0]).toMatchObject({
    headers: { "retry-after": "1" },
    body: expect.stringContaining("upstream_rate_limited"),
  });
  expect((await send(one.port, post(ANN, "k2"))).status).toBe(200);
  const { body } = await send(one.port, "GET /metrics HTTP/1.1\r\nHost: h\r\n\r\n");
  expect(body).toContain(`hallpass_rate_limited_total{key="api_key"} ${refused.length}`);
  expect(await one.stop()).toBe(0);
});

test("TLS is spoken with a certificate, and the library's client verifies it", async () => {
  using authority = makeAuthority();
  const pair = authority.issue("IP:127.0.0.1,DNS:localhost");
  const [cert, key] = [join(places.root, "cert.pem"), join(places.root, "key.pem")];
  writeFileSync(cert, pair.cert);
  writeFileSync(key, pair.key);
  const one = await serve(places, ["api_key: env:KEY", `tls_cert_file: ${cert}`, `tls_key_file: ${key}`], {
    KEY: "k1",
  });
  const ca = await Bun.file(authority.caFile).text();
  const args = ["ann@example.com", "things", "thing.write", "thing:1"] as const;
  const url = `https://localhost:${one.port}`;
  expect(await Hallpass.remote({ url, apiKey: "k1", ca }).check(...args)).toMatchObject({
    decision: "allow",
    status: 200,
  });
  expect(await Hallpass.remote({ url, apiKey: "k1" }).check(...args)).toMatchObject({ code: "client_error" });
  const status = await new Promise((resolve, reject) => {
    const old = httpsRequest(
      { port: one.port, host: "127.0.0.1", ca, maxVersion: "TLSv1.1", path: "/healthz" },
      resolve,
    );
    old
      .on("error", () => resolve("refused"))
      .on("timeout", reject)
      .end();
  });
  expect(status).toBe("refused");
  expect(await one.stop()).toBe(0);
});

describe("a stop", () => {
  test("answers what was asked, takes nothing new, cuts idle connections, and ends with 0", async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let arrived = false;
    const cluster = createServer((request, response) => {
      request.resume();
      if (!request.url?.includes("subjectaccessreviews")) return void response.writeHead(404).end();
      arrived = request.headers.authorization === "Bearer t";
      void held.then(() => response.writeHead(201).end('{"status":{"allowed":true}}'));
    });
    await new Promise<void>((resolve) => cluster.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(cluster.address() as AddressInfo).port}`;
    const slow = `  - {id: slow, integration: kubernetes, url: '${url}', credential: env:T}`;
    const one = await serve(places, ["api_key: env:KEY"], { KEY: "k1", T: "t" }, [slow]);
    const [idle, busy] = [new RawClient(one.port), new RawClient(one.port)];
    idle.write(post(ANN));
    await idle.answer();
    busy.write(
      post(question("ann@example.com", { connection: "slow", action: "raw:get:pods", resource: "namespace:a" })),
    );
    await waitFor("the question at the cluster", () => arrived);
    const stopped = one.stop();
    await idle.closed();
    await waitFor("no new connection", async () => {
      const late = new RawClient(one.port);
      late.write(post(ANN));
      await late.closed().catch(() => {});
      return late.isClosed;
    });
    release();
    expect(await busy.answer()).toMatchObject({ status: 200, headers: { connection: "close" } });
    expect(await stopped).toBe(0);
    cluster.closeAllConnections();
    cluster.close();
  });

  test("that follows the start of the next server loses no answer", async () => {
    const start = async (port: number): Promise<Serving> =>
      await serve(places, ["api_key: env:KEY"], { KEY: "k1" }, [], ["-listen", `127.0.0.1:${port}`, "-reuse-port"]);
    let current = await start(0);
    const { port } = current;
    const client = Hallpass.remote({ url: `http://127.0.0.1:${port}`, apiKey: "k1" });
    const answers = new Map<string, number>();
    const over = new AbortController();
    const asking = Array.from({ length: 8 }, async () => {
      while (!over.signal.aborted) {
        const { reason } = await client.check("ann@example.com", "things", "thing.write", "thing:1");
        answers.set(reason, (answers.get(reason) ?? 0) + 1);
      }
    });
    for (let restart = 0; restart < 3; restart++) {
      const next = await start(port);
      expect(await current.stop()).toBe(0);
      current = next;
    }
    over.abort();
    await Promise.all(asking);
    client.close();
    await current.stop();
    expect([...answers.keys()]).toEqual(["allowed: admins may write 1"]);
  }, 30_000);

  test("by SIGINT is one too", async () => {
    const one = await serve(places, ["api_key: env:KEY"], { KEY: "k1" });
    expect(await one.stop("SIGINT")).toBe(0);
    expect(one.lines().map(({ message }) => message)).toEqual(["listening", "stopping", "stopped"]);
  });
});

test.each([
  ["a key that is not set", "api_key: env:NOT_SET", "api_key is not set"],
  ["no key", "listen: :0", "serve needs an api_key"],
  ["half of TLS", "api_key: env:KEY\ntls_cert_file: /x", "go together"],
  ["two keys of one name", "api_key: env:KEY\napi_keys: a=env:A, a=env:B", "twice"],
  ["a key in the open", "api_key: env:KEY\napi_keys: a=secret", "NAME=env:NAME"],
  ["an address that is none", "api_key: env:KEY\nlisten: nowhere", "HOST:PORT"],
  ["metrics of another kind", "api_key: env:KEY\nmetrics: all", "key, open, off"],
])("it does not start with %s", async (_, top, message) => {
  const file = join(places.root, "odd.yaml");
  writeFileSync(file, `${top}\nconnections:\n  - {id: things, integration: fake}\n`);
  const { status, stderr } = await hallpass(places, ["serve", "--config", file], { env: { KEY: "k" } });
  expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
});
