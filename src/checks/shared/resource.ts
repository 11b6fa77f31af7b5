/** What most integrations do with a resource's id: check its form, split off a branch (CHECKS §1.3). */
import { stop } from "../codes.ts";
import type { Resource } from "../question.ts";

export function invalidResource(text: string): Error {
  return stop("invalid_request", text);
}

/** The id, matched by an anchored pattern. Throws `invalid_request`; `hint` completes "a <type> is named …". */
export function idOf(resource: Resource, pattern: RegExp, hint: string): RegExpExecArray {
  const match = pattern.exec(resource.id);
  if (match === null || match[0] !== resource.id) throw invalidResource(`a ${resource.type} is named ${hint}`);
  return match;
}

/** For types such as `global` and `org` that name one thing only. */
export function noId(resource: Resource): void {
  if (resource.raw !== resource.type) throw invalidResource(`${resource.type} takes no id and no parameters`);
}

/** Throws `invalid_request` for a parameter not in `known`; integrations without parameters call it with none. */
export function onlyParams(resource: Resource, ...known: readonly string[]): void {
  for (const name of resource.params.keys()) {
    if (!known.includes(name))
      throw invalidResource(
        known.length === 0 ? "this resource takes no parameters" : `the resource takes only ${known.join(", ")}`,
      );
  }
}

/** `<id>@<branch>` split at the last `@`; without one the branch is undefined. Throws on a name git would not take. */
export function branchOf(id: string): { id: string; branch: string | undefined } {
  const at = id.lastIndexOf("@");
  if (at < 0) return { id, branch: undefined };
  const branch = id.slice(at + 1);
  if (!isBranch(branch)) throw invalidResource("the branch has no valid name");
  return { id: id.slice(0, at), branch };
}

/** As git check-ref-format(1) has it, and not beginning with `-`. */
function isBranch(name: string): boolean {
  if (
    name === "" ||
    name === "@" ||
    name.startsWith("-") ||
    name.endsWith(".") ||
    name.includes("@{") ||
    name.includes("..")
  )
    return false;
  if (/[\s~^:?*[\\\p{Cc}]/u.test(name)) return false;
  return name.split("/").every((part) => part !== "" && !part.startsWith(".") && !part.endsWith(".lock"));
}
