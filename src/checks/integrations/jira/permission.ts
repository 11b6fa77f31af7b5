/** Jira's own answer to whether an account has a permission (CHECKS §4.6). */
import type { Call } from "../../call.ts";
import { allowed, denied, stop, unknown, type Finding } from "../../codes.ts";
import type { Api } from "../../http/api.ts";
import { path } from "../../http/path.ts";
import { unreadable } from "../../http/reply.ts";
import type { Resource } from "../../question.ts";
import { idAny, list, maybe, record, text, type Read } from "../../shared/fields.ts";
import { idOf, noId, onlyParams } from "../../shared/resource.ts";

export type Ask =
  | { readonly permission: string; readonly on: "project" | "issue"; readonly key: string }
  | { readonly permission: string; readonly on: "global" };

export function readAsk(permission: string, resource: Resource): Ask {
  if (resource.type === "global") {
    noId(resource);
    return { permission, on: "global" };
  }
  onlyParams(resource);
  if (resource.type === "project") {
    const [key] = idOf(resource, /^[A-Z][A-Z0-9_]{1,9}$/, "by its key");
    return { permission, on: "project", key };
  }
  const [key] = idOf(resource, /^[A-Z][A-Z0-9_]{1,9}-[1-9][0-9]{0,17}$/, "by its key, <PROJECT>-<number>");
  return { permission, on: "issue", key };
}

const Grant = record({ permission: text, projects: maybe(list(idAny)), issues: maybe(list(idAny)) });
const Answer = record({ projectPermissions: list(Grant), globalPermissions: maybe(list(text)) });

export async function decide(api: Api, accountId: string, ask: Ask, call: Call): Promise<Finding> {
  return ask.on === "global"
    ? await ofSite(api, accountId, ask.permission, call)
    : await ofThing(api, accountId, ask, call);
}

async function ofSite(api: Api, accountId: string, permission: string, call: Call): Promise<Finding> {
  const { globalPermissions: held } = await check(api, { accountId, globalPermissions: [permission] }, call);
  if (held === undefined) return unknown("unsupported", "Jira did not say which global permissions the person has");
  return held.includes(permission)
    ? allowed(`the person has the global permission ${permission}`)
    : denied(`the person does not have the global permission ${permission}`);
}

async function ofThing(
  api: Api,
  accountId: string,
  { permission, on, key }: Extract<Ask, { readonly key: string }>,
  call: Call,
): Promise<Finding> {
  const id = await idOfThing(api, on, key, call);
  const kind = on === "project" ? "projects" : "issues";
  const asked = { permissions: [permission], [kind]: [id] };
  const { projectPermissions } = await check(api, { accountId, projectPermissions: [asked] }, call);
  const echoed = projectPermissions.filter((grant) => grant.permission === permission);
  const ids = echoed.map((grant) => grant[kind]);
  if (ids.length === 0 || ids.includes(undefined))
    return unknown("unsupported", `Jira did not answer for the permission ${permission}`);
  return ids.some((held) => held?.includes(String(id)))
    ? allowed(`the person has ${permission} on the ${on}`)
    : denied(`the person does not have ${permission} on the ${on}`);
}

/** The number that stands for it in a permission check. */
async function idOfThing(api: Api, on: "project" | "issue", key: string, call: Call): Promise<number> {
  const found =
    on === "project"
      ? await api.find(record({ id: idAny }), call, path`/rest/api/3/project/${key}`)
      : await api.find(record({ id: idAny }), call, path`/rest/api/3/issue/${key}`, { query: { fields: "project" } });
  if (found === undefined) throw stop("resource_not_visible", `the ${on} is missing, or hallpass cannot see it`);
  const id = Number(found.id);
  if (!/^[1-9][0-9]*$/.test(found.id) || !Number.isSafeInteger(id)) throw unreadable();
  return id;
}

async function check(api: Api, json: object, call: Call): Promise<Read<typeof Answer>> {
  const reply = await api.post(call, "/rest/api/3/permissions/check", { json, idempotent: true, expect: [400] });
  if (reply.status === 400) throw stop("unsupported", "Jira does not take the question as it is");
  return reply.json(Answer);
}
