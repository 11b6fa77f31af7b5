/** The keys that only `serve` reads: more API keys, TLS, a rate limit, metrics. */
import type { Field, Fields, Problems } from "./raw.ts";
import { secretFrom, type Secret } from "./secret.ts";

export interface ServerConfig {
  /** Beside `api_key`, each with a name for the log, the metrics and the rate limit. */
  readonly apiKeys: readonly { readonly name: string; readonly secret: Secret }[];
  /** Paths of PEM files; both or neither. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string };
  /** Questions a second for each API key; 0 is no limit. */
  readonly rateLimit: number;
  readonly metrics: "key" | "open" | "off";
}

export const SERVER_KEYS = ["api_keys", "tls_cert_file", "tls_key_file", "rate_limit", "metrics"];

const MAX_RATE = 100_000;

export function readServer(top: Fields, problems: Problems): ServerConfig {
  const field = (key: string): Field | undefined => top.fields.find((one) => one.key === key);
  const tls = readTls(field("tls_cert_file"), field("tls_key_file"), problems);
  return {
    apiKeys: readKeys(field("api_keys"), problems),
    ...(tls === undefined ? {} : { tls }),
    rateLimit: readRate(field("rate_limit"), problems),
    metrics: readMetrics(field("metrics"), problems),
  };
}

/** `ci=env:CI_KEY, agents=file:/run/keys/agents` */
function readKeys(field: Field | undefined, problems: Problems): ServerConfig["apiKeys"] {
  if (field === undefined) return [];
  const names = new Set<string>(["api_key"]);
  return String(field.value)
    .split(",")
    .flatMap((item) => {
      const [, name = "", reference = ""] = /^\s*([a-z0-9][a-z0-9_-]{0,63})=(\S+)\s*$/.exec(item) ?? [];
      const secret = secretFrom(reference);
      if (secret === undefined) problems.add(field.at, "api_keys must be like NAME=env:NAME, NAME=file:/path");
      else if (names.has(name)) problems.add(field.at, `api_keys has the name ${name} twice, or it is taken`);
      names.add(name);
      return secret === undefined ? [] : [{ name, secret }];
    });
}

function readTls(cert: Field | undefined, key: Field | undefined, problems: Problems): ServerConfig["tls"] {
  const one = cert ?? key;
  if (one === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    problems.add(one.at, "tls_cert_file and tls_key_file go together");
    return undefined;
  }
  return { certFile: String(cert.value), keyFile: String(key.value) };
}

function readRate(field: Field | undefined, problems: Problems): number {
  if (field === undefined) return 0;
  const rate = /^\d{1,6}$/.test(String(field.value)) ? Number(field.value) : -1;
  if (rate < 0 || rate > MAX_RATE) problems.add(field.at, `rate_limit must be a whole number from 0 to ${MAX_RATE}`);
  return rate;
}

function readMetrics(field: Field | undefined, problems: Problems): ServerConfig["metrics"] {
  const value = String(field?.value ?? "key");
  if (value === "key" || value === "open" || value === "off") return value;
  problems.add(field?.at ?? { file: "", line: 1 }, "metrics must be one of key, open, off");
  return "key";
}
