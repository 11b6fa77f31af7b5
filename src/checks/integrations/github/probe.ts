/** Whether the App is installed where it should be, and may read what it must and no more (CHECKS §4.3). */
import type { Call } from "../../call.ts";
import { Stop } from "../../codes.ts";
import type { Api } from "../../http/api.ts";
import type { ProbeReport } from "../../integration.ts";
import { record, text } from "../../shared/fields.ts";
import { findInstallation, type Installation } from "./app.ts";
import type { GithubConfig } from "./index.ts";
import { hasProvider } from "./saml.ts";

export interface ProbeApis {
  readonly app: Api;
  readonly graph: Api;
}

export async function probe(config: GithubConfig, { app, graph }: ProbeApis, call: Call): Promise<ProbeReport> {
  const { slug } = await app.read(record({ slug: text }), call, "/app");
  const installation = await findInstallation(config, app, call, true);
  const warnings = [
    ...permissionWarnings(installation),
    ...idWarnings(config, installation),
    ...(config.identity_mode === "saml" ? await samlWarnings(config, graph, call) : []),
  ];
  return { summary: `App ${slug || "without a name"}, installed in ${config.organization}`, warnings };
}

function permissionWarnings({ permissions }: Installation): string[] {
  const missing = ["metadata", "members"].filter((name) => permissions[name] === undefined);
  const excess = Object.entries(permissions).filter(([, level]) => level !== "read");
  return [
    ...missing.map((name) => `the App lacks the permission to read ${name}`),
    ...excess.map(([name, level]) => `the App has ${level} on ${name}: reading is all that hallpass needs`),
  ];
}

function idWarnings({ installation_id: configured }: GithubConfig, { id }: Installation): string[] {
  return configured === undefined || configured === id
    ? []
    : [`installation_id is ${configured}, but the organization's installation is ${id}`];
}

async function samlWarnings({ organization }: GithubConfig, api: Api, call: Call): Promise<string[]> {
  try {
    const has = await hasProvider({ api, organization }, call);
    return has ? [] : ["the organization has no SAML provider: use another identity_mode"];
  } catch (error) {
    if (error instanceof Stop) return [`SAML identities cannot be read (${error.finding.code})`];
    throw error;
  }
}
