/** What can be asked of Vault, as capabilities on API paths (CHECKS §4.18). */
import type { Action, Pattern } from "../../integration.ts";

export const CAPABILITIES = [
  "read",
  "create",
  "update",
  "patch",
  "delete",
  "list",
  "sudo",
  "subscribe",
  "recover",
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** The part of a KV version 2 mount that an action goes to. */
export type Area = "data" | "metadata" | "destroy";

export interface VaultAction extends Action {
  /** All are needed; some but not all is `unsupported`. */
  readonly needs: readonly Capability[];
  readonly area: Area;
  /** Version 1 mounts have nothing of the kind. */
  readonly isV2Only?: true;
}

const kv = { resources: ["kv"] } as const;

export const actions: readonly VaultAction[] = [
  { name: "secret.read", about: "read a secret", needs: ["read"], area: "data", ...kv },
  { name: "secret.write", about: "write a secret, new or old", needs: ["create", "update"], area: "data", ...kv },
  { name: "secret.delete", about: "delete a secret's latest version", needs: ["delete"], area: "data", ...kv },
  { name: "secret.list", about: "list the names below a key", needs: ["list"], area: "metadata", ...kv },
  {
    name: "secret.metadata",
    about: "read a secret's metadata",
    needs: ["read"],
    area: "metadata",
    isV2Only: true,
    ...kv,
  },
  {
    name: "secret.destroy",
    about: "destroy versions for good",
    needs: ["update"],
    area: "destroy",
    isV2Only: true,
    ...kv,
  },
];

export const patterns: readonly Pattern<VaultAction>[] = [
  { form: `raw:<${CAPABILITIES.join("|")}>`, about: "a capability on an API path", match: raw },
];

function raw(name: string): VaultAction | undefined {
  const capability = CAPABILITIES.find((one) => name === `raw:${one}`);
  return (
    capability && {
      name,
      about: `the capability ${capability}`,
      needs: [capability],
      area: "data",
      resources: ["path"],
    }
  );
}
