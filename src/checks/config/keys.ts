/** The kinds of configuration keys: how each value is read and what is wrong with one that cannot be (CHECKS §2.2–§2.5). */
import type { AnyConnection, AnyIntegration, Integration } from "../integration.ts";
import { isSafeScheme } from "../http/transport.ts";
import { parseUrl } from "../http/url.ts";
import { readDuration } from "./duration.ts";
import type { Secret } from "./secret.ts";
import { readDomains, readTemplate, type Template } from "./template.ts";

/** One key of an integration; `T` is what `connect` gets for it. */
export interface Key<T> {
  /** For the catalog: text, url, secret, flag, … */
  readonly kind: string;
  readonly about: string;
  readonly required: boolean;
  /** As it would stand in the file. */
  readonly default?: string;
  readonly isSecret?: true;
  /** The integration that the named connection must be of. */
  readonly links?: () => AnyIntegration;
  /** Throws an Error whose message completes "<key> …". */
  readonly read: (raw: string) => T;
}

export type Keys = Readonly<Record<string, Key<unknown>>>;
export type ConfigOf<K extends Keys> = { readonly [N in keyof K]: K[N] extends Key<infer T> ? T : never };

export interface KeyOptions {
  readonly about: string;
  readonly required?: true;
  readonly default?: string;
}

/** Undefined only where the key is neither required nor has a default. */
export type Maybe<T, O extends KeyOptions> = O extends { required: true } | { default: string } ? T : T | undefined;

/** Another connection, as `connect` gets it. */
export interface Linked<C extends AnyConnection> {
  readonly id: string;
  readonly connection: C;
}

function make<T, O extends KeyOptions>(kind: string, options: O, read: (raw: string) => T): Key<Maybe<T, O>> {
  const { about, required } = options;
  const fallback = options.default === undefined ? {} : { default: options.default };
  return { kind, about, required: required ?? false, ...fallback, read: read };
}

/** Any text, or such as matches `pattern` (anchored); `hint` completes "must be …". */
function text<O extends KeyOptions & { pattern?: RegExp; hint?: string }>(options: O): Key<Maybe<string, O>> {
  return make("text", options, (raw) => {
    if (options.pattern && !options.pattern.test(raw))
      throw new Error(`must be ${options.hint ?? `like ${options.pattern.source}`}`);
    return raw;
  });
}

/** Text read by a function of the integration's; it throws an Error whose message completes "<key> …". */
function parsed<T, O extends KeyOptions>(options: O & { read: (raw: string) => T }): Key<Maybe<T, O>> {
  return make<T, O>("text", options, options.read);
}

function oneOf<const V extends string, O extends KeyOptions & { default?: V }>(
  values: readonly V[],
  options: O,
): Key<Maybe<V, O>> {
  return make(values.join(" | "), options, (raw) => {
    const value = values.find((item) => item === raw);
    if (value === undefined) throw new Error(`must be one of ${values.join(", ")}`);
    return value;
  });
}

/** `true` or `false`. */
function flag<O extends KeyOptions & { default?: "true" | "false" }>(options: O): Key<Maybe<boolean, O>> {
  return make("true | false", options, (raw) => {
    if (raw !== "true" && raw !== "false") throw new Error("must be true or false");
    return raw === "true";
  });
}

/** https, or http on this machine; without user, query and fragment; a trailing `/` is cut. */
function url<O extends KeyOptions>(options: O): Key<Maybe<URL, O>> {
  return make("url", options, readUrl);
}

export function readUrl(raw: string): URL {
  const parsedUrl = parseUrl(raw);
  if (parsedUrl === null || /\s/.test(raw)) throw new Error("must be a URL");
  if (raw.includes("?") || raw.includes("#") || parsedUrl.username !== "" || parsedUrl.password !== "") {
    throw new Error("must be a URL without user, ? and #");
  }
  if (!isSafeScheme(parsedUrl)) throw new Error("must begin with https:// (http:// only for localhost)");
  return parsedUrl;
}

function duration<O extends KeyOptions & { minMs?: number; maxMs?: number; hint?: string }>(
  options: O,
): Key<Maybe<number, O>> {
  return make("duration", options, (raw) => {
    const ms = readDuration(raw);
    if (ms < (options.minMs ?? 1) || ms > (options.maxMs ?? Infinity))
      throw new Error(`must be ${options.hint ?? "longer than nothing"}`);
    return ms;
  });
}

function template<O extends KeyOptions>(options: O): Key<Maybe<Template, O>> {
  return make("template", options, readTemplate);
}

function domains<O extends KeyOptions>(options: O): Key<Maybe<ReadonlySet<string>, O>> {
  return make("domains", options, readDomains);
}

/** `env:NAME` or `file:/path`; in code also `literal(value)`. Reading one from text is the loader's part. */
function secret<O extends KeyOptions>(options: O): Key<Maybe<Secret, O>> {
  const key = make("secret", options, (): Secret => {
    throw new Error("must be env:NAME or file:/path; a secret cannot stand in the file");
  });
  return { ...key, isSecret: true };
}

/** The id of another connection, of the integration given (a function, since two modules may name each other). */
function connection<K extends Keys, C extends AnyConnection, O extends KeyOptions>(
  integration: () => Integration<K, C>,
  options: O,
): Key<Maybe<Linked<C>, O>> {
  const key = make("connection", options, (): Linked<C> => {
    throw new Error("is linked by the loader");
  });
  return { ...key, links: integration };
}

export const key = { text, parsed, oneOf, flag, url, duration, template, domains, secret, connection };
