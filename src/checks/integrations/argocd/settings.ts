/** What Argo CD decides by, read from its config maps and projects as one bundle (CHECKS §4.2). */
import { parse } from "yaml";
import { z } from "zod";
import type { Call } from "../../call.ts";
import { stop } from "../../codes.ts";
import { path } from "../../http/path.ts";
import type { Api } from "../../http/api.ts";
import { dictionary, list, record, text } from "../../shared/fields.ts";
import { BUILT_IN, joined, PolicyLineError, readPolicy, type Policy } from "./policy.ts";
import type { MatchMode } from "./match.ts";

const ConfigMap = record({ data: dictionary(z.string()) });
// A role that goes unread could be the one that denies: only what Kubernetes leaves out when it is empty may be missing.
const Name = z.string().min(1);
const Role = z.object({ name: Name, policies: list(z.string()), groups: list(z.string()) });
const Project = z.object({ metadata: z.object({ name: Name }), spec: z.object({ roles: list(Role) }) });
const Projects = z.object({ items: z.array(Project), metadata: record({ continue: text }) });

export interface Bundle {
  readonly policy: Policy;
  /** Role lines by project; of projects whose lines cannot be read there are none. */
  readonly projects: ReadonlyMap<string, Policy>;
  readonly defaultRole: string;
  readonly mode: MatchMode;
  /** The email is one of the values that groups are compared with. */
  readonly isEmailGroup: boolean;
  /** Finer verbs need rules of their own. */
  readonly isFineOwn: boolean;
  readonly isRollbackOwn: boolean;
  /** Undefined config map: Argo CD goes by what is built in. */
  readonly hasPolicy: boolean;
}

export async function readBundle(api: Api, namespace: string, configMap: string, call: Call): Promise<Bundle> {
  const at = path`/api/v1/namespaces/${namespace}/configmaps/`;
  const rbac = await api.find(ConfigMap, call, at + path`${configMap}`);
  const main = (await api.find(ConfigMap, call, `${at}argocd-cm`))?.data ?? {};
  const projects = await api.read(Projects, call, path`/apis/argoproj.io/v1alpha1/namespaces/${namespace}/appprojects`);
  if (projects.metadata.continue !== "") throw stop("unsupported", "the cluster has more projects than it listed");
  const data = rbac?.data ?? {};
  return {
    policy: joined(BUILT_IN, wholePolicy(data)),
    projects: new Map(projects.items.map(({ metadata: { name }, spec }) => [name, projectPolicy(name, spec.roles)])),
    defaultRole: data["policy.default"] ?? "",
    mode: modeOf(data["policy.matchMode"] ?? ""),
    isEmailGroup: scopesOf(data["scopes"] ?? "").includes("email"),
    isFineOwn: flagOf(main["server.rbac.disableApplicationFineGrainedRBACInheritance"], true),
    isRollbackOwn: flagOf(main["server.rbac.rollback.enforce.enable"], false),
    hasPolicy: rbac !== undefined,
  };
}

function wholePolicy(data: Readonly<Record<string, string>>): Policy {
  const more = Object.keys(data).filter((key) => key !== "policy.csv" && /^policy\..*\.csv$/s.test(key));
  const texts = ["policy.csv", ...more.toSorted()].map((key) => data[key] ?? "");
  try {
    return readPolicy(texts.join("\n"));
  } catch (error) {
    if (error instanceof PolicyLineError) throw stop("unsupported", "the policy has a line that Argo CD cannot read");
    throw error;
  }
}

function projectPolicy(project: string, roles: readonly z.output<typeof Role>[]): Policy {
  const lines = roles.flatMap(({ name, policies, groups }) => {
    const role = `proj:${project}:${name}`;
    return [
      `p, ${role}, projects, get, ${project}, allow`,
      ...policies,
      ...groups.map((group) => `g, ${group}, ${role}`),
    ];
  });
  try {
    return readPolicy(lines.join("\n"));
  } catch (error) {
    if (error instanceof PolicyLineError) return { rules: [], links: [] };
    throw error;
  }
}

function modeOf(mode: string): MatchMode {
  if (mode !== "" && mode !== "glob" && mode !== "regex")
    throw stop("unsupported", "policy.matchMode is neither glob nor regex");
  return mode === "regex" ? "regex" : "glob";
}

function scopesOf(source: string): readonly string[] {
  if (source.trim() === "") return ["groups"];
  try {
    return z.array(z.string()).parse(parse(source));
  } catch {
    throw stop("unsupported", "the scopes of the policy cannot be read");
  }
}

function flagOf(value: string | undefined, fallback: boolean): boolean {
  if (value === undefined || value === "") return fallback;
  if (value !== "true" && value !== "false")
    throw stop("unsupported", "a setting of Argo CD is neither true nor false");
  return value === "true";
}
