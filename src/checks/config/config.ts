/** A configuration checked as a whole: every problem in one pass, connections in the order in which they can be built (CHECKS §2). */
import { readFileSync } from "node:fs";
import type { AnyIntegration } from "../integration.ts";
import { readConnection, type ConnectionConfig } from "./connection.ts";
import { readCode, type ConnectionInput } from "./code.ts";
import { inOrder } from "./order.ts";
import { Problems, type Field, type Fields, type RawConfig } from "./raw.ts";
import { Secret, secretFrom } from "./secret.ts";
import { readServer, SERVER_KEYS, type ServerConfig } from "./server.ts";
import { readYaml } from "./yaml.ts";

export type Registry = ReadonlyMap<string, AnyIntegration>;

export interface Config {
  readonly apiKey?: Secret;
  readonly listen: string;
  /** A path, `stderr`, `stdout` or `none`. */
  readonly decisionLog: string;
  readonly decisionCacheSeconds: number;
  readonly identityCacheSeconds: number;
  readonly server: ServerConfig;
  /** Each after those that it links to. */
  readonly connections: readonly ConnectionConfig[];
}

const TOP_KEYS = [
  "api_key",
  "listen",
  "decision_log",
  "decision_cache_seconds",
  "identity_cache_seconds",
  ...SERVER_KEYS,
  "connections",
];

/** The file at `path`. Throws ConfigError with all problems; a file that cannot be read is one. */
export function loadConfigFile(path: string, registry: Registry): Config {
  const problems = new Problems();
  let source = "";
  try {
    source = readFileSync(path, "utf8");
  } catch (error) {
    problems.add({ file: path, line: 1 }, `cannot be read (${(error as NodeJS.ErrnoException).code ?? "error"})`);
    problems.throwAny();
  }
  return loadConfigText(source, path, registry);
}

/** As `loadConfigFile`, of a text. */
export function loadConfigText(source: string, file: string, registry: Registry): Config {
  const problems = new Problems();
  return check(readYaml(source, file, problems), registry, problems, "stderr");
}

/** Connections given in code; the decision log is off unless it is asked for (§2.4). */
export function loadConfigCode(connections: readonly ConnectionInput[], registry: Registry): Config {
  const problems = new Problems();
  return check(readCode(connections, problems), registry, problems, "none");
}

function check(raw: RawConfig, registry: Registry, problems: Problems, log: string): Config {
  const top = new Top(raw.top, problems);
  const connections = raw.connections.flatMap((fields) => readConnection(fields, registry, problems) ?? []);
  if (raw.connections.length === 0) problems.add(raw.top.at, "there are no connections");
  const ordered = inOrder(connections, problems);
  const apiKey = top.secret("api_key");
  const config: Config = {
    ...(apiKey === undefined ? {} : { apiKey }),
    listen: top.text("listen", ":8080"),
    decisionLog: top.text("decision_log", log),
    decisionCacheSeconds: top.seconds("decision_cache_seconds", 30, 3_600),
    identityCacheSeconds: top.seconds("identity_cache_seconds", 900, 86_400),
    server: readServer(raw.top, problems),
    connections: ordered,
  };
  problems.throwAny();
  return config;
}

/** The keys above the connections. */
class Top {
  constructor(
    private readonly raw: Fields,
    private readonly problems: Problems,
  ) {
    for (const { key, at } of raw.fields) {
      if (!TOP_KEYS.includes(key)) problems.add(at, `there is no key ${key}; there are ${TOP_KEYS.join(", ")}`);
    }
  }

  text(key: string, fallback: string): string {
    const field = this.field(key);
    return field === undefined ? fallback : String(field.value);
  }

  seconds(key: string, fallback: number, most: number): number {
    const field = this.field(key);
    if (field === undefined) return fallback;
    const value = /^\d{1,9}$/.test(String(field.value)) ? Number(field.value) : -1;
    if (value < 0 || value > most) this.problems.add(field.at, `${key} must be a whole number from 0 to ${most}`);
    return value;
  }

  secret(key: string): Secret | undefined {
    const field = this.field(key);
    if (field === undefined || field.value instanceof Secret) return field?.value as Secret | undefined;
    const secret = secretFrom(field.value);
    if (secret === undefined) this.problems.add(field.at, `${key} must be env:NAME or file:/path`);
    return secret;
  }

  private field(key: string): Field | undefined {
    return this.raw.fields.find((field) => field.key === key);
  }
}
