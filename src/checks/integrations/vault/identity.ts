/** The person's entity and groups, found by the alias of one login mount (CHECKS §4.18). */
import type { Call } from "../../call.ts";
import { denied, stop, Stop, userNotFound } from "../../codes.ts";
import type { Api } from "../../http/api.ts";
import { path } from "../../http/path.ts";
import type { Subject } from "../../question.ts";
import { dictionary, list, maybe, maybeFlag, record, reported, text, type Read } from "../../shared/fields.ts";

const Alias = record({ id: text, name: text, mount_accessor: text, metadata: dictionary(text) });
const Entity = record({
  id: text,
  name: text,
  disabled: maybeFlag,
  // A policy or group that goes unread could be the one that denies.
  policies: reported(text),
  metadata: dictionary(text),
  aliases: list(Alias),
  direct_group_ids: reported(text),
  inherited_group_ids: reported(text),
});
const Group = record({ id: text, name: text, policies: reported(text) });
const Mounts = record({ data: dictionary(record({ accessor: text })) });

export interface VaultIdentity {
  readonly entity: Pick<Read<typeof Entity>, "id" | "name" | "policies" | "metadata" | "aliases">;
  readonly groups: readonly Read<typeof Group>[];
}

export async function findEntity(api: Api, mount: string, subject: Subject, call: Call): Promise<VaultIdentity> {
  const json = { alias_name: subject.email, alias_mount_accessor: await accessorOf(api, mount, call) };
  const reply = await api.post(call, "/v1/identity/lookup/entity", { json, idempotent: true });
  const isEmpty = reply.status === 204 || reply.body.length === 0;
  const entity = isEmpty ? undefined : reply.json(record({ data: maybe(Entity) })).data;
  if (entity === undefined) throw new Stop(userNotFound("no entity has this email as its alias"));
  if (entity.id === "") throw stop("upstream_error", "the entity has no id");
  if (entity.disabled === undefined) throw stop("unsupported", "Vault did not say whether the entity is disabled");
  if (entity.disabled) throw new Stop(denied("the person's entity is disabled"));
  const { id, name, policies, metadata, aliases } = entity;
  return { entity: { id, name, policies, metadata, aliases }, groups: await groupsOf(api, entity, call) };
}

/** The alias mount's accessor. */
export async function accessorOf(api: Api, mount: string, call: Call): Promise<string> {
  const { data } = await api.read(Mounts, call, "/v1/sys/auth");
  const accessor = data[`${mount.replace(/^\/|\/$/g, "")}/`]?.accessor ?? "";
  if (accessor === "") throw stop("invalid_request", "the mount named by alias_mount is not enabled");
  return accessor;
}

async function groupsOf(api: Api, entity: Read<typeof Entity>, call: Call): Promise<Read<typeof Group>[]> {
  const ids = [...new Set([...entity.direct_group_ids, ...entity.inherited_group_ids])];
  // All must have the form before any is read: an odd one would be part of a path.
  if (!ids.every((id) => /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/.test(id)))
    throw stop("upstream_error", "a group has an odd id");
  const groups: Read<typeof Group>[] = [];
  for (const id of ids)
    groups.push((await api.read(record({ data: Group }), call, path`/v1/identity/group/id/${id}`)).data);
  return groups;
}
