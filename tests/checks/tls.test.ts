/** TLS and proxies with real certificates and sockets. */
import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { createServer as createHttp } from "node:http";
import { createServer as createHttps } from "node:https";
import { connect, type AddressInfo, type Server } from "node:net";
import { readFileSync } from "node:fs";
import { Call } from "../../src/checks/call.ts";
import { Stop } from "../../src/checks/codes.ts";
import { Api } from "../../src/checks/http/api.ts";
import { proxyRules } from "../../src/checks/http/proxy.ts";
import { Transport, type TransportSettings } from "../../src/checks/http/transport.ts";
import { systemClock } from "../../src/checks/clock.ts";
import { makeAuthority, type Pair } from "./support/certificates.ts";
import { TestLog } from "./support/log.ts";

const authority = makeAuthority();
afterAll(() => authority[Symbol.dispose]());
const ca = readFileSync(authority.caFile, "utf8");
const named = authority.issue("DNS:api.test,DNS:localhost");

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function serve(pair: Pair, options: { maxVersion?: "TLSv1.1" | "TLSv1.2" } = {}): Promise<number> {
  const server = createHttps(
    { ...pair, ...options, ...(options.maxVersion === "TLSv1.1" ? { minVersion: "TLSv1" as const } : {}) },
    (request, response) => response.end(JSON.stringify({ host: request.headers.host })),
  );
  closers.push(() => server.closeAllConnections());
  return await listen(server);
}

async function get(url: string, settings: Partial<TransportSettings>): Promise<string> {
  const transport = new Transport({
    clock: systemClock,
    log: new TestLog(),
    timeoutMs: 4_000,
    tls: { ca },
    proxies: { none: [] },
    ...settings,
  });
  closers.push(() => transport.close());
  const api = new Api(transport, { base: new URL(url) });
  try {
    return String((await api.get(new Call(systemClock, false, systemClock.ticks() + 4_000), "/")).status);
  } catch (error) {
    return error instanceof Stop ? error.finding.code : String(error);
  }
}

describe("TLS", () => {
  test("is verified against ca_file", async () => {
    const port = await serve(named);
    expect(await get(`https://localhost:${port}`, {})).toBe("200");
    expect(await get(`https://localhost:${port}`, { tls: {} })).toBe("upstream_error");
  });
  test("is verified by name, or by the name that tls_server_name gives", async () => {
    const port = await serve(named);
    expect(await get(`https://127.0.0.1:${port}`, {})).toBe("upstream_error");
    expect(await get(`https://127.0.0.1:${port}`, { tls: { ca, serverName: "api.test" } })).toBe("200");
    expect(await get(`https://localhost:${port}`, { tls: { ca, serverName: "other.test" } })).toBe("upstream_error");
  });
  test("needs alternative names: a common name is not enough", async () => {
    const port = await serve(authority.issue(""));
    expect(await get(`https://localhost:${port}`, {})).toBe("upstream_error");
  });
  test("is 1.2 or later", async () => {
    expect(await get(`https://localhost:${await serve(named, { maxVersion: "TLSv1.2" })}`, {})).toBe("200");
    expect(await get(`https://localhost:${await serve(named, { maxVersion: "TLSv1.1" })}`, {})).toBe("upstream_error");
  });
});

describe("a proxy", () => {
  async function proxy(status = 200): Promise<{ port: number; seen: string[] }> {
    const seen: string[] = [];
    const server = createHttp((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers["proxy-authorization"]}`);
      response.end("{}");
    });
    server.on("connect", (request, socket) => {
      seen.push(`CONNECT ${request.url} ${request.headers["proxy-authorization"]} ${request.headers.authorization}`);
      if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
      const upstream = connect(Number(request.url?.split(":")[1]), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        upstream.pipe(socket);
        socket.pipe(upstream);
      });
      upstream.on("error", () => socket.destroy());
      socket.on("error", () => upstream.destroy());
    });
    closers.push(() => server.closeAllConnections());
    return { port: await listen(server), seen };
  }

  test("opens a tunnel, with its user and password; TLS is still verified end to end", async () => {
    const target = await serve(named);
    const { port, seen } = await proxy();
    const proxyUrl = new URL(`http://me:p%40ss@127.0.0.1:${port}`);
    expect(await get(`https://api.test:${target}`, { proxyUrl })).toBe("200");
    expect(await get(`https://other.test:${target}`, { proxyUrl })).toBe("upstream_error");
    const basic = `Basic ${Buffer.from("me:p@ss").toString("base64")}`;
    expect(seen[0]).toBe(`CONNECT api.test:${target} ${basic} undefined`);
  });
  test("that refuses the tunnel is upstream_error", async () => {
    const { port } = await proxy(407);
    expect(await get("https://api.test", { proxyUrl: new URL(`http://127.0.0.1:${port}`) })).toBe("upstream_error");
  });
  test("gets the whole URL of a request in the open", async () => {
    const { port, seen } = await proxy();
    expect(await get("http://metadata.test", { proxies: proxyRules({ HTTP_PROXY: `http://127.0.0.1:${port}` }) })).toBe(
      "200",
    );
    expect(seen).toEqual(["GET http://metadata.test/ undefined"]);
  });
  test("of the SOCKS kind in the environment is upstream_error", async () => {
    expect(await get("https://api.test", { proxies: proxyRules({ HTTPS_PROXY: "socks5://127.0.0.1:1" }) })).toBe(
      "upstream_error",
    );
  });
});
