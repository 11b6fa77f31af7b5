/** `hallpass check`: one question, asked of the system itself or of a hallpass server (CHECKS §3.1). */
import { readFileSync } from "node:fs";
import { RemoteServer } from "../checks/client/remote.ts";
import { readDuration } from "../checks/config/duration.ts";
import { secretFrom } from "../checks/config/secret.ts";
import type { Outcome } from "../checks/codes.ts";
import type { Decision } from "../checks/decision.ts";
import type { Question } from "../checks/question.ts";
import { HallpassError, UsageError } from "../errors.ts";
import type { Flags } from "./argv.ts";
import { engineOf, readConfig } from "./check-config.ts";

const EXIT_CODES: Readonly<Record<Outcome, number>> = { allow: 0, deny: 1, unknown: 3 };
const NO_DECISION = 2;

/** The exit code: 0 allow, 1 deny, 3 unknown, 2 no decision. */
export async function check(flags: Flags): Promise<number> {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, interrupted);
  const question = readQuestionFlags(flags);
  const decision = await (flags.has("server") ? askServer(question, flags) : askHere(question, flags));
  if (decision.code === "client_error") throw new HallpassError(decision.reason.replace(/^\w+: /, ""), NO_DECISION);
  const { decision: outcome, reason } = decision;
  process.stdout.write(
    flags.has("json") ? `${JSON.stringify({ decision: outcome, reason })}\n` : `${outcome}\n  ${reason}\n`,
  );
  return EXIT_CODES[outcome];
}

function readQuestionFlags(flags: Flags): Question {
  const needed = (name: string): string => {
    const value = flags.text(name);
    if (value === undefined) throw new UsageError(`hallpass check needs --${name}; see hallpass check --help`);
    return value;
  };
  const groups = flags.given.flatMap(({ name, value }) => (name === "group" && value !== true ? [value] : []));
  return {
    connection: needed("connection"),
    user: needed("user"),
    action: needed("action"),
    resource: needed("resource"),
    ...(groups.length > 0 ? { groups } : {}),
    ...(flags.has("fresh") ? { fresh: true } : {}),
  };
}

async function askHere(question: Question, flags: Flags): Promise<Decision> {
  const odd = ["api-key", "ca-file", "timeout"].find((name) => flags.has(name));
  if (odd !== undefined) throw new UsageError(`--${odd} is for asking a server: give --server URL too`);
  const config = { ...readConfig(flags), decisionLog: "none", decisionCacheSeconds: 0, identityCacheSeconds: 0 };
  const engine = engineOf(config, { connection: question.connection });
  return await engine.check(question).finally(() => engine.close());
}

async function askServer(question: Question, flags: Flags): Promise<Decision> {
  if (flags.has("config"))
    throw new UsageError("--config is for asking from here, --server for asking a server; give one");
  const apiKey = secretFrom(flags.text("api-key") ?? "env:HALLPASS_API_KEY");
  if (apiKey === undefined)
    throw new UsageError("--api-key must be env:NAME or file:/path; a key cannot stand in the command");
  const server = connectTo(flags, apiKey);
  return await server.ask(question).finally(() => server.close());
}

function connectTo(flags: Flags, apiKey: NonNullable<ReturnType<typeof secretFrom>>): RemoteServer {
  const ca = certificates(flags.text("ca-file"));
  try {
    const timeoutMs = readDuration(flags.text("timeout") ?? "1m");
    const url = flags.text("server") ?? "";
    return new RemoteServer({ url, apiKey, timeoutMs, ...(ca === undefined ? {} : { ca }) });
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

function certificates(path: string | undefined): string | undefined {
  try {
    return path === undefined ? undefined : readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`--ca-file: ${path} cannot be read`, { cause: error });
  }
}

function interrupted(): never {
  process.stderr.write("hallpass: interrupted before there was a decision\n");
  process.exit(NO_DECISION);
}
