/** Misuse of the methods is a TypeError, never a decision (CHECKS §5.1). */
import type { Question } from "../question.ts";

export interface AskOptions {
  /** The caller's groups, where the connection uses them. */
  readonly groups?: readonly string[];
  /** Skip the caches and read anew. */
  readonly fresh?: boolean;
}

/** The arguments of `check` as a question. Throws TypeError. */
export function questionOf(
  user: string,
  connection: string,
  action: string,
  resource: string,
  options: AskOptions | readonly string[] = {},
  fresh?: boolean,
): Question {
  for (const [name, value] of Object.entries({ user, connection, action, resource })) {
    if (typeof value !== "string") throw new TypeError(`${name} must be a string`);
  }
  const wanted = optionsOf(options, fresh);
  if (wanted.fresh !== undefined && typeof wanted.fresh !== "boolean")
    throw new TypeError("fresh must be true or false");
  const groups = wanted.groups === undefined ? {} : { groups: groupsOf(wanted.groups) };
  return { user, connection, action, resource, ...groups, ...(wanted.fresh ? { fresh: true } : {}) };
}

/** Groups stand alone, followed by `fresh`, or both in an object. */
function optionsOf(options: unknown, fresh: boolean | undefined): AskOptions {
  if (Array.isArray(options))
    return { groups: options as readonly string[], ...(fresh === undefined ? {} : { fresh }) };
  if (typeof options !== "object" || options === null)
    throw new TypeError("after the resource comes { groups, fresh }, or a list of groups");
  const other = Object.keys(options).find((key) => key !== "groups" && key !== "fresh");
  if (other !== undefined) throw new TypeError(`there is no option ${other}; there are groups and fresh`);
  if (fresh !== undefined) throw new TypeError("fresh is given in the options, or after a list of groups");
  return options;
}

/** A list of strings, copied. Throws TypeError for anything else, a single string too. */
export function groupsOf(value: unknown): readonly string[] {
  if (!Array.isArray(value) || !value.every((group) => typeof group === "string"))
    throw new TypeError("groups must be a list of strings");
  return [...value];
}
