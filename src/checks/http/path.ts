/** Paths and queries as they go on the wire: every piece that comes from outside is escaped, none can climb (CHECKS §1.3). */
import { stop } from "../codes.ts";
import { parseUrl } from "./url.ts";

/**
 * path`/projects/${id}/members`: each value becomes part of one segment, `/` as `%2F`. A value that is empty, `.` or `..` throws
 * `invalid_request`: servers and proxies would read another path.
 */
export function path(parts: TemplateStringsArray, ...values: readonly (string | number | bigint)[]): string {
  return parts.reduce((text, part, index) => text + segment(values[index - 1] ?? "") + part);
}

function segment(value: string | number | bigint): string {
  const text = String(value);
  if (text === "" || text === "." || text === ".." || /\p{Surrogate}/u.test(text)) {
    throw stop("invalid_request", "an id in the resource has no valid form");
  }
  return encodeURIComponent(text);
}

export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** `?a=b&a=c`, or "" for nothing; lists repeat their key, undefined is left out. */
export function queryText(query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : (Array.isArray(value) ? value : [value]).map((item) => pair(key, String(item))),
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function pair(key: string, value: string): string {
  return `${encodeURIComponent(key)}=${encodeURIComponent(value)}`;
}

export function formText(form: Readonly<Record<string, string>>): string {
  return new URLSearchParams(form).toString();
}

/** A link to the next page as path and query below `base`. Throws `upstream_error` where the credential would leave it. */
export function nextPath(link: string, base: URL): string {
  const url = parseUrl(link, base.href.endsWith("/") ? base.href : `${base.href}/`);
  const root = base.pathname.replace(/\/+$/, "");
  const isBelow = url !== null && (url.pathname === root || url.pathname.startsWith(`${root}/`));
  if (!isBelow || url.origin !== base.origin || url.username !== "" || url.password !== "" || hasDots(url.pathname)) {
    throw stop("upstream_error", "the system named a next page outside of its own address");
  }
  return url.pathname.slice(root.length) + url.search;
}

/** `%2e%2e` and `%2f..` are left alone by URL and could be resolved by a server behind it. */
function hasDots(pathname: string): boolean {
  return pathname.split(/\/|%2f|%5c/i).some((part) => /^(?:\.|%2e){1,2}$/i.test(part));
}
