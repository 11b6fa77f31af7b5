/** A person of the Identity Center, the permission sets they are given in the account, and the roles of those (CHECKS §4.11). */
import type { Call } from "../../call.ts";
import { denied, stop, Stop, userNotFound } from "../../codes.ts";
import { unreadable } from "../../http/reply.ts";
import type { Parts } from "../../integration.ts";
import { maybeText, record, reported, text, type Read } from "../../shared/fields.ts";
import type { Lookup } from "../../shared/lookup.ts";
import { allPages } from "../../shared/paging.ts";
import type { AwsConfig } from "./config.ts";
import type { Services } from "./services.ts";

const KEPT_MS = 10 * 60_000;
const PATH = "/aws-reserved/sso.amazonaws.com/";

const Memberships = record({ GroupMemberships: reported(record({ GroupId: text })), NextToken: text });
const Assignments = record({
  AccountAssignments: reported(record({ AccountId: text, PermissionSetArn: text })),
  NextToken: text,
});
const Instances = record({ Instances: reported(record({ InstanceArn: text, IdentityStoreId: text })) });

interface Instance {
  readonly arn: string;
  readonly store: string;
}

interface Role {
  readonly name: string;
  readonly arn: string;
}

export class IdentityCenter {
  private readonly roles: Lookup<readonly Role[]>;
  private readonly names: Lookup<string>;
  private readonly instances: Lookup<Instance>;

  constructor(
    private readonly config: AwsConfig,
    private readonly services: Services,
    parts: Parts,
  ) {
    this.roles = parts.lookup("roles of permission sets", KEPT_MS, { exempt: true });
    this.names = parts.lookup("names of permission sets", KEPT_MS, { exempt: true });
    this.instances = parts.lookup("identity center", KEPT_MS, { exempt: true });
  }

  /** ARNs of the person's permission sets in the account, by themselves and by their groups. */
  async setsOf(email: string, call: Call): Promise<string[]> {
    const { arn, store } = await this.instance(call);
    const user = await this.find(store, email, call);
    const groups = await this.groupsOf(store, user, call);
    const principals = [{ id: user, type: "USER" }, ...groups.map((id) => ({ id, type: "GROUP" }))];
    const sets: string[] = [];
    for (const { id, type } of principals) sets.push(...(await this.assignedTo(arn, id, type, call)));
    return [...new Set(sets)];
  }

  /** The roles that stand for a permission set in the account; none where it is not provisioned. */
  async rolesOf(set: string, call: Call): Promise<string[]> {
    const name = await this.names.get(set, call, async (inner) => await this.nameOf(set, inner));
    const roles = await this.roles.get("", call, async (inner) => await this.listRoles(inner));
    const prefix = `AWSReservedSSO_${name}_`;
    const isOf = (role: string): boolean => role.startsWith(prefix) && /^[0-9a-f]{16}$/.test(role.slice(prefix.length));
    return roles.filter((role) => isOf(role.name)).map((role) => role.arn);
  }

  /** A role that was listed is gone. */
  forget(sets: readonly string[]): void {
    this.roles.drop("");
    for (const set of sets) this.names.drop(set);
  }

  private async instance(call: Call): Promise<Instance> {
    const { sso_instance_arn: arn, identity_store_id: store } = this.config;
    if (arn !== undefined && store !== undefined) return { arn, store };
    return await this.instances.get("", call, async (inner) => await this.findInstance(arn, store, inner));
  }

  private async findInstance(arn: string | undefined, store: string | undefined, call: Call): Promise<Instance> {
    const { Instances: all } = await this.services.sso.ask(Instances, call, "ListInstances", {});
    const [only, ...others] = all.filter(
      (one) => one.InstanceArn === (arn ?? one.InstanceArn) && one.IdentityStoreId === (store ?? one.IdentityStoreId),
    );
    if (only === undefined || others.length > 0 || only.InstanceArn === "" || only.IdentityStoreId === "")
      throw stop("unsupported", "it is not clear which Identity Center is meant; name sso_instance_arn");
    return { arn: only.InstanceArn, store: only.IdentityStoreId };
  }

  private async find(store: string, email: string, call: Call): Promise<string> {
    for (const AttributePath of ["emails.value", "userName"]) {
      const AlternateIdentifier = { UniqueAttribute: { AttributePath, AttributeValue: email } };
      const asked = { IdentityStoreId: store, AlternateIdentifier };
      const found = await this.services.store.find(record({ UserId: text }), call, "GetUserId", asked);
      if (found !== undefined) return await this.active(store, found.UserId, call);
    }
    throw new Stop(userNotFound("the Identity Center has nobody with this email"));
  }

  private async active(store: string, id: string, call: Call): Promise<string> {
    if (id === "") throw unreadable();
    const asked = { IdentityStoreId: store, UserId: id };
    const { UserStatus: status } = await this.services.store.ask(
      record({ UserStatus: maybeText }),
      call,
      "DescribeUser",
      asked,
    );
    if (status === "DISABLED") throw new Stop(denied("the person is disabled in the Identity Center"));
    if (status !== "ENABLED")
      throw stop("unsupported", "the Identity Center did not say whether the person is enabled");
    return id;
  }

  private async groupsOf(store: string, user: string, call: Call): Promise<string[]> {
    const memberships = await allPages(undefined, async (NextToken: string | undefined) => {
      const asked = { IdentityStoreId: store, MemberId: { UserId: user }, NextToken };
      const page = await this.services.store.ask(Memberships, call, "ListGroupMembershipsForMember", asked);
      return { items: page.GroupMemberships, next: page.NextToken || undefined };
    });
    const groups = memberships.map(({ GroupId: id }) => id);
    if (groups.includes("")) throw unreadable();
    return [...new Set(groups)];
  }

  private async assignedTo(instance: string, id: string, type: string, call: Call): Promise<string[]> {
    const rows = await allPages(undefined, async (NextToken: string | undefined) => {
      const filter = { AccountId: this.config.account_id };
      const asked = { InstanceArn: instance, PrincipalId: id, PrincipalType: type, Filter: filter, NextToken };
      const page = await this.services.sso.ask(Assignments, call, "ListAccountAssignmentsForPrincipal", asked);
      return { items: page.AccountAssignments, next: page.NextToken || undefined };
    });
    return rows.filter((row) => row.AccountId === this.config.account_id).map(setOf);
  }

  private async nameOf(set: string, call: Call): Promise<string> {
    const { arn } = await this.instance(call);
    const Described = record({ PermissionSet: record({ Name: text }) });
    const asked = { InstanceArn: arn, PermissionSetArn: set };
    const { PermissionSet: found } = await this.services.sso.ask(Described, call, "DescribePermissionSet", asked);
    if (!/^[\w+=,.@-]{1,32}$/.test(found.Name)) throw unreadable();
    return found.Name;
  }

  private async listRoles(call: Call): Promise<readonly Role[]> {
    return await allPages(undefined, async (marker: string | undefined) => {
      const asked = { PathPrefix: PATH, ...(marker === undefined ? {} : { Marker: marker }) };
      const result = await this.services.iam.ask(call, "ListRoles", asked);
      const items = result.list("Roles").map((role) => ({ name: role.text("RoleName"), arn: role.text("Arn") }));
      const next = result.text("Marker");
      if (result.flag("IsTruncated") === true && next === "") throw unreadable();
      return { items, next: result.flag("IsTruncated") === true ? next : undefined };
    });
  }
}

function setOf({ PermissionSetArn: arn }: Read<typeof Assignments>["AccountAssignments"][number]): string {
  if (arn === "") throw unreadable();
  return arn;
}
