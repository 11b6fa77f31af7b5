/** The shape of a question, and the checks on it before anything is looked up (CHECKS §1.1, §1.3). */
import { stop } from "./codes.ts";

export interface Question {
  /** The email of the person the agent acts for. */
  readonly user: string;
  readonly groups?: readonly string[];
  readonly connection: string;
  readonly action: string;
  /** `type:id?key=value&…` */
  readonly resource: string;
  /** Skip the caches and read anew. */
  readonly fresh?: boolean;
}

/** The person as integrations see them: the address lower-cased, with its two halves, and the caller's groups. */
export interface Subject {
  readonly email: string;
  readonly local: string;
  readonly domain: string;
  readonly groups: readonly string[];
}

export interface Resource {
  readonly raw: string;
  readonly type: string;
  /** May be empty (`global`). */
  readonly id: string;
  readonly params: ReadonlyMap<string, string>;
}

const CONTROL = /[\p{Cc}\u2028\u2029]/u;
/** White space of any script, controls, and the letters that fold to ASCII ones: İ ı ſ and the Kelvin sign. */
const NOT_IN_USER = /[\s\p{Cc}\u2028\u2029\ufeff\u0085\u0130\u0131\u017f\u212a]/u;
const ACTION = /^[A-Za-z0-9][A-Za-z0-9_.:/*-]*$/;
const TYPE = /^[a-z][a-z0-9_]{0,63}$/;
/** A lone surrogate has no UTF-8 form: two texts that differ only there would be one on the wire. */
const LONE = /\p{Surrogate}/u;

/** What the question says, read and split. Throws `invalid_request`; no rule of an integration is looked at. */
export function readQuestion(question: Question): { subject: Subject; resource: Resource } {
  const subject = readSubject(question.user, question.groups ?? []);
  if (question.connection === "") throw invalid("the connection is empty");
  if (!ACTION.test(question.action)) throw invalid("the action has no valid form");
  if (bytes(question.action) > 200) throw invalid("the action is longer than 200 bytes");
  return { subject, resource: readResource(question.resource) };
}

function readSubject(user: string, groups: readonly string[]): Subject {
  if (user === "" || bytes(user) > 320) throw invalid("the user is empty or longer than 320 bytes");
  if (NOT_IN_USER.test(user) || LONE.test(user)) throw invalid("the user has a character that no address may have");
  const [local, domain, ...rest] = user.toLowerCase().split("@");
  if (!local || !domain || rest.length > 0)
    throw invalid("the user is not one address with a text before and after its @");
  if (groups.length > 200) throw invalid("there are more than 200 groups");
  if (!groups.every(isGroup)) throw invalid("a group is empty, longer than 256 bytes or has a control character");
  return { email: `${local}@${domain}`, local, domain, groups };
}

function isGroup(group: string): boolean {
  return group !== "" && bytes(group) <= 256 && !CONTROL.test(group) && !LONE.test(group);
}

/** `type:id?key=value&…`, cut at the first `?` and the first `:`. Throws `invalid_request`. */
export function readResource(raw: string): Resource {
  if (raw === "" || bytes(raw) > 1024) throw invalid("the resource is empty or longer than 1024 bytes");
  if (CONTROL.test(raw) || LONE.test(raw)) throw invalid("the resource has a control character");
  const [head, query] = cut(raw, "?");
  const [type, id] = cut(head, ":");
  if (!TYPE.test(type)) throw invalid("the resource's type has no valid form");
  return { raw, type, id: id ?? "", params: readParams(query) };
}

function readParams(query: string | undefined): Map<string, string> {
  const params = new Map<string, string>();
  if (query === undefined || query === "") return params;
  if (query.includes(";")) throw invalid("the resource's parameters are parted by &, not by ;");
  for (const part of query.split("&")) {
    const [rawKey, rawValue] = cut(part, "=");
    const key = unescape(rawKey);
    if (!TYPE.test(key) || params.has(key))
      throw invalid("a parameter of the resource has no valid name or comes twice");
    params.set(key, unescape(rawValue ?? ""));
  }
  return params;
}

function unescape(text: string): string {
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) throw invalid("the resource has a % without two hex digits");
  const plain = text
    .replaceAll("+", " ")
    .replace(/(?:%[0-9A-Fa-f]{2})+/g, (run) =>
      new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.from(run.replaceAll("%", ""), "hex")),
    );
  if (CONTROL.test(plain)) throw invalid("the resource has a control character");
  return plain;
}

function cut(text: string, at: string): [string, string | undefined] {
  const index = text.indexOf(at);
  return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + 1)];
}

function bytes(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

function invalid(text: string): Error {
  return stop("invalid_request", text);
}
