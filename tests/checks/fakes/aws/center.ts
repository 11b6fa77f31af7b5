/** Identity Store and IAM Identity Center: JSON 1.1, the operation in a header. */
import { z } from "zod";
import { CANARY } from "../../support/desk.ts";
import type { FakeReply } from "../../support/fake-server.ts";
import type { AwsState } from "./state.ts";

const Paged = { NextToken: z.string().min(1).optional(), MaxResults: z.int().min(1).max(100).optional() };
const Attribute = z.strictObject({
  AttributePath: z.enum(["emails.value", "userName"]),
  AttributeValue: z.string().min(1),
});

const BODIES = {
  "AWSIdentityStore.GetUserId": z.strictObject({
    IdentityStoreId: z.string(),
    AlternateIdentifier: z.strictObject({ UniqueAttribute: Attribute }),
  }),
  "AWSIdentityStore.DescribeUser": z.strictObject({ IdentityStoreId: z.string(), UserId: z.string().min(1) }),
  "AWSIdentityStore.ListGroupMembershipsForMember": z.strictObject({
    IdentityStoreId: z.string(),
    MemberId: z.strictObject({ UserId: z.string().min(1) }),
    ...Paged,
  }),
  "SWBExternalService.ListAccountAssignmentsForPrincipal": z.strictObject({
    InstanceArn: z.string(),
    PrincipalId: z.string().min(1),
    PrincipalType: z.enum(["USER", "GROUP"]),
    Filter: z.strictObject({ AccountId: z.string().regex(/^\d{12}$/) }).optional(),
    ...Paged,
  }),
  "SWBExternalService.DescribePermissionSet": z.strictObject({ InstanceArn: z.string(), PermissionSetArn: z.string() }),
  "SWBExternalService.ListInstances": z.strictObject(Paged),
} as const;

type Target = keyof typeof BODIES;
type Body<T extends Target> = z.infer<(typeof BODIES)[T]>;

/** The answer, or what CHECKS does not describe about the request. */
export function center(state: AwsState, target: string, body: string): FakeReply | string {
  if (!isTarget(target)) return `the operation ${target}`;
  const read = BODIES[target].safeParse(parsed(body));
  if (!read.success) return `the body of ${target}: ${read.error.message}`;
  const error = state.errors[target.replace(/^.*\./, "")];
  if (error !== undefined) return failed(error);
  const given = read.data as { readonly IdentityStoreId?: string; readonly InstanceArn?: string };
  const isOther =
    (given.IdentityStoreId ?? state.store) !== state.store || (given.InstanceArn ?? state.instance) !== state.instance;
  return isOther ? failed([400, "ResourceNotFoundException"]) : ANSWERS[target](state, read.data as never);
}

const ANSWERS: { readonly [T in Target]: (state: AwsState, body: Body<T>) => FakeReply } = {
  "AWSIdentityStore.GetUserId": getUserId,
  "AWSIdentityStore.DescribeUser": describeUser,
  "AWSIdentityStore.ListGroupMembershipsForMember": memberships,
  "SWBExternalService.ListAccountAssignmentsForPrincipal": assignments,
  "SWBExternalService.DescribePermissionSet": permissionSet,
  "SWBExternalService.ListInstances": ({ instance, store }) =>
    ok({ Instances: [{ InstanceArn: instance, IdentityStoreId: store, Name: CANARY, Status: "ACTIVE" }] }),
};

function getUserId(
  { people, store }: AwsState,
  { AlternateIdentifier }: Body<"AWSIdentityStore.GetUserId">,
): FakeReply {
  const { AttributePath: path, AttributeValue: value } = AlternateIdentifier.UniqueAttribute;
  const found = people.find((one) => (path === "userName" ? one.userName : one.email) === value);
  return found === undefined
    ? failed([400, "ResourceNotFoundException"])
    : ok({ IdentityStoreId: store, UserId: found.id });
}

function describeUser({ people, store }: AwsState, { UserId }: Body<"AWSIdentityStore.DescribeUser">): FakeReply {
  const found = people.find(({ id }) => id === UserId);
  if (found === undefined) return failed([400, "ResourceNotFoundException"]);
  const { userName, email, status = "ENABLED" } = found;
  const Emails = [{ Value: email, Type: "work", Primary: true }];
  return ok({ IdentityStoreId: store, UserId, UserName: userName, DisplayName: CANARY, Emails, UserStatus: status });
}

function memberships(state: AwsState, body: Body<"AWSIdentityStore.ListGroupMembershipsForMember">): FakeReply {
  const { UserId } = body.MemberId;
  const groups = state.people.find(({ id }) => id === UserId)?.groups ?? [];
  const all = groups.map((GroupId) => {
    return { IdentityStoreId: state.store, MembershipId: `m-${GroupId}`, GroupId, MemberId: { UserId } };
  });
  return page("GroupMemberships", all, body, state);
}

function assignments(state: AwsState, body: Body<"SWBExternalService.ListAccountAssignmentsForPrincipal">): FakeReply {
  const { PrincipalId, PrincipalType, Filter } = body;
  const isUser = state.people.some(({ id }) => id === PrincipalId);
  if (isUser !== (PrincipalType === "USER")) return failed([400, "ResourceNotFoundException"]);
  // A user's list has what the user's groups are given too.
  const groups = state.people.find(({ id }) => id === PrincipalId)?.groups ?? [];
  const theirs = state.assignments.filter(({ principal }) => principal === PrincipalId || groups.includes(principal));
  const all = theirs
    .filter(({ account }) => Filter === undefined || account === Filter.AccountId)
    .map(({ account: AccountId, set, principal }) => ({
      AccountId,
      PermissionSetArn: setArn(state, set),
      PrincipalId: principal,
      PrincipalType: groups.includes(principal) ? "GROUP" : PrincipalType,
    }));
  return page("AccountAssignments", all, body, state);
}

function permissionSet(
  state: AwsState,
  { PermissionSetArn }: Body<"SWBExternalService.DescribePermissionSet">,
): FakeReply {
  const Name = Object.entries(state.sets).find(([id]) => setArn(state, id) === PermissionSetArn)?.[1];
  if (Name === undefined) return failed([400, "ResourceNotFoundException"]);
  return ok({ PermissionSet: { Name, PermissionSetArn, Description: CANARY, SessionDuration: "PT1H" } });
}

function setArn({ instance }: AwsState, id: string): string {
  return `arn:aws:sso:::permissionSet/${instance.replace(/^.*\//, "")}/${id}`;
}

function page(
  name: string,
  all: readonly unknown[],
  { NextToken, MaxResults }: { readonly NextToken?: string | undefined; readonly MaxResults?: number | undefined },
  { pageSize }: AwsState,
): FakeReply {
  const from = Number(NextToken ?? "0");
  const end = from + Math.min(pageSize, MaxResults ?? pageSize);
  return ok({ [name]: all.slice(from, end), ...(end < all.length ? { NextToken: String(end) } : {}) });
}

function ok(body: unknown): FakeReply {
  return { status: 200, headers: { "content-type": "application/x-amz-json-1.1" }, body };
}

export function failed([status, code]: readonly [number, string]): FakeReply {
  return { status, headers: { "content-type": "application/x-amz-json-1.1" }, body: { __type: code, Message: CANARY } };
}

function isTarget(name: string): name is Target {
  return Object.hasOwn(BODIES, name);
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}
