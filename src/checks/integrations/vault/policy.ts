/** A policy document, HCL or JSON, as stanzas (CHECKS §4.18). */
import { readJson } from "../../http/reply.ts";
import { Body, HclError, parseHcl, type Item, type Value } from "./hcl.ts";

export interface Stanza {
  /** As written, without a leading `/`. */
  readonly path: string;
  readonly capabilities: ReadonlySet<string>;
  /** It has a condition that depends on the request itself: parameters, wrapping, a control group, MFA. */
  readonly isConditional: boolean;
}

const KNOWN = new Set(["create", "read", "update", "patch", "delete", "list", "sudo", "deny", "subscribe", "recover"]);

/** The words of the old form `policy = "…"`. */
const OLD: Readonly<Record<string, readonly string[]>> = {
  deny: ["deny"],
  read: ["read", "list"],
  write: ["create", "read", "update", "delete", "list"],
  sudo: ["create", "read", "update", "delete", "list", "sudo"],
};

const CONDITIONS = new Set([
  "allowed_parameters",
  "denied_parameters",
  "required_parameters",
  "min_wrapping_ttl",
  "max_wrapping_ttl",
  "control_group",
  "mfa_methods",
]);

/** Throws HclError for a document that is not read here; such a policy may say anything. */
export function readPolicy(source: string): Stanza[] {
  const body = source.trimStart().startsWith("{") ? fromJson(source) : parseHcl(source);
  return body.items.flatMap((item) => (item.key === "path" ? pathItem(item) : []));
}

function pathItem({ labels, value }: Item): Stanza[] {
  if (labels.length > 1) throw new HclError("a path stanza has more than one path");
  if (labels.length === 1) return [stanza(labels[0] ?? "", value)];
  // JSON, and `path = { "a" = { … } }`: the paths are keys; a list holds several such objects.
  const maps = Array.isArray(value) ? value : [value];
  return maps.flatMap((map: Value) => asBody(map).items.flatMap((item) => several(item)));
}

function several({ key, value }: Item): Stanza[] {
  return (Array.isArray(value) ? value : [value]).map((one: Value) => stanza(key, one));
}

function stanza(written: string, value: Value): Stanza {
  const path = written.replace(/^\//, "");
  if (path.includes("+*")) throw new HclError("a wildcard that Vault forbids");
  const { items } = asBody(value);
  const capabilities = new Set(items.flatMap((item) => capabilitiesOf(item)));
  return { path, capabilities, isConditional: items.some((item) => CONDITIONS.has(item.key) && !isEmpty(item.value)) };
}

function capabilitiesOf({ key, value }: Item): readonly string[] {
  if (key === "policy") return typeof value === "string" && OLD[value] ? OLD[value] : refuse();
  if (key !== "capabilities") return [];
  if (!Array.isArray(value)) return refuse();
  return value.map((one: Value) => (typeof one === "string" && KNOWN.has(one) ? one : refuse()));
}

function refuse(): never {
  throw new HclError("a capability that is not known");
}

function isEmpty(value: Value): boolean {
  return value === 0 || (Array.isArray(value) ? value.length === 0 : value instanceof Body && value.items.length === 0);
}

function asBody(value: Value): Body {
  if (value instanceof Body) return value;
  throw new HclError("a stanza is no block");
}

function fromJson(source: string): Body {
  try {
    return asBody(convert(readJson(Buffer.from(source))));
  } catch {
    throw new HclError("not JSON");
  }
}

function convert(value: unknown): Value {
  if (Array.isArray(value)) return value.map(convert);
  if (typeof value === "object" && value !== null) {
    return new Body(Object.entries(value).map(([key, inner]) => ({ key, labels: [], value: convert(inner) })));
  }
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  throw new HclError("a value that is not read");
}
