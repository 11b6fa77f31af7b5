/** What a client may send, checked field by field: a broken client must not break the session. */
import type { Answer } from "../session/request.ts";
import type { ClientAction } from "./messages.ts";

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string" && value.length <= 65_536;
const isNumber: Check = (value) => typeof value === "number" && Number.isSafeInteger(value);
const isScope: Check = (value) => value === "session" || value === "project" || value === "everywhere";
const isAnswers: Check = (value) => Array.isArray(value) && value.length <= 10_000 && value.every(isAnswer);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

const FIELDS: Record<ClientAction["type"], Record<string, Check>> = {
  hello: { version: isNumber, client: isText },
  answer: { answer: isAnswer, ref: optional(isNumber) },
  "answer-many": { answers: isAnswers, ref: optional(isNumber) },
  "rule-add": { rule: isText, scope: isScope, ref: optional(isNumber) },
  "rule-edit": { id: isText, rule: isText, ref: optional(isNumber) },
  "rule-delete": { id: isText, ref: optional(isNumber) },
  "rule-move": { id: isText, scope: isScope, ref: optional(isNumber) },
  preview: { rule: isText, replaces: optional(isText), ref: isNumber },
  why: { category: isText, target: isText, ref: isNumber },
  processes: { ref: optional(isNumber) },
  stop: { pid: optional(isNumber), ref: optional(isNumber) },
  "stop-supervising": { ref: optional(isNumber) },
};

/** The action in `value`, or undefined where it is none. */
export function parseAction(value: unknown): ClientAction | undefined {
  if (!isObject(value)) return undefined;
  const fields = Object.hasOwn(FIELDS, String(value.type)) ? FIELDS[value.type as ClientAction["type"]] : undefined;
  if (!fields) return undefined;
  const fits = Object.entries(fields).every(([name, check]) => check(value[name]));
  return fits ? (value as unknown as ClientAction) : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isAnswer(value: unknown): value is Answer {
  if (!isObject(value)) return false;
  return (
    isNumber(value.request) &&
    isText(value.kind) &&
    optional(isNumber)(value.duration) &&
    optional(isText)(value.target)
  );
}
