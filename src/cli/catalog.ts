/** `hallpass catalog`: the systems that can be asked, with their configuration keys and actions. */
import { COMMON_KEYS } from "../checks/config/connection.ts";
import type { Keys } from "../checks/config/keys.ts";
import type { AnyIntegration } from "../checks/integration.ts";
import { INTEGRATIONS } from "../checks/integrations/index.ts";
import { UsageError } from "../errors.ts";
import type { Flags } from "./argv.ts";

/** The exit code. */
export function catalog(flags: Flags, name: string | undefined): number {
  const shown = name === undefined ? [...INTEGRATIONS.values()] : [named(name)];
  if (flags.has("json")) process.stdout.write(shown.map((one) => `${JSON.stringify(asData(one))}\n`).join(""));
  else process.stdout.write(name === undefined ? overview(shown) : page(named(name)));
  return 0;
}

function named(name: string): AnyIntegration {
  const found = INTEGRATIONS.get(name);
  if (found === undefined)
    throw new UsageError(`there is no integration ${name}; there are ${[...INTEGRATIONS.keys()].join(", ")}`);
  return found;
}

function overview(all: readonly AnyIntegration[]): string {
  const rows = all.map(({ name, about, actions, patterns = [] }): [string, string] => {
    const count = [`${actions.length} actions`, ...patterns.map(({ form }) => form)].join(", ");
    return [name, `${about} (${count})`];
  });
  return `${table(rows)}\nOne of them with its keys and actions: hallpass catalog NAME\n`;
}

function page({ name, about, keys, actions, patterns = [] }: AnyIntegration): string {
  const acts = actions.map((one): [string, string] => [one.name, `${one.about}; on ${one.resources.join(", ")}`]);
  const forms = patterns.map(({ form, about: what }): [string, string] => [form, what]);
  return [
    `${name}: ${about}`,
    "",
    "keys:",
    table(keyRows(keys)),
    "keys of every connection:",
    table(keyRows(COMMON_KEYS)),
    "actions:",
    table([...acts, ...forms]),
  ].join("\n");
}

function keyRows(keys: Keys): [string, string][] {
  return Object.entries(keys).map(([name, { kind, about, required, default: fallback }]) => {
    const notes = [kind, ...(required ? ["required"] : []), ...(fallback ? [`default ${fallback}`] : [])];
    return [name, `${about} (${notes.join(", ")})`];
  });
}

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.min(Math.max(0, ...rows.map(([left]) => left.length)), 40);
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join("");
}

function asData({ name, about, keys, actions, patterns = [] }: AnyIntegration): object {
  return {
    integration: name,
    about,
    keys: Object.entries(keys).map(([key, one]) => ({
      key,
      kind: one.kind,
      about: one.about,
      required: one.required,
      ...(one.default === undefined ? {} : { default: one.default }),
    })),
    actions: actions.map((one) => ({ name: one.name, resources: one.resources, about: one.about })),
    families: patterns.map(({ form, about: what }) => ({ form, about: what })),
  };
}
