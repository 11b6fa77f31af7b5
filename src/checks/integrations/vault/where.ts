/** From a resource to the API path that policies speak of (CHECKS §4.18). */
import type { Call } from "../../call.ts";
import { stop } from "../../codes.ts";
import type { Api } from "../../http/api.ts";
import type { Resource } from "../../question.ts";
import { dictionary, record, text, type Read } from "../../shared/fields.ts";
import { idOf, invalidResource, onlyParams } from "../../shared/resource.ts";
import type { Lookup } from "../../shared/lookup.ts";
import type { VaultAction } from "./actions.ts";

const PATH = /^[A-Za-z0-9_.@:~=-]+(?:\/[A-Za-z0-9_.@:~=-]+)*\/?$/;
const Mounts = record({ data: dictionary(record({ type: text, options: record({ version: text }) })) });
export type Mounts = Read<typeof Mounts>["data"];

/** The checked path of `kv:` and `path:` resources, still without the mount's version. Throws `invalid_request`. */
export function readPath(resource: Resource): string {
  onlyParams(resource);
  const [id] = idOf(resource, PATH, "by a path of letters, digits and _ . - @ : ~ =, with / between its parts");
  if (id.split("/").some((part) => part === "." || part === ".."))
    throw invalidResource("the path has a . or .. in it");
  if (resource.type === "kv" && !id.includes("/")) throw invalidResource("a secret is named by kv:<mount>/<key>");
  return id;
}

/** The path in the API of a `kv:` path: under `data/`, `metadata/` or `destroy/` where the mount is of version 2. */
export async function kvPath(action: VaultAction, id: string, mounts: Mounts): Promise<string> {
  const mount = longest(id, Object.keys(mounts));
  const key = mount === undefined ? "" : id.slice(mount.length);
  if (mount === undefined || key === "")
    throw stop("resource_not_visible", "no mount has this path, or it is a mount itself");
  const { type, options } = mounts[mount] ?? { type: "", options: { version: "" } };
  if (type !== "kv" && type !== "generic") throw stop("unsupported", "the mount holds no key-value secrets");
  if (options.version === "2") return `${mount}${action.area}/${key}`;
  if (options.version !== "" && options.version !== "1")
    throw stop("unsupported", "the mount is of a version that is not known");
  if (action.isV2Only) throw stop("unsupported", `${action.name} needs a mount of version 2`);
  return id;
}

function longest(id: string, mounts: readonly string[]): string | undefined {
  const covering = mounts.filter((mount) => mount !== "" && `${id}/`.startsWith(mount));
  return covering.toSorted((a, b) => b.length - a.length)[0];
}

export async function readMounts(api: Api, lookup: Lookup<Mounts>, call: Call): Promise<Mounts> {
  return await lookup.get("mounts", call, async (inner) => (await api.read(Mounts, inner, "/v1/sys/mounts")).data);
}
