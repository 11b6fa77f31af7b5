/** `hallpass serve`: permission checks over HTTP (CHECKS §3.2). */
import { readFileSync } from "node:fs";
import type { Config } from "../checks/config/config.ts";
import type { Engine } from "../checks/engine.ts";
import type { Logger } from "../checks/logger.ts";
import type { ApiKey } from "../checks/server/keys.ts";
import { readListen, Server, type Listen, type TlsPair } from "../checks/server/server.ts";
import { Service } from "../checks/server/service.ts";
import { HallpassError } from "../errors.ts";
import type { Flags } from "./argv.ts";
import { engineOf, readConfig } from "./check-config.ts";
import { operatorLog, type Level } from "./operator-log.ts";

/** A check may take up to its connection's timeout; past this, a stop cuts what is left. */
const STOP_MS = 30_000;

/** Runs until SIGTERM or SIGINT; the exit code. */
export async function serve(flags: Flags): Promise<number> {
  const config = readConfig(flags);
  const log = operatorLog((flags.text("log-level") ?? "info") as Level);
  const listen = { ...listenOf(flags.text("listen") ?? config.listen), reusePort: flags.has("reuse-port") };
  const keys = await keysOf(config);
  const tls = config.server.tls === undefined ? undefined : pairOf(config.server.tls);
  const engine = engineOf(config, { log });
  const { rateLimit, metrics } = config.server;
  const server = serverOf(new Service(engine, { keys, rateLimit, metrics, log }), tls);
  const stopped = stopSignal();
  const { address, port } = await server.listen(listen).catch((error: NodeJS.ErrnoException) => {
    throw new HallpassError(`cannot listen on ${listen.host ?? ""}:${listen.port} (${error.code ?? "error"})`);
  });
  log.info("listening", { address, port, tls: tls !== undefined, connections: engine.connections.length });
  void probeAll(engine, log);
  const signal = await stopped;
  log.info("stopping", { signal });
  await server.stop(STOP_MS);
  engine.close();
  log.info("stopped");
  // A probe of a system that does not answer would hold the process.
  process.exit(0);
}

function listenOf(text: string): Listen {
  try {
    return readListen(text);
  } catch (error) {
    throw new HallpassError(`the address ${text} ${(error as Error).message}`, 2);
  }
}

/** Every key is read once, so that a server that could let nobody in does not start. */
async function keysOf({ apiKey, server }: Config): Promise<ApiKey[]> {
  const keys = [...(apiKey === undefined ? [] : [{ name: "api_key", secret: apiKey }]), ...server.apiKeys];
  if (keys.length === 0) throw new HallpassError("serve needs an api_key in the file: env:NAME or file:/path", 2);
  for (const { name, secret } of keys) {
    const value = await secret.read().catch(() => "");
    if (value === "") throw new HallpassError(`the API key ${name} is not set, empty or cannot be read`, 2);
    if (!/^[\x21-\x7e]+$/.test(value))
      throw new HallpassError(`the API key ${name} has a character that no header can carry`, 2);
  }
  return keys;
}

function pairOf({ certFile, keyFile }: NonNullable<Config["server"]["tls"]>): TlsPair {
  return { cert: readPem(certFile), key: readPem(keyFile) };
}

function readPem(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new HallpassError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? "error"})`, 2);
  }
}

function serverOf(service: Service, tls: TlsPair | undefined): Server {
  try {
    return new Server(service, tls);
  } catch {
    throw new HallpassError("tls_cert_file and tls_key_file are not a certificate and its key", 2);
  }
}

async function probeAll(engine: Engine, log: Logger): Promise<void> {
  for (const { id, ok, summary, warnings } of await engine.probe()) {
    if (!ok) log.warn("a connection cannot be asked", { connection: id, reason: summary });
    for (const warning of warnings) log.warn("a connection should be changed", { connection: id, warning });
  }
}

async function stopSignal(): Promise<string> {
  return await new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve(signal));
  });
}
