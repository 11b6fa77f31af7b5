/** Who may push or merge into a protected branch, of the members whose level gives it (CHECKS §4.4). */
import type { Call } from "../../call.ts";
import { allowed, denied, unknown, type Finding } from "../../codes.ts";
import type { Api } from "../../http/api.ts";
import { path } from "../../http/path.ts";
import { unreadable } from "../../http/reply.ts";
import { idNumber, maybeWhole, record, reported, text, type Read } from "../../shared/fields.ts";
import type { GitlabUser } from "./identity.ts";
import { listAll } from "./lists.ts";
import { isInGroup, type Member } from "./member.ts";
import { covers } from "./wildcard.ts";
import type { Ask } from "./where.ts";

const Entry = record({
  access_level: maybeWhole,
  user_id: idNumber,
  group_id: idNumber,
  deploy_key_id: idNumber,
  member_role_id: idNumber,
});
type Entry = Read<typeof Entry>;

const Rule = record({ name: text, push_access_levels: reported(Entry), merge_access_levels: reported(Entry) });

const ADMINS = 60;

/** Undefined: it depends on something hallpass is not shown. */
type Passes = boolean | undefined;

export async function decideBranch(
  { action, id, branch }: Ask,
  who: { readonly user: GitlabUser; readonly member: Member },
  api: Api,
  call: Call,
): Promise<Finding> {
  const yes = allowed("the person's level gives it");
  if (action.branch === undefined) return yes;
  const rules = await listAll(Rule, api, call, path`/projects/${id}/protected_branches`);
  if (rules.length === 0) return yes;
  if (branch === undefined)
    return unknown("unsupported", "the project has protected branches, and the resource names no branch");
  if (rules.some(({ name }) => name === "")) throw unreadable();
  const list = action.branch;
  const matching = rules.filter(({ name }) => covers(name, branch));
  if (matching.length === 0) return yes;
  return await best(
    matching.flatMap((rule) => rule[list]),
    who,
    api,
    call,
  );
}

/** The most permissive entry wins; groups are read only where no other entry does. */
async function best(
  entries: readonly Entry[],
  { user, member }: { readonly user: GitlabUser; readonly member: Member },
  api: Api,
  call: Call,
): Promise<Finding> {
  const yes = allowed("the branch is protected, and the person is among those who may");
  const groups = entries.flatMap(({ group_id: group }) => (group === "" ? [] : [group]));
  const passes: Passes[] = entries
    .filter((entry) => entry.group_id === "")
    .map((entry) => passesEntry(entry, user, member));
  if (passes.includes(true)) return yes;
  for (const group of new Set(groups)) {
    const isIn = await isInGroup(group, user, api, call);
    if (isIn) return yes;
    passes.push(isIn);
  }
  return passes.includes(undefined)
    ? unknown("unsupported", "the branch is protected in a way that hallpass is not shown whole")
    : denied("the branch is protected, and the person is not among those who may");
}

/** An entry for a user, a deploy key or a role has an `access_level` too, which then says nothing. */
function passesEntry(
  entry: Entry,
  { id, isAdmin }: GitlabUser,
  { access_level: level = 0, member_role: role }: Member,
): Passes {
  if (entry.user_id !== "") return entry.user_id === id;
  if (entry.deploy_key_id !== "") return false;
  if (entry.member_role_id !== "") return entry.member_role_id === role?.id ? true : undefined;
  if (entry.access_level === 0) return false;
  if (entry.access_level === 30 || entry.access_level === 40) return level >= entry.access_level;
  return entry.access_level === ADMINS ? isAdmin : undefined;
}
