/** AWS: the roles that stand for a person in an account are found, and IAM simulates their policies (CHECKS §4.11). */
import type { Call } from "../../call.ts";
import { allowed, type Finding } from "../../codes.ts";
import { defineIntegration, type Connection, type Parts, type ProbeReport } from "../../integration.ts";
import type { Resource, Subject } from "../../question.ts";
import { MapFile } from "../../shared/map-file.ts";
import { actions, patterns, type AwsAction } from "./actions.ts";
import { check, keys, type AwsConfig } from "./config.ts";
import { sourcesOf } from "./credential.ts";
import { IdentityCenter } from "./identity-center.ts";
import { findIamUser, mappedRoles, readRoleMap, type RoleMap } from "./people.ts";
import { HOME, servicesOf, type Services } from "./services.ts";
import { implicitly, isClean, notProvisioned, simulate, summary, type Simulated } from "./simulate.ts";
import { readAsk, type Ask } from "./where.ts";

/** ARNs of the person's permission sets, or of the principals themselves. */
export type AwsPerson = { readonly sets: readonly string[] } | { readonly principals: readonly string[] };

export class AwsConnection implements Connection<AwsPerson, Ask, AwsAction> {
  private readonly services: Services;
  private readonly center: IdentityCenter;
  private readonly map: MapFile<RoleMap> | undefined;

  constructor(
    private readonly config: AwsConfig,
    parts: Parts,
  ) {
    const { partition, account_id: account, role_map_file: file } = config;
    const region = config.region ?? HOME[partition];
    const places = { partition, region, centerRegion: config.identity_center_region ?? region };
    this.services = servicesOf(parts, places, sourcesOf(config, parts));
    this.center = new IdentityCenter(config, this.services, parts);
    this.map = file === undefined ? undefined : new MapFile(file, (text) => readRoleMap(text, account), parts);
  }

  prepare(action: AwsAction, resource: Resource): Ask {
    return readAsk(action, resource, this.config);
  }

  async identify(subject: Subject, call: Call): Promise<AwsPerson> {
    if (this.map !== undefined) return { principals: mappedRoles(this.map, subject) };
    if (this.config.identity_mode === "iam_user")
      return { principals: [await findIamUser(this.services.iam, subject, this.config.account_id, call)] };
    return { sets: await this.center.setsOf(subject.email, call) };
  }

  async decide(person: AwsPerson, ask: Ask, call: Call): Promise<Finding> {
    const isDeny = this.config.implicit_deny_as === "deny";
    if ("sets" in person && person.sets.length === 0)
      return implicitly("the person is given nothing in the account", isDeny);
    const { principals, isMissing } = await this.principalsOf(person, call);
    const results: Simulated[] = [];
    let isGone = isMissing;
    for (const principal of principals) {
      const result = await simulate(this.services.iam, principal, ask, this.config.context_entries ?? [], call);
      if (result === "gone") isGone = this.forget(person);
      else if (isClean(result)) return allowed("IAM's simulation allows it");
      else results.push(result);
    }
    if (isGone) throw notProvisioned();
    return summary(results, isDeny);
  }

  private forget(person: AwsPerson): true {
    if ("sets" in person) this.center.forget(person.sets);
    return true;
  }

  private async principalsOf(person: AwsPerson, call: Call): Promise<{ principals: string[]; isMissing: boolean }> {
    if ("principals" in person) return { principals: [...person.principals], isMissing: false };
    const found: string[][] = [];
    for (const set of person.sets) found.push(await this.center.rolesOf(set, call));
    return { principals: [...new Set(found.flat())], isMissing: found.some((roles) => roles.length === 0) };
  }

  async probe(call: Call): Promise<ProbeReport> {
    const result = await this.services.sts.ask(call, "GetCallerIdentity");
    const account = result.text("Account");
    const isOther = account !== this.config.account_id;
    const shown = /^arn:[\w+=,.@:/-]{1,256}$/.exec(result.text("Arn"))?.[0] ?? "an unnamed principal";
    return {
      summary: shown,
      warnings: isOther ? ["the credential is of another account than account_id; name role_arn"] : [],
    };
  }
}

export const aws = defineIntegration({
  name: "aws",
  about: "Amazon Web Services",
  keys,
  actions,
  patterns,
  check,
  connect: (config: AwsConfig, parts: Parts) => new AwsConnection(config, parts),
});
