/** Templates in policy paths, filled from the person's entity and groups (CHECKS §4.18). */
import type { VaultIdentity } from "./identity.ts";
import type { Rule } from "./match.ts";
import type { Stanza } from "./policy.ts";

const HOLE = /\{\{(.*?)\}\}/g;

/** The stanza with its templates filled; opaque, under its literal beginning, where a value is missing or has `/` or a wildcard. */
export function fill(stanza: Stanza, identity: VaultIdentity): Rule {
  let isOpaque = false;
  const path = stanza.path.replace(HOLE, (_, name: string) => {
    const value = valueOf(name.trim(), identity);
    if (value === undefined || value === "" || /[/*+]/.test(value)) isOpaque = true;
    return value ?? "";
  });
  if (!isOpaque && !/\{\{|\}\}/.test(path)) return { ...stanza, path, isOpaque };
  return { ...stanza, path: stanza.path.split("{{")[0] ?? "", isOpaque: true };
}

function valueOf(name: string, { entity, groups }: VaultIdentity): string | undefined {
  const [root, kind, ...rest] = name.split(".");
  if (root !== "identity") return undefined;
  if (kind === "entity") return entityValue(rest, entity);
  if (kind !== "groups") return undefined;
  const [by, ...tail] = rest;
  const wanted = tail.slice(0, -1).join(".");
  const what = tail.at(-1);
  if (by === "ids" && what === "name") return groups.find((group) => group.id === wanted)?.name;
  return by === "names" && what === "id" ? groups.find((group) => group.name === wanted)?.id : undefined;
}

function entityValue([what, ...rest]: readonly string[], entity: VaultIdentity["entity"]): string | undefined {
  if (rest.length === 0) return what === "id" ? entity.id : what === "name" ? entity.name : undefined;
  if (what === "metadata") return own(entity.metadata, rest.join("."));
  if (what !== "aliases") return undefined;
  const [accessor, field, ...key] = rest;
  const alias = entity.aliases.find((one) => one.mount_accessor === accessor);
  if (alias === undefined) return undefined;
  if (key.length === 0) return field === "id" ? alias.id : field === "name" ? alias.name : undefined;
  return field === "metadata" ? own(alias.metadata, key.join(".")) : undefined;
}

function own(map: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}
