/** Context keys that every simulation is given: `aws:SourceIp=ip:10.0.0.1;aws:PrincipalTag/team=stringList:a,b` (CHECKS §4.11). */

export interface ContextEntry {
  readonly key: string;
  readonly type: string;
  readonly values: readonly string[];
}

const TYPES = ["string", "stringList", "numeric", "boolean", "ip", "binary", "date"];
const ENTRY = /^([A-Za-z0-9-]{1,64}:[\w+=,.@:/-]{1,255}?)=([A-Za-z]+):(.+)$/;

/** Throws an Error whose message completes "context_entries …". */
export function readContext(raw: string): readonly ContextEntry[] {
  const entries = raw
    .replace(/;\s*$/, "")
    .split(";")
    .map((entry) => readEntry(entry.trim()));
  if (new Set(entries.map(({ key }) => key.toLowerCase())).size < entries.length)
    throw new Error("must name each key once");
  return entries;
}

function readEntry(entry: string): ContextEntry {
  const [, key, type = "", value = ""] = ENTRY.exec(entry) ?? [];
  if (key === undefined) throw new Error("must be like key=type:value;key=type:value");
  if (!TYPES.includes(type)) throw new Error(`must have the types ${TYPES.join(", ")}`);
  const values = type === "stringList" ? value.split(",").map((item) => item.trim()) : [value];
  if (values.includes("")) throw new Error("must not have empty values");
  return { key, type, values };
}

/** As the Query protocol has lists of structures. */
export function contextForm(entries: readonly ContextEntry[]): Record<string, string> {
  const pairs = entries.flatMap(({ key, type, values }, index): [string, string][] => {
    const at = `ContextEntries.member.${index + 1}`;
    const items = values.map((value, n): [string, string] => [`${at}.ContextKeyValues.member.${n + 1}`, value]);
    return [[`${at}.ContextKeyName`, key], [`${at}.ContextKeyType`, type], ...items];
  });
  return Object.fromEntries(pairs);
}
