import { afterEach, describe, expect, test } from "bun:test";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { Call } from "../../src/checks/call.ts";
import { Stop, unknown } from "../../src/checks/codes.ts";
import { literal } from "../../src/checks/config/secret.ts";
import { Api, type ApiOptions } from "../../src/checks/http/api.ts";
import { nextPath, path, queryText } from "../../src/checks/http/path.ts";
import { proxyFor, proxyRules } from "../../src/checks/http/proxy.ts";
import { readJson } from "../../src/checks/http/reply.ts";
import { pauseBefore } from "../../src/checks/http/retry.ts";
import { Transport, type TransportSettings } from "../../src/checks/http/transport.ts";
import { bearer } from "../../src/checks/shared/credential.ts";
import { idNumber, list, maybe, maybeFlag, record, reported, text, whole } from "../../src/checks/shared/fields.ts";
import { allPages, linkNext, pages } from "../../src/checks/shared/paging.ts";
import { Tokens } from "../../src/checks/shared/tokens.ts";
import { TestClock } from "./support/clock.ts";
import { FakeServer, type FakeReply, type Fault, type Route } from "./support/fake-server.ts";
import { TestLog } from "./support/log.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const none: TransportSettings["proxies"] = { none: [] };

async function setUp(
  routes: readonly Route[],
  options: Partial<ApiOptions> = {},
  settings: Partial<TransportSettings> = {},
) {
  const fake = await FakeServer.start(routes);
  const clock = new TestClock();
  const log = new TestLog();
  const transport = new Transport({ clock, log, timeoutMs: 8_000, tls: {}, proxies: none, ...settings });
  const api = new Api(transport, { base: new URL(fake.url), ...options });
  const call = new Call(clock, false, 8_000);
  fake.onHang = () => clock.advance(60_000);
  closers.push(
    () => transport.close(),
    async () => await fake.close(),
  );
  return { fake, clock, log, api, call };
}

const codeOf = async (work: Promise<unknown>): Promise<string> =>
  await work.then(
    () => "answered",
    (error: unknown) => (error instanceof Stop ? error.finding.code : String(error)),
  );

/** A route that answers each of these in turn, then the last again. */
function inTurn(on: string, ...replies: readonly FakeReply[]): Route {
  let count = 0;
  return { on, body: "text", answer: () => replies[Math.min(count++, replies.length - 1)] ?? { status: 500 } };
}

const good: FakeReply = { status: 200, body: { ok: true } };

describe("statuses", () => {
  const meanings: Record<number, string> = {
    201: "answered",
    302: "upstream_error",
    400: "upstream_error",
    401: "credential_rejected",
    403: "upstream_error",
    404: "upstream_error",
    429: "upstream_rate_limited",
    500: "upstream_error",
  };
  for (const [status, code] of Object.entries(meanings)) {
    test(`${status} is ${code}`, async () => {
      const { api, call } = await setUp([
        inTurn("GET /a", { status: Number(status), headers: { location: "/b", "retry-after": "60" } }),
      ]);
      expect(await codeOf(api.get(call, "/a"))).toBe(code);
    });
  }
  test("that a request expects are answers", async () => {
    const { api, call } = await setUp([inTurn("GET /a", { status: 404, body: {} })]);
    expect((await api.get(call, "/a", { expect: [404] })).status).toBe(404);
    expect(await api.find(record({}), call, "/a")).toBeUndefined();
  });
  test("mean what the vendor says they mean", async () => {
    const refusal = ({ status }: { status: number }) => (status === 403 ? unknown("unsupported", "x") : undefined);
    const { api, call } = await setUp([inTurn("GET /a", { status: 403 }), inTurn("GET /b", { status: 400 })], {
      refusal,
    });
    expect(await codeOf(api.get(call, "/a"))).toBe("unsupported");
    expect(await codeOf(api.get(call, "/b"))).toBe("upstream_error");
  });
});

describe("tries", () => {
  test("are three for a GET that meets 502, 503, 504 or 429", async () => {
    for (const status of [502, 503, 504, 429]) {
      const { fake, api, call } = await setUp([inTurn("GET /a", { status }, { status }, good)]);
      expect((await api.get(call, "/a")).status).toBe(200);
      expect(fake.calls.length).toBe(3);
    }
  });
  test("end after the third", async () => {
    const { fake, api, call } = await setUp([inTurn("GET /a", { status: 503 })]);
    expect(await codeOf(api.get(call, "/a"))).toBe("upstream_error");
    expect(fake.calls.length).toBe(3);
  });
  test("are one for a POST, unless it says that it changes nothing", async () => {
    const { fake, api, call } = await setUp([inTurn("POST /a", { status: 503 }, good)]);
    expect(await codeOf(api.post(call, "/a", { json: {} }))).toBe("upstream_error");
    fake.forget();
    expect(await codeOf(api.post(call, "/a", { json: {}, idempotent: true }))).toBe("answered");
  });
  test("are made again after a reset, never after a time-out", async () => {
    for (const [fault, calls, code] of [
      ["reset", 2, "answered"],
      ["hang", 1, "upstream_timeout"],
    ] as [Fault, number, string][]) {
      const { fake, api, call } = await setUp([inTurn("GET /a", good)]);
      let count = 0;
      fake.fault = () => (count++ === 0 ? fault : undefined);
      expect(await codeOf(api.get(call, "/a"))).toBe(code);
      expect(fake.calls.length).toBe(calls);
    }
  });
  test("wait as long as Retry-After says, and are given up when that is over 5 s", async () => {
    const asked = async (after: string): Promise<[number, number]> => {
      const { fake, clock, api, call } = await setUp([
        inTurn("GET /a", { status: 429, headers: { "retry-after": after } }, good),
      ]);
      await codeOf(api.get(call, "/a"));
      return [fake.calls.length, clock.ticks()];
    };
    expect(await asked("3")).toEqual([2, 3_000]);
    expect(await asked(new Date(new TestClock().now() + 4_000).toUTCString())).toEqual([2, 4_000]);
    expect(await asked("6")).toEqual([1, 0]);
  });
  test("are given up where the pause would end after the deadline", async () => {
    const { fake, clock, api } = await setUp([
      inTurn("GET /a", { status: 429, headers: { "retry-after": "3" } }, good),
    ]);
    expect(await codeOf(api.get(new Call(clock, false, 2_000), "/a"))).toBe("upstream_rate_limited");
    expect(fake.calls.length).toBe(1);
  });
  test("wait 0.2·2ⁿ s, at most 2 s, half of it random", () => {
    const clock = new TestClock();
    for (const [n, most] of [
      [0, 200],
      [1, 400],
      [2, 800],
      [9, 2_000],
    ] as const) {
      const pause = pauseBefore(n, undefined, clock) ?? Number.NaN;
      expect(pause).toBeGreaterThanOrEqual(most / 2);
      expect(pause).toBeLessThanOrEqual(most);
    }
  });
  test("read the secret anew each time", async () => {
    const values = ["one", "two"];
    const secret = literal("");
    secret.read = async () => values.shift() ?? "";
    const { fake, api, call } = await setUp([inTurn("GET /a", { status: 503 }, good)], { credential: bearer(secret) });
    await api.get(call, "/a");
    expect(fake.exchanges.map(({ request }) => request.headers.authorization)).toEqual(["Bearer one", "Bearer two"]);
  });
});

describe("an answer", () => {
  test("that is larger than 10 MiB, or cut off, is upstream_error", async () => {
    const { fake, api, call } = await setUp([
      inTurn("GET /big", { status: 200, body: "x".repeat(10 * 1024 * 1024 + 1) }),
      inTurn("GET /cut", good),
    ]);
    fake.fault = ({ path: asked }) => (asked === "/cut" ? "truncate" : undefined);
    expect(await codeOf(api.get(call, "/big"))).toBe("upstream_error");
    expect(await codeOf(api.get(call, "/cut"))).toBe("upstream_error");
  });
  test("of exactly 10 MiB is read", async () => {
    const { api, call } = await setUp([inTurn("GET /big", { status: 200, body: "x".repeat(10 * 1024 * 1024) })]);
    expect(await codeOf(api.get(call, "/big"))).toBe("answered");
  });
  test("is evidence by its etag or its hash, never by its query; tries that were made again are not", async () => {
    const replies: FakeReply[] = [
      { status: 503 },
      { status: 200, headers: { etag: '"v1"' }, body: {} },
      { status: 200, body: "x" },
      { status: 204 },
    ];
    const { fake, api, call } = await setUp([{ ...inTurn("GET /a", ...replies), query: ["q?"] }]);
    await api.get(call, "/a", { query: { q: "secret" } });
    await api.get(call, "/a");
    await api.get(call, "/a");
    const own = { method: "GET", origin: fake.url, path: "/a" };
    expect(call.trace.calls).toEqual([
      { ...own, status: 200, etag: '"v1"' },
      { ...own, status: 200, sha256: "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881" },
      { ...own, status: 204 },
    ]);
  });
  test("is evidence whatever its status, unless the call exchanges a token", async () => {
    const { api, call } = await setUp([inTurn("GET /a", { status: 403 })]);
    await codeOf(api.get(call, "/a"));
    await codeOf(api.get(call, "/a", { evidence: false }));
    expect(call.trace.calls).toMatchObject([{ status: 403 }]);
  });
  test("leaves a debug line without body and query", async () => {
    const { log, api, call } = await setUp([{ ...inTurn("GET /a", { status: 200, body: "CANARY" }), query: ["q"] }]);
    await api.get(call, "/a", { query: { q: "CANARY" } });
    expect(log.at("debug")).toMatchObject([{ message: "call", fields: { method: "GET", path: "/a", status: 200 } }]);
    expect(JSON.stringify(log.lines)).not.toContain("CANARY");
  });
});

describe("time", () => {
  test("for connecting and for the TLS handshake is 5 s", async () => {
    const server = createServer((socket) => socket.on("error", () => {}));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closers.push(() => server.close());
    const clock = new TestClock();
    const transport = new Transport({ clock, log: new TestLog(), timeoutMs: 8_000, tls: {}, proxies: none });
    const api = new Api(transport, { base: new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`) });
    server.once("connection", () => setImmediate(() => clock.advance(5_000)));
    expect(await codeOf(api.get(new Call(clock, false, Infinity), "/"))).toBe("upstream_timeout");
    transport.close();
  });
  test("that is over makes no call", async () => {
    const { fake, clock, api } = await setUp([inTurn("GET /a", good)]);
    expect(await codeOf(api.get(new Call(clock, false, 0), "/a"))).toBe("upstream_timeout");
    expect(fake.calls).toEqual([]);
  });
  test("leaves no timer behind", async () => {
    const { clock, api, call } = await setUp([inTurn("GET /a", good)]);
    await api.get(call, "/a");
    expect(clock.pending).toBe(0);
  });
});

describe("a request", () => {
  test("carries the product's name and asks for JSON", async () => {
    const { fake, api, call } = await setUp([inTurn("GET /a", good)]);
    await api.get(call, "/a");
    const { headers } = fake.exchanges[0]?.request ?? { headers: {} };
    expect(headers).toMatchObject({
      accept: "application/json",
      "user-agent": expect.stringMatching(/^hallpass\/\d/) as string,
    });
  });
  test("keeps the base's path, and %2F as it is", async () => {
    const { fake, api, call } = await setUp(
      [inTurn("GET /base/p/:id", good)],
      { base: new URL("https://vendor.test/base/") },
      {},
    );
    Object.assign(api, {
      transport: new Transport({
        clock: call.clock,
        log: new TestLog(),
        timeoutMs: 8_000,
        tls: {},
        proxies: none,
        dial: () => fake.url,
      }),
    });
    await api.get(call, path`/p/${"a/b c"}`);
    expect(fake.exchanges[0]?.request).toMatchObject({
      path: "/base/p/a%2Fb%20c",
      host: "vendor.test",
      params: { id: "a/b c" },
    });
  });
  test("cannot be led astray by an id", () => {
    for (const id of ["", ".", "..", "\ud800"]) expect(() => path`/a/${id}/b`).toThrow("invalid_request");
    expect(path`/a/${"..%2f?#"}`).toBe("/a/..%252f%3F%23");
  });
  test("has its parameters escaped", () => {
    expect(queryText({ $filter: "a eq 'b c'", "page[size]": 1, x: ["1", "2"], y: undefined })).toBe(
      "?%24filter=a%20eq%20'b%20c'&page%5Bsize%5D=1&x=1&x=2",
    );
  });
});

describe("a link to the next page", () => {
  const base = new URL("https://api.test/v1");
  test("stays below the base", () => {
    expect(nextPath("https://api.test/v1/users?page=2", base)).toBe("/users?page=2");
    expect(nextPath("https://api.test:443/v1/users", base)).toBe("/users");
    expect(nextPath("/v1/users?page=2", base)).toBe("/users?page=2");
  });
  const refused = [
    "http://api.test/v1/users",
    "https://evil.test/v1/users",
    "https://api.test:444/v1/users",
    "https://u:p@api.test/v1/users",
    "https://api.test/v2/users",
    "https://api.test/v1x",
    "//evil.test/v1/",
    "/v1/../v2/users",
    "https://api.test/v1/%2e%2e/x",
    "https://api.test/v1/a%2f..%2fb",
    "javascript:1",
    "https://",
  ];
  for (const link of refused)
    test(`is refused as ${link}`, () => expect(() => nextPath(link, base)).toThrow("upstream_error"));
  test("is found in a Link header", () => {
    expect(linkNext('<https://a.test/x?a=1,2>; rel="prev", <https://a.test/y>; rel="next"; title="b"')).toBe(
      "https://a.test/y",
    );
    for (const header of [undefined, "", '<https://a.test/y>; rel="last"', "garbage"])
      expect(linkNext(header)).toBeUndefined();
  });
});

test("pages are read to the end, or to the cap, where nothing is certain", async () => {
  const fetch = async (page: number) => ({ items: [page], next: page < 7 ? page + 1 : undefined });
  expect(await allPages(1, fetch)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(await pages(1, fetch, 5)).toEqual({ items: [1, 2, 3, 4, 5], truncated: true });
  expect(await codeOf(allPages(1, async (page) => ({ items: [page], next: page + 1 })))).toBe("unsupported");
});

describe("JSON", () => {
  const bytes = (source: string): Buffer => Buffer.from(source);
  test("keeps integers of any size", () => {
    expect(readJson(bytes('{"id":12345678901234567890,"small":7,"real":1.5}'))).toEqual({
      id: 12345678901234567890n,
      small: 7,
      real: 1.5,
    });
  });
  test("that is none is upstream_error", () => {
    for (const source of ["", "{", "NaN", "Infinity", "-Infinity", '{"a":1e999}', "{'a':1}", '{"a":1}x'])
      expect(() => readJson(bytes(source))).toThrow("upstream_error");
    expect(() => readJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow("upstream_error");
  });
  test("gives the zero value for what is missing or null", () => {
    const schema = record({
      a: text,
      b: list(text),
      c: record({ d: whole }),
      e: idNumber,
      f: maybeFlag,
      g: maybe(record({ h: text })),
    });
    const zero = { a: "", b: [], c: { d: 0 }, e: "", f: undefined, g: undefined };
    expect(schema.parse({})).toEqual(zero);
    expect(schema.parse({ a: null, b: null, c: null, e: null, f: null, g: null })).toEqual(zero);
    expect(schema.parse({ e: 9007199254740993n })).toMatchObject({ e: "9007199254740993" });
  });
  test("of another type is an error", () => {
    const schema = record({
      a: text,
      b: list(text),
      c: record({ d: whole }),
      f: maybeFlag,
      i: reported(text).optional(),
    });
    for (const wrong of [
      { a: 1 },
      { b: "x" },
      { b: {} },
      { b: [1] },
      { c: [] },
      { c: "x" },
      { c: { d: "1" } },
      { c: { d: 1.5 } },
      { f: "true" },
      { f: 0 },
    ]) {
      expect([wrong, schema.safeParse(wrong).success]).toEqual([wrong, false]);
    }
  });
  test("knows null from missing where a list must be reported", () => {
    const schema = record({ a: reported(text) });
    expect(schema.safeParse({}).success).toBe(false);
    expect(schema.parse({ a: null })).toEqual({ a: [] });
  });
});

describe("tokens", () => {
  const make = async (lifetimeMs: number, replies: readonly FakeReply[]) => {
    const { clock, log, api, call, fake } = await setUp([inTurn("GET /a", ...replies)]);
    let minted = 0;
    const tokens = new Tokens({ clock, log }, async () => ({ value: `t${++minted}`, lifetimeMs }));
    const get = async (): Promise<string> => await codeOf(api.get(call, "/a", { credential: tokens.credential() }));
    return { clock, get, fake, minted: () => minted };
  };
  test("are minted once and used until five minutes before their end", async () => {
    const { clock, get, minted } = await make(3_600_000, [good]);
    await get();
    clock.advance(1);
    await get();
    expect(minted()).toBe(1);
  });
  test("are minted anew once after a 401", async () => {
    const { get, fake, minted } = await make(3_600_000, [{ status: 401 }, good]);
    expect([await get(), minted()]).toEqual(["answered", 2]);
    expect(fake.exchanges.map(({ request }) => request.headers.authorization)).toEqual(["Bearer t1", "Bearer t2"]);
  });
  test("are not minted a third time", async () => {
    const { get, minted } = await make(3_600_000, [{ status: 401 }]);
    expect([await get(), minted()]).toEqual(["credential_rejected", 2]);
  });
});

describe("the proxy", () => {
  const rules = proxyRules({
    HTTPS_PROXY: "http://p.test:3128",
    http_proxy: "plain.test:1",
    NO_PROXY: "a.test, .b.test,10.0.0.0/8,c.test:8443,*.d.test",
  });
  const of = (url: string, own?: string): string | undefined =>
    proxyFor(new URL(url), own === undefined ? undefined : new URL(own), rules)?.host;
  test("is the connection's own, else the environment's", () => {
    expect(of("https://x.test", "http://own.test:1")).toBe("own.test:1");
    expect(of("https://x.test")).toBe("p.test:3128");
    expect(of("http://x.test")).toBe("plain.test:1");
  });
  test("is never used for this machine", () => {
    for (const url of ["http://localhost", "https://127.0.0.1", "https://[::1]:8"])
      expect(of(url, "http://own.test")).toBeUndefined();
  });
  test("is not used for what NO_PROXY names", () => {
    for (const url of [
      "https://a.test",
      "https://x.a.test",
      "https://b.test",
      "https://10.1.2.3",
      "https://c.test:8443",
      "https://x.d.test",
    ])
      expect([url, of(url)]).toEqual([url, undefined]);
    for (const url of ["https://ba.test", "https://11.1.2.3", "https://c.test", "https://10.evil.test"])
      expect([url, of(url)]).toEqual([url, "p.test:3128"]);
    expect(
      proxyFor(new URL("https://x.test"), undefined, proxyRules({ HTTPS_PROXY: "http://p.test", NO_PROXY: "*" })),
    ).toBeUndefined();
  });
  test("of the SOCKS kind is an error, not passed by", () => {
    expect(() =>
      proxyFor(new URL("https://x.test"), undefined, proxyRules({ HTTPS_PROXY: "socks5://p.test:1" })),
    ).toThrow("PROXY_UNSUPPORTED");
  });
});
