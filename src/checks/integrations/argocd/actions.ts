/** What can be asked of Argo CD: its RBAC resources and verbs, and forms that name a Kubernetes object of an application (CHECKS §4.2). */
import type { Action, Pattern } from "../../integration.ts";

export interface ArgoAction extends Action {
  /** The resource and verb of a policy line. */
  readonly of: string;
  readonly verb: string;
  /** The verb for the whole application, which a finer one may inherit from. */
  readonly above?: "update" | "delete";
}

const CRUD = ["get", "create", "update", "delete"];

/** By the actions' first part: the policy's resource, its verbs, and the resource types of questions. */
const GROUPS: Readonly<
  Record<string, { readonly of: string; readonly verbs: readonly string[]; readonly types?: readonly string[] }>
> = {
  app: { of: "applications", verbs: [...CRUD, "sync", "rollback", "override"] },
  logs: { of: "logs", verbs: ["get"], types: ["logs", "applications"] },
  exec: { of: "exec", verbs: ["create"], types: ["exec", "applications"] },
  appset: { of: "applicationsets", verbs: CRUD },
  project: { of: "projects", verbs: CRUD },
  cluster: { of: "clusters", verbs: CRUD },
  repo: { of: "repositories", verbs: CRUD },
  writerepo: { of: "write-repositories", verbs: CRUD, types: ["write_repositories"] },
  certificate: { of: "certificates", verbs: CRUD },
  account: { of: "accounts", verbs: ["get", "update"] },
  gpgkey: { of: "gpgkeys", verbs: ["get", "create", "delete"] },
  extension: { of: "extensions", verbs: ["invoke"] },
};

export const actions: readonly ArgoAction[] = Object.entries(GROUPS).flatMap(([first, { of, verbs, types }]) =>
  verbs.map((verb) => ({
    name: `${first}.${verb}`,
    about: `${verb} ${of.replace("-", " ")}`,
    resources: types ?? [of],
    of,
    verb,
  })),
);

const PART = "[A-Za-z0-9][A-Za-z0-9_.:-]*";
const ACTION = new RegExp(`^app\\.(action/(?:${PART})?/${PART}/${PART})$`);
const OBJECT = new RegExp(`^app\\.((update|delete)/(?:${PART})?/${PART}/${PART}/${PART})$`);

function fine(name: string, pattern: RegExp): ArgoAction | undefined {
  const [, verb, above] = pattern.exec(name) ?? [];
  if (verb === undefined) return undefined;
  const given = { name, about: `${verb} in an application`, resources: ["applications"], of: "applications", verb };
  return above === "update" || above === "delete" ? { ...given, above } : given;
}

export const patterns: readonly Pattern<ArgoAction>[] = [
  {
    form: "app.action/<group>/<kind>/<action>",
    about: "run a resource action",
    match: (name) => fine(name, ACTION),
  },
  {
    form: "app.update|delete/<group>/<kind>/<namespace>/<name>",
    about: "change one object of an application",
    match: (name) => fine(name, OBJECT),
  },
];
