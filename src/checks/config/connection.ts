/** One connection of a configuration: the keys all have, and those of its integration (CHECKS §2.2). */
import { readFileSync } from "node:fs";
import { X509Certificate } from "node:crypto";
import type { AnyIntegration, ConfigProblem } from "../integration.ts";
import { parseUrl } from "../http/url.ts";
import { key, type Key, type Keys } from "./keys.ts";
import type { At, Field, Fields, Problems } from "./raw.ts";
import { Secret, secretFrom } from "./secret.ts";

export interface ConnectionConfig {
  readonly id: string;
  readonly integration: AnyIntegration;
  /** PEM text of `ca_file`. */
  readonly ca?: string;
  readonly tlsServerName?: string;
  readonly proxyUrl?: URL;
  readonly timeoutMs: number;
  /** Values by key, defaults filled in; a linked connection is still its id. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly at: At;
}

const MAX_TIMEOUT = 5 * 60_000;

/** The keys of every connection; the catalog lists them too. */
export const COMMON_KEYS = {
  id: key.text({
    about: "the name that questions use",
    required: true,
    pattern: /^[a-z0-9][a-z0-9-]{0,63}$/,
    hint: "1 to 64 of a-z, 0-9 and -, not - first",
  }),
  integration: key.text({ about: "which system it is", required: true }),
  ca_file: key.parsed({ about: "PEM certificates in the stead of the system's roots", read: readCertificates }),
  tls_server_name: key.text({ about: "the name to verify in the stead of the URL's host" }),
  proxy_url: key.parsed({ about: "an HTTP proxy", read: readProxy }),
  timeout: key.duration({
    about: "for one check, and for each call",
    default: "8s",
    maxMs: MAX_TIMEOUT,
    hint: "more than 0 and at most 5m",
  }),
} satisfies Keys;

/** Undefined when it cannot be used; `problems` says why. */
export function readConnection(
  raw: Fields,
  registry: ReadonlyMap<string, AnyIntegration>,
  problems: Problems,
): ConnectionConfig | undefined {
  const reader = new Reader(raw, problems);
  const common = reader.read(COMMON_KEYS);
  const name = common.integration as string | undefined;
  const integration = registry.get(name ?? "");
  if (integration === undefined) {
    if (name !== undefined)
      problems.add(
        reader.at("integration"),
        `there is no integration ${name}; there are ${[...registry.keys()].join(", ")}`,
      );
    return undefined;
  }
  const values = reader.read(integration.keys);
  reader.refuseOthers(integration);
  if (!reader.isSound) return undefined;
  for (const { key: where, message } of runCheck(integration, values))
    problems.add(reader.at(where), `${where} ${message}`);
  return assemble(common, integration, values, raw.at);
}

function runCheck({ check }: AnyIntegration, values: Record<string, unknown>): readonly ConfigProblem[] {
  return check?.(values as never) ?? [];
}

function assemble(
  common: Record<string, unknown>,
  integration: AnyIntegration,
  values: Record<string, unknown>,
  at: At,
): ConnectionConfig {
  const { id, ca_file: ca, tls_server_name: tlsServerName, proxy_url: proxyUrl, timeout: timeoutMs } = common;
  const optional = Object.fromEntries(
    Object.entries({ ca, tlsServerName, proxyUrl }).filter(([, value]) => value !== undefined),
  );
  return { id: id as string, integration, timeoutMs: timeoutMs as number, values, at, ...optional };
}

class Reader {
  isSound = true;
  private readonly fields: ReadonlyMap<string, Field>;

  constructor(
    private readonly raw: Fields,
    private readonly problems: Problems,
  ) {
    this.fields = new Map(raw.fields.map((field) => [field.key, field]));
  }

  at(name: string): At {
    return this.fields.get(name)?.at ?? this.raw.at;
  }

  read(keys: Keys): Record<string, unknown> {
    return Object.fromEntries(Object.entries(keys).map(([name, one]) => [name, this.value(name, one)]));
  }

  refuseOthers(integration: AnyIntegration): void {
    const accepted = [...Object.keys(COMMON_KEYS), ...Object.keys(integration.keys)];
    for (const { key: name, at } of this.raw.fields) {
      if (!accepted.includes(name))
        this.refuse(at, `${integration.name} has no key ${name}; it has ${accepted.join(", ")}`);
    }
  }

  private value(name: string, one: Key<unknown>): unknown {
    const field = this.fields.get(name);
    if (field !== undefined) return this.guarded(field.at, name, () => convert(one, field.value));
    if (one.required) this.refuse(this.raw.at, `${name} is required`);
    return one.default === undefined
      ? undefined
      : this.guarded(this.raw.at, name, () => convert(one, one.default ?? ""));
  }

  private guarded(at: At, name: string, read: () => unknown): unknown {
    try {
      return read();
    } catch (error) {
      this.refuse(at, `${name} ${(error as Error).message}`);
      return undefined;
    }
  }

  private refuse(at: At, message: string): void {
    this.isSound = false;
    this.problems.add(at, message);
  }
}

function convert(one: Key<unknown>, value: string | Secret): unknown {
  if (one.isSecret) return value instanceof Secret ? value : (secretFrom(value) ?? one.read(""));
  if (value instanceof Secret) throw new Error("is not a secret and must be plain text");
  return one.links === undefined ? one.read(value) : value;
}

function readCertificates(path: string): string {
  let pem = "";
  try {
    pem = readFileSync(path, "utf8");
  } catch {
    throw new Error(`names a file that cannot be read: ${path}`);
  }
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0 || !blocks.every(isCertificate))
    throw new Error(`must hold PEM certificates, at least one: ${path}`);
  return pem;
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).subject !== undefined || true;
  } catch {
    return false;
  }
}

function readProxy(raw: string): URL {
  const url = parseUrl(raw);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error("must begin with http:// or https://");
  return url;
}
