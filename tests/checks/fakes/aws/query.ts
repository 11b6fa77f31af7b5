/** STS and IAM: the Query protocol, with answers in XML. */
import { CANARY } from "../../support/desk.ts";
import type { FakeReply } from "../../support/fake-server.ts";
import type { AwsState, Evaluation } from "./state.ts";

export type Form = ReadonlyMap<string, string>;

/** Parameters that an operation may have; undefined for one that CHECKS does not name. */
const KNOWN: Readonly<Record<string, RegExp>> = {
  AssumeRole: /^(?:RoleArn|RoleSessionName|ExternalId|DurationSeconds)$/,
  GetCallerIdentity: /^$/,
  ListRoles: /^(?:PathPrefix|Marker|MaxItems)$/,
  GetUser: /^UserName$/,
  GetContextKeysForPrincipalPolicy: /^PolicySourceArn$/,
  SimulatePrincipalPolicy:
    /^(?:PolicySourceArn|ActionNames\.member\.1|ResourceArns\.member\.1|MaxItems|Marker|ContextEntries\.member\.\d+\.(?:ContextKeyName|ContextKeyType|ContextKeyValues\.member\.\d+))$/,
};

export const VERSIONS = { sts: "2011-06-15", iam: "2010-05-08" } as const;

/** What is wrong with the request, apart from its signature. */
export function formProblem(form: Form, service: keyof typeof VERSIONS): string | undefined {
  const known = KNOWN[form.get("Action") ?? ""];
  if (known === undefined) return `the operation ${form.get("Action")}`;
  if (form.get("Version") !== VERSIONS[service]) return "the version";
  const extra = [...form.keys()].find((name) => name !== "Action" && name !== "Version" && !known.test(name));
  return extra === undefined ? undefined : `the parameter ${extra}`;
}

export function answered(operation: string, inner: string): FakeReply {
  const body = `<${operation}Response xmlns="https://amazonaws.com/doc/"><${operation}Result>${inner}</${operation}Result><ResponseMetadata><RequestId>${CANARY}</RequestId></ResponseMetadata></${operation}Response>`;
  return { status: 200, headers: { "content-type": "text/xml" }, body };
}

export function failed([status, code]: readonly [number, string]): FakeReply {
  const body = `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${CANARY} is not &lt;authorized&gt;</Message></Error><RequestId>r</RequestId></ErrorResponse>`;
  return { status, headers: { "content-type": "text/xml" }, body };
}

/** IAM's operations. */
export function iam(state: AwsState, form: Form): FakeReply {
  const operation = form.get("Action") ?? "";
  const error = state.errors[operation];
  if (error !== undefined) return failed(error);
  if (operation === "ListRoles") return listRoles(state, form);
  if (operation === "GetUser") return getUser(state, form);
  if (operation === "SimulatePrincipalPolicy") return simulate(state, form);
  return answered(operation, "<ContextKeyNames/>");
}

function listRoles({ roles, account, pageSize }: AwsState, form: Form): FakeReply {
  const path = "/aws-reserved/sso.amazonaws.com/";
  const all = form.get("PathPrefix") === path ? roles : [];
  const from = Number(form.get("Marker") ?? "0");
  const end = from + pageSize;
  const members = all.slice(from, end).map((name) => {
    const arn = `arn:aws:iam::${account}:role${path}${name}`;
    return `<member><Path>${path}</Path><RoleName>${name}</RoleName><RoleId>AROA</RoleId><Arn>${arn}</Arn><CreateDate>2025-01-01T00:00:00Z</CreateDate></member>`;
  });
  const more = end < all.length;
  const marker = more ? `<Marker>${end}</Marker>` : "";
  return answered("ListRoles", `<IsTruncated>${more}</IsTruncated>${marker}<Roles>${members.join("")}</Roles>`);
}

function getUser({ iamUsers, account }: AwsState, form: Form): FakeReply {
  const name = form.get("UserName") ?? "";
  if (!iamUsers.includes(name)) return failed([404, "NoSuchEntity"]);
  const arn = `arn:aws:iam::${account}:user/${name}`;
  return answered(
    "GetUser",
    `<User><Path>/</Path><UserName>${name}</UserName><UserId>AIDA</UserId><Arn>${arn}</Arn></User>`,
  );
}

function simulate(state: AwsState, form: Form): FakeReply {
  const principal = form.get("PolicySourceArn") ?? "";
  const isThere =
    state.roles.some((name) => principal.endsWith(`/${name}`)) ||
    state.iamUsers.some((name) => principal.endsWith(`:user/${name}`)) ||
    Object.hasOwn(state.simulations, principal);
  if (!isThere) return failed([404, "NoSuchEntity"]);
  const action = form.get("ActionNames.member.1") ?? "";
  const arn = form.get("ResourceArns.member.1");
  const rules = state.simulations[principal] ?? {};
  const found = rules[`${action} ${arn ?? "*"}`] ?? rules[action] ?? { decision: "implicitDeny" };
  const entry = result(action, arn, withContext(found, contextOf(form)));
  return answered(
    "SimulatePrincipalPolicy",
    `<IsTruncated>false</IsTruncated><EvaluationResults>${entry}</EvaluationResults>`,
  );
}

/** Keys that the request gave a value for are not missing any more. */
function withContext(found: Evaluation, given: ReadonlySet<string>): Evaluation {
  const { missing } = found;
  return missing === undefined ? found : { ...found, missing: missing.filter((name) => !given.has(name)) };
}

function contextOf(form: Form): Set<string> {
  const names = [...form].filter(([name]) => name.endsWith(".ContextKeyName"));
  return new Set(names.map(([, value]) => value));
}

function result(action: string, arn: string | undefined, found: Evaluation): string {
  const { decision, byOrganizations, byBoundary, resource, missing } = found;
  const organizations = flag("OrganizationsDecisionDetail", "AllowedByOrganizations", byOrganizations);
  const boundary = flag("PermissionsBoundaryDecisionDetail", "AllowedByPermissionsBoundary", byBoundary);
  const specific =
    arn === undefined
      ? ""
      : `<ResourceSpecificResults><member><EvalResourceName>${arn}</EvalResourceName><EvalResourceDecision>${resource?.decision ?? decision}</EvalResourceDecision><MatchedStatements/>${missingOf(resource === undefined ? missing : resource.missing)}${boundary}</member></ResourceSpecificResults>`;
  return `<member><EvalActionName>${action}</EvalActionName><EvalResourceName>${arn ?? "*"}</EvalResourceName><EvalDecision>${decision}</EvalDecision><MatchedStatements/>${missingOf(missing)}${organizations}${boundary}${specific}</member>`;
}

function missingOf(names: readonly string[] = []): string {
  return `<MissingContextValues>${names.map((name) => `<member>${name}</member>`).join("")}</MissingContextValues>`;
}

function flag(around: string, name: string, value: boolean | undefined): string {
  return value === undefined ? "" : `<${around}><${name}>${value}</${name}></${around}>`;
}
