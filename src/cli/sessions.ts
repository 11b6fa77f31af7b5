/** `hallpass sessions`, and `hallpass answer` in all its forms: what needs a session that runs. */
import { connectSocket } from "../control/client.ts";
import { findSessions, type Found, pickSession } from "../control/find.ts";
import { sessionFolder, socketPath } from "../control/folder.ts";
import type { ClientAction, RuleScope, SessionConnection, SessionEvent } from "../control/messages.ts";
import { HallpassError, UsageError } from "../errors.ts";
import { formatDuration } from "../policy/duration.ts";
import { formatRule } from "../policy/format.ts";
import type { PlacedRule } from "../policy/rule.ts";
import { show } from "../policy/show.ts";
import type { Flags } from "./argv.ts";
import type { Context } from "./context.ts";

export async function sessions(flags: Flags, context: Context): Promise<number> {
  const found = await findSessions(sessionFolder(context));
  if (flags.has("json")) for (const { info, pending } of found) print(JSON.stringify({ ...info, pending }));
  else if (found.length === 0) print("no session of yours is running");
  else for (const one of found) print(sessionLine(one));
  return 0;
}

function sessionLine({ info, pending }: Found): string {
  const waits = pending === 0 ? "" : `  ${pending} ${pending === 1 ? "request waits" : "requests wait"}`;
  const since = formatDuration(Date.now() - info.started);
  const ended = info.ended ? `  ended, ${info.ended.left} left` : "";
  return `${info.pid}  ${show(info.command.join(" "))}  in ${show(info.project)}  for ${since}${waits}${ended}`;
}

/** Connects to the session that `pid`, or the working directory, means. */
export async function attach(pid: string | undefined, client: string, context: Context): Promise<SessionConnection> {
  const folder = sessionFolder(context);
  const picked = await pickSession(folder, pid, context.cwd);
  try {
    return await connectSocket(socketPath(folder, picked), client);
  } catch (error) {
    if (!(error instanceof HallpassError)) throw error;
    throw new HallpassError(`session ${picked}: ${error.message}`);
  }
}

export async function answer(flags: Flags, words: readonly string[], context: Context): Promise<number> {
  const pid = /^\d+$/.test(words[0] ?? "") ? words[0] : undefined;
  const [verb, ...rest] = pid === undefined ? words : words.slice(1);
  const prepared = prepare(verb, rest, (flags.text("scope") ?? "project") as RuleScope);
  const connection = await attach(pid, "answer", context);
  try {
    return await (prepared ? prepared(connection, flags.has("json")) : interact(connection, flags.has("json")));
  } finally {
    connection.close();
  }
}

type Work = (connection: SessionConnection, isJson: boolean) => Promise<number>;

/** The words are checked before a session is looked for. */
function prepare(verb: string | undefined, rest: readonly string[], scope: RuleScope): Work | undefined {
  if (verb === undefined) return undefined;
  if (verb === "rules" && rest.length === 0) return listRules;
  if (verb === "add" && rest.length > 0) {
    return (connection, isJson) =>
      request(connection, { type: "rule-add", rule: rest.join(" "), scope, ref: 1 }, isJson);
  }
  if (verb === "edit" && rest.length > 1) {
    const [number, ...rule] = rest;
    return (connection, isJson) =>
      request(connection, { type: "rule-edit", id: idOf(number), rule: rule.join(" "), ref: 1 }, isJson);
  }
  if (verb === "delete" && rest.length === 1) {
    return (connection, isJson) => request(connection, { type: "rule-delete", id: idOf(rest[0]), ref: 1 }, isJson);
  }
  throw new UsageError("usage: hallpass answer [PID] [rules | add RULE | edit N RULE | delete N]");
}

/** N is the number in the name of a rule that can be changed: it stays the rule's own while others come and go. */
function idOf(number: string | undefined): string {
  if (!/^\d+$/.test(number ?? ""))
    throw new UsageError(`${number} is no rule number; hallpass answer rules lists them`);
  return `s${number}`;
}

async function interact(connection: SessionConnection, isJson: boolean): Promise<number> {
  const client = await import("../clients/answer.ts");
  const streams = { input: process.stdin, write: (text: string) => void process.stdout.write(text) };
  await (isJson ? client.answerAsJson(connection, streams) : client.answerRequests(connection, streams));
  return 0;
}

async function listRules(connection: SessionConnection, isJson: boolean): Promise<number> {
  const { rules } = await heard(connection, "welcome");
  for (const rule of rules) print(isJson ? JSON.stringify(rule) : ruleLine(rule));
  return 0;
}

export function ruleLine(rule: PlacedRule): string {
  const number = /^s(\d+)$/.exec(rule.id)?.[1] ?? "-";
  const left = rule.expiresAt === undefined ? "" : `, ${formatDuration(rule.expiresAt - Date.now())} left`;
  return `${number.padStart(4)}  ${formatRule(rule)}  (${originText(rule)}${left})`;
}

export function originText({ origin }: PlacedRule): string {
  const place =
    origin.file === undefined ? "" : ` ${show(origin.file)}${origin.line === undefined ? "" : `:${origin.line}`}`;
  const name = origin.group === undefined ? "" : ` @${origin.group}`;
  return `${origin.kind}${name}${place}`;
}

/** Sends one action and waits for its reply; 0 where it was done. */
async function request(connection: SessionConnection, action: ClientAction, isJson: boolean): Promise<number> {
  const reply = heard(connection, "reply");
  connection.send(action);
  const { error, result } = await reply;
  if (isJson) print(JSON.stringify({ error, result }));
  else if (error !== undefined) process.stderr.write(`hallpass: ${error}\n`);
  else print("done");
  return error === undefined ? 0 : 1;
}

export function heard<Type extends SessionEvent["type"]>(
  connection: SessionConnection,
  type: Type,
): Promise<Extract<SessionEvent, { type: Type }>> {
  return new Promise((resolve, reject) => {
    connection.subscribe((event) => {
      if (event.type === type) resolve(event as Extract<SessionEvent, { type: Type }>);
      else if (event.type === "bye") reject(new HallpassError(event.reason));
    });
  });
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
