/** The JSON of a request as questions, read strictly: a field that is unknown, comes twice or is of another type is refused (CHECKS §3.2). */
import type { Question } from "../question.ts";

/** Says what is wrong with a body in one sentence. */
export class BodyError extends Error {
  override readonly name = "BodyError";
}

const FIELDS = ["user", "groups", "connection", "action", "resource", "fresh"];
/** Questions in one batch. */
export const MAX_BATCH = 100;

export function readQuestionBody(body: Buffer): Question {
  const text = decode(body);
  return questionOf(parse(text), keysAt(text, 1));
}

/** `{"checks": [question, …]}`, 1 to 100 of them. */
export function readBatchBody(body: Buffer): Question[] {
  const text = decode(body);
  const value = parse(text);
  if (!isObject(value) || keysAt(text, 1).join() !== "checks" || !Array.isArray(value.checks))
    throw new BodyError('the body must be an object with the one field "checks", a list');
  const checks = value.checks as unknown[];
  if (checks.length === 0 || checks.length > MAX_BATCH)
    throw new BodyError(`"checks" must have 1 to ${MAX_BATCH} items`);
  const groups = splitObjects(text);
  return checks.map((check, index) => questionOf(check, groups[index] ?? []));
}

function questionOf(value: unknown, keys: readonly string[]): Question {
  if (!isObject(value)) throw new BodyError("a question must be an object");
  const lower = keys.map(asciiLower);
  const unknown = lower.find((key) => !FIELDS.includes(key));
  if (unknown !== undefined) throw new BodyError(`a field is not known; there are ${FIELDS.join(", ")}`);
  if (new Set(lower).size !== lower.length) throw new BodyError("a field comes twice");
  const fields = new Map(Object.entries(value).map(([key, one]) => [asciiLower(key), one]));
  const text = (name: string): string => textOf(fields.get(name) ?? "", name);
  const groups = fields.get("groups") ?? [];
  if (!Array.isArray(groups)) throw new BodyError("groups must be a list of strings");
  const fresh = fields.get("fresh") ?? false;
  if (typeof fresh !== "boolean") throw new BodyError("fresh must be true or false");
  return {
    user: text("user"),
    connection: text("connection"),
    action: text("action"),
    resource: text("resource"),
    ...(groups.length > 0 ? { groups: groups.map((group) => textOf(group, "a group")) } : {}),
    ...(fresh ? { fresh } : {}),
  };
}

function textOf(value: unknown, name: string): string {
  if (typeof value !== "string") throw new BodyError(`${name} must be a string`);
  return value.toWellFormed();
}

function decode(body: Buffer): string {
  if (body.length === 0) throw new BodyError("the body is empty");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw new BodyError("the body is not UTF-8");
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new BodyError("the body is not JSON");
  }
}

interface Key {
  readonly depth: number;
  /** Which object of its depth it stands in, from 0. */
  readonly object: number;
  readonly name: string;
}

/** Every key of a text that is known to be JSON; JSON.parse forgets those that come twice. */
function keysOf(text: string): Key[] {
  const keys: Key[] = [];
  const objects = new Map<number, number>();
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:)?|[{}[\]]/g)) {
    if (token === "{" || token === "[") depth++;
    if (token === "{") objects.set(depth, (objects.get(depth) ?? -1) + 1);
    if (token === "}" || token === "]") depth--;
    if (token.endsWith(":"))
      keys.push({ depth, object: objects.get(depth) ?? 0, name: JSON.parse(token.slice(0, -1)) as string });
  }
  return keys;
}

function keysAt(text: string, depth: number): string[] {
  return keysOf(text).flatMap((key) => (key.depth === depth ? [key.name] : []));
}

/** The keys of each object in the list of a batch: `{` 1, `[` 2, `{` 3. */
function splitObjects(text: string): string[][] {
  const found: string[][] = [];
  for (const { depth, object, name } of keysOf(text)) if (depth === 3) (found[object] ??= []).push(name);
  return found;
}

/** ſ and the Kelvin sign fold to letters of ours with toLowerCase; a field's name does not. */
function asciiLower(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
