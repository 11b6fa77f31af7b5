/** Which proxy a request goes through, and the tunnel through it (CHECKS §1.10). */
import { request as httpRequest, type ClientRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { BlockList, isIP } from "node:net";
import type { Duplex } from "node:stream";
import type { Clock } from "../clock.ts";
import { parseUrl } from "./url.ts";
import { WireError, type Limits } from "./wire.ts";

export interface ProxyRules {
  readonly https?: string;
  readonly http?: string;
  readonly none: readonly string[];
}

/** HTTPS_PROXY, HTTP_PROXY and NO_PROXY, upper or lower case; read once, when a connection is built. */
export function proxyRules(env: Readonly<Record<string, string | undefined>>): ProxyRules {
  const get = (name: string): string | undefined => env[name] || env[name.toLowerCase()] || undefined;
  const https = get("HTTPS_PROXY");
  const http = get("HTTP_PROXY");
  const none = (get("NO_PROXY") ?? "").split(",").map((item) => item.trim().toLowerCase());
  return { ...(https ? { https } : {}), ...(http ? { http } : {}), none: none.filter(Boolean) };
}

/** The proxy for `url`: the connection's own, else the environment's, never for loopback or link-local addresses. Throws on a scheme that is no HTTP proxy. */
export function proxyFor(url: URL, own: URL | undefined, rules: ProxyRules): URL | undefined {
  if (isLoopback(url.hostname) || url.hostname.startsWith("169.254.")) return undefined;
  if (own !== undefined) return own;
  const named = url.protocol === "https:" ? rules.https : rules.http;
  if (named === undefined || rules.none.some((item) => covers(item, url))) return undefined;
  const parsed = parseUrl(named.includes("://") ? named : `http://${named}`);
  // A SOCKS proxy that is silently passed by would send the credential another way than the operator set up.
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) throw new WireError("transport", "PROXY_UNSUPPORTED");
  return parsed;
}

export function isLoopback(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/^\[|\]$/g, "");
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

/** One entry of NO_PROXY: `*`, a name and what is below it, an address, a block of addresses, each with a port or without. */
function covers(item: string, url: URL): boolean {
  if (item === "*") return true;
  const host = url.hostname.toLowerCase().replace(/^\[|\]$/g, "");
  if (item.includes("/")) return inBlock(item, host);
  const [, name = "", port] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(isIP(item) === 6 ? `[${item}]` : item) ?? [];
  if (port !== undefined && port !== portOf(url)) return false;
  const bare = name.replace(/^\*?\./, "");
  return host === bare || host.endsWith(`.${bare}`);
}

function inBlock(item: string, host: string): boolean {
  const [address = "", bits] = item.split("/");
  const family = isIP(address);
  if (family === 0 || isIP(host) !== family || !/^\d{1,3}$/.test(bits ?? "")) return false;
  const block = new BlockList();
  const type = family === 4 ? "ipv4" : "ipv6";
  if (Number(bits) > (family === 4 ? 32 : 128)) return false;
  block.addSubnet(address, Number(bits), type);
  return block.check(host, type);
}

export function portOf(url: URL): string {
  return url.port || (url.protocol === "https:" ? "443" : "80");
}

/** `Proxy-Authorization` from the proxy URL's user and password. */
export function proxyHeaders(proxy: URL): Record<string, string> {
  if (proxy.username === "" && proxy.password === "") return {};
  const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}

/** An open CONNECT tunnel to `target`'s host and port. Throws WireError. */
export async function tunnel(proxy: URL, target: URL, limits: Limits, clock: Clock): Promise<Duplex> {
  const authority = `${target.hostname}:${portOf(target)}`;
  const request = (proxy.protocol === "https:" ? httpsRequest : httpRequest)({
    host: proxy.hostname.replace(/^\[|\]$/g, ""),
    port: portOf(proxy),
    method: "CONNECT",
    path: authority,
    headers: { host: authority, ...proxyHeaders(proxy) },
    agent: false,
    minVersion: "TLSv1.2",
  });
  return await opened(request, limits, clock);
}

async function opened(request: ClientRequest, limits: Limits, clock: Clock): Promise<Duplex> {
  return await new Promise<Duplex>((resolve, reject) => {
    const fail = (kind: "timeout" | "transport", detail: string): void => {
      cancel();
      request.destroy();
      reject(new WireError(kind, detail));
    };
    const cancel = clock.timer(limits.connectMs, () => fail("timeout", "no answer of the proxy in time"));
    request.on("error", () => fail("transport", "PROXY_FAILED"));
    request.on("response", () => fail("transport", "PROXY_REFUSED"));
    request.on("connect", (answer, socket) => {
      if (answer.statusCode !== 200) return fail("transport", "PROXY_REFUSED");
      cancel();
      resolve(socket);
    });
    request.end();
  });
}
