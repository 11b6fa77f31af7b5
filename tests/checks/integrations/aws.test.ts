import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "bun:test";
import { actions } from "../../../src/checks/integrations/aws/actions.ts";
import { readContext } from "../../../src/checks/integrations/aws/context.ts";
import { literal } from "../../../src/checks/config/secret.ts";
import { loadConfigCode } from "../../../src/checks/config/config.ts";
import { INTEGRATIONS } from "../../../src/checks/integrations/index.ts";
import { ACCOUNT, awsWorld, CREDENTIAL, DANA, reserved, roleName, type AwsState } from "../fakes/aws.ts";
import type { FakeRequest } from "../support/fake-server.ts";
import { Desk, uncovered, type DeskOptions } from "../support/desk.ts";

const desks: Desk[] = [];
const folder = mkdtempSync(join(tmpdir(), "checks-aws-"));
afterAll(async () => {
  for (const desk of desks) await desk.close();
  rmSync(folder, { recursive: true });
});

type Config = Record<string, string | ReturnType<typeof literal>>;
type Evaluation = AwsState["simulations"][string][string];

async function at(changes: Partial<AwsState> = {}, config: Config = {}, options: DeskOptions = {}) {
  const world = await awsWorld(changes, config);
  const desk = new Desk(world, options);
  desks.push(desk);
  const decide = async (action = "s3.read", resource = "arn:aws:s3:::reports/a", more = {}) =>
    await desk.ask({ user: "dana@example.com", action, resource, ...more });
  const ask = async (action?: string, resource?: string, more = {}): Promise<string> =>
    (await decide(action, resource, more)).code;
  const forms = (name: string): URLSearchParams[] =>
    world.fake.exchanges
      .map(({ request }) => new URLSearchParams(request.body))
      .filter((form) => form.get("Action") === name);
  return { desk, decide, ask, forms, fake: world.fake };
}

const ALONE = { ...DANA, groups: [] };
const READER = [{ account: ACCOUNT, principal: DANA.id, set: "ps-reader" }];

/** Of the one role that Dana has. */
async function simulated(evaluation: Evaluation, config: Config = {}) {
  const simulations = { [reserved("Reader")]: { "s3:GetObject": evaluation } };
  return await at({ assignments: READER, people: [ALONE], simulations }, config);
}

/** Of the two roles, her own and her group's. */
async function both(reader: Evaluation, ops: Evaluation, config: Config = {}) {
  const simulations = {
    [reserved("Reader")]: { "s3:GetObject": reader },
    [reserved("Ops")]: { "s3:GetObject": ops },
  };
  return await at({ simulations }, config);
}

const targets = (requests: readonly { request: FakeRequest }[]): string[] =>
  requests.flatMap(({ request }) => request.headers["x-amz-target"]?.replace(/^.*\./, "") ?? []);

describe("the actions", () => {
  for (const { name, api } of actions)
    test(`${name} is ${api}`, async () => {
      const simulations = { [reserved("Reader")]: { [api]: { decision: "allowed" } } } as const;
      expect(await (await at({ simulations })).ask(name)).toBe("allowed");
      expect(await (await at({ simulations: {} })).ask(name)).toBe("denied");
    });
  test("raw is any other, but no pattern", async () => {
    const { ask } = await at();
    expect(await ask("raw:ec2:StopInstances")).toBe("allowed");
    expect(await ask("raw:ec2:StartInstances")).toBe("denied");
    for (const action of ["raw:ec2:*", "raw:ec2", "raw:EC2:StopInstances"])
      expect(await ask(action)).toBe("unknown_action");
  });
});

describe("a resource", () => {
  test("all sends no ARN", async () => {
    const { ask, forms } = await at();
    expect(await ask("s3.read", "all")).toBe("allowed");
    expect(forms("SimulatePrincipalPolicy")[0]?.has("ResourceArns.member.1")).toBe(false);
    await ask("s3.read", "arn:aws:s3:::reports/a");
    expect(forms("SimulatePrincipalPolicy").at(-1)?.get("ResourceArns.member.1")).toBe("arn:aws:s3:::reports/a");
  });
  test("of another account is unsupported without a call", async () => {
    const { ask, fake } = await at();
    expect(await ask("lambda.invoke", "arn:aws:lambda:eu-west-1:444455556666:function:f")).toBe("unsupported");
    expect(fake.calls).toEqual([]);
  });
  test("of no valid form makes no call", async () => {
    const { ask, fake } = await at();
    for (const resource of [
      "arn:aws:s3",
      "arn:aws:s3:::",
      "arn:aws-cn:s3:::reports/a",
      "arn:gcp:s3:::reports/a",
      "arn:aws:iam::aws:policy/A",
      "arn:aws:s3::123:a",
      "arn:aws:s3::: a",
      "all:x",
    ])
      expect([resource, await ask("s3.read", resource)]).toEqual([resource, "invalid_request"]);
    expect(fake.calls).toEqual([]);
  });
});

describe("the Identity Center", () => {
  test("gives what the person's own set or a group's allows", async () => {
    const { ask } = await at();
    expect(await ask("s3.read")).toBe("allowed");
    expect(await ask("ec2.stop")).toBe("allowed");
    expect(await ask("ec2.terminate")).toBe("denied");
  });
  test("finds by email, else by user name", async () => {
    const { ask, fake } = await at({ people: [{ ...DANA, email: "d@example.com", userName: "dana@example.com" }] });
    expect(await ask()).toBe("allowed");
    expect(targets(fake.exchanges).filter((name) => name === "GetUserId")).toHaveLength(2);
    expect(await (await at({ people: [] })).ask()).toBe("user_not_found");
  });
  test("denies one who is disabled, before anything is read of their sets", async () => {
    const { ask, fake } = await at({ people: [{ ...DANA, status: "DISABLED" }] });
    expect(await ask()).toBe("denied");
    expect(targets(fake.exchanges)).toEqual(["GetUserId", "DescribeUser"]);
  });
  test("denies one without a set in the account, or calls it unknown", async () => {
    const none = { assignments: [], people: [ALONE] };
    expect(await (await at(none)).ask()).toBe("denied");
    expect(await (await at(none, { implicit_deny_as: "unknown" })).ask()).toBe("unsupported");
  });
  test("takes a role for a set by its whole name", async () => {
    const assignments = [{ account: ACCOUNT, principal: DANA.id, set: "ps-adm" }];
    const simulations = { [reserved("Admin")]: { "s3:GetObject": { decision: "allowed" } } } as const;
    const world = { assignments, people: [ALONE], sets: { "ps-adm": "Adm" }, roles: [roleName("Admin")], simulations };
    expect(await (await at(world)).ask()).toBe("resource_not_visible");
    const longer = { ...world, roles: [`${roleName("Adm")}0`, `x${roleName("Adm")}`] };
    expect(await (await at(longer)).ask()).toBe("resource_not_visible");
  });
  test("a set without its role is not visible, unless another set allows", async () => {
    const roles = [roleName("Reader")];
    expect(await (await at({ roles })).ask("s3.read")).toBe("allowed");
    expect(await (await at({ roles })).ask("s3.write")).toBe("resource_not_visible");
  });
  test("reads every page of groups, sets and roles", async () => {
    const people = [{ ...DANA, groups: ["g-1", "g-2", "g-admins"] }];
    const { ask, forms } = await at({ people, pageSize: 1 });
    expect(await ask("ec2.stop")).toBe("allowed");
    expect(forms("ListRoles").map((form) => form.get("Marker"))).toEqual([null, "1", "2"]);
  });
  test("is found by itself where the configuration names neither store nor instance", async () => {
    const world = await awsWorld();
    const [{ identity_store_id: _store, sso_instance_arn: _instance, ...given }] = world.connections as unknown as [
      Record<string, string>,
    ];
    const desk = new Desk({ ...world, connections: [given] });
    desks.push(desk);
    const { code } = await desk.ask({ user: "dana@example.com", action: "s3.read", resource: "all" });
    expect(code).toBe("allowed");
    expect(targets(world.fake.exchanges)[0]).toBe("ListInstances");
  });
  test("roles and names are kept for ten minutes, fresh or not, and dropped when a role is gone", async () => {
    const { ask, desk, forms, fake } = await at();
    await ask("s3.read");
    desk.clock.advance(2_000);
    await ask("s3.read", undefined, { fresh: true });
    expect(forms("ListRoles")).toHaveLength(1);
    expect(targets(fake.exchanges).filter((name) => name === "DescribePermissionSet")).toHaveLength(2);
    desk.clock.advance(10 * 60_000);
    await ask("s3.write");
    expect(forms("ListRoles")).toHaveLength(2);
    const gone = await at({ errors: { SimulatePrincipalPolicy: [404, "NoSuchEntity"] } });
    expect(await gone.ask()).toBe("resource_not_visible");
    expect(await gone.ask()).toBe("resource_not_visible");
    expect(gone.forms("ListRoles")).toHaveLength(2);
  });
});

describe("a simulation", () => {
  const table: [string, Evaluation, string, string][] = [
    ["allowed", { decision: "allowed" }, "allowed", "allowed"],
    ["an explicit deny", { decision: "explicitDeny" }, "denied", "denied"],
    ["an implicit deny", { decision: "implicitDeny" }, "denied", "unsupported"],
    [
      "allowed, the resource denied",
      { decision: "allowed", resource: { decision: "explicitDeny" } },
      "denied",
      "denied",
    ],
    [
      "allowed, the resource not",
      { decision: "allowed", resource: { decision: "implicitDeny" } },
      "denied",
      "unsupported",
    ],
    [
      "denied, the resource allowed",
      { decision: "explicitDeny", resource: { decision: "allowed" } },
      "denied",
      "denied",
    ],
    ["allowed with missing context", { decision: "allowed", missing: ["aws:SourceIp"] }, "unsupported", "unsupported"],
    [
      "allowed with context missing for the resource",
      { decision: "allowed", resource: { decision: "allowed", missing: ["aws:SourceIp"] } },
      "unsupported",
      "unsupported",
    ],
    [
      "an implicit deny with missing context",
      { decision: "implicitDeny", missing: ["aws:SourceIp"] },
      "unsupported",
      "unsupported",
    ],
  ];
  for (const [name, evaluation, asDeny, asUnknown] of table)
    test(`${name} is ${asDeny}, or ${asUnknown} where no word is unknown`, async () => {
      expect(await (await simulated(evaluation)).ask()).toBe(asDeny);
      expect(await (await simulated(evaluation, { implicit_deny_as: "unknown" })).ask()).toBe(asUnknown);
    });
  test("names missing keys, the control policy and the boundary", async () => {
    const missing = await (await simulated({ decision: "allowed", missing: ["aws:SourceIp", "s3:prefix"] })).decide();
    expect(missing.reason).toContain("aws:SourceIp, s3:prefix");
    const scp = await (await simulated({ decision: "explicitDeny", byOrganizations: false })).decide();
    expect(scp.reason).toContain("service control policy");
    const boundary = await (await simulated({ decision: "implicitDeny", byBoundary: false })).decide();
    expect(boundary.reason).toContain("boundary");
  });
  test("of several roles is allowed by one, and denied by all alone", async () => {
    const yes: Evaluation = { decision: "allowed" };
    const no: Evaluation = { decision: "explicitDeny" };
    const silent: Evaluation = { decision: "implicitDeny" };
    const unsure: Evaluation = { decision: "allowed", missing: ["aws:SourceIp"] };
    const unknown = { implicit_deny_as: "unknown" };
    expect(await (await both(no, yes)).ask()).toBe("allowed");
    expect(await (await both(unsure, yes)).ask()).toBe("allowed");
    expect(await (await both(no, no, unknown)).ask()).toBe("denied");
    expect(await (await both(no, silent)).ask()).toBe("denied");
    expect(await (await both(no, silent, unknown)).ask()).toBe("unsupported");
    expect(await (await both(unsure, no)).ask()).toBe("unsupported");
  });
  test("is given the configured context", async () => {
    const config = { context_entries: "aws:SourceIp=ip:10.0.0.1;aws:TagKeys=stringList:a,b" };
    const { ask, forms } = await simulated({ decision: "allowed", missing: ["aws:SourceIp"] }, config);
    expect(await ask()).toBe("allowed");
    const [form] = forms("SimulatePrincipalPolicy");
    expect(form?.get("ContextEntries.member.1.ContextKeyValues.member.1")).toBe("10.0.0.1");
    expect(form?.get("ContextEntries.member.2.ContextKeyValues.member.2")).toBe("b");
  });
  test("context has a key, a known type and a value", () => {
    for (const raw of ["", "a", "aws:x=ip", "aws:x=name:y", "aws:x=ip:", "aws:x=ip:1;aws:x=ip:2", "x=ip:1"])
      expect(() => readContext(raw)).toThrow();
    expect(readContext("aws:CurrentTime=date:2026-01-01T00:00:00Z;")).toEqual([
      { key: "aws:CurrentTime", type: "date", values: ["2026-01-01T00:00:00Z"] },
    ]);
  });
});

describe("a static map", () => {
  const file = join(folder, "roles");
  const config = { identity_mode: "static_map", role_map_file: file };
  const role = (name: string): string => `arn:aws:iam::${ACCOUNT}:role/${name}`;
  const simulations = { [role("a")]: { "s3:GetObject": { decision: "allowed" } }, [role("b")]: {} } as const;
  test("gives the roles of the email and of the caller's groups, in any case", async () => {
    writeFileSync(file, `# people\nDana@Example.com ${role("b")}\nOps ${role("a")} # a group\n`);
    const { ask } = await at({ simulations }, config);
    expect(await ask()).toBe("denied");
    expect(await ask("s3.read", undefined, { groups: ["ops"] })).toBe("allowed");
    expect(await ask("s3.read", undefined, { user: "olga@example.com" })).toBe("user_not_found");
  });
  test("is read again after a minute, and stays as it was while the file is broken", async () => {
    writeFileSync(file, `dana@example.com ${role("b")}\n`);
    const { ask, desk } = await at({ simulations }, config, { identityCacheSeconds: 0, decisionCacheSeconds: 0 });
    expect(await ask()).toBe("denied");
    writeFileSync(file, `dana@example.com ${role("a")}\n`);
    expect(await ask()).toBe("denied");
    desk.clock.advance(61_000);
    expect(await ask()).toBe("allowed");
    writeFileSync(file, "dana@example.com\n");
    desk.clock.advance(61_000);
    expect(await ask()).toBe("allowed");
  });
  test("must be in order at the start", async () => {
    for (const text of [
      "dana@example.com",
      `dana@example.com arn:aws:iam::444455556666:role/a`,
      "dana@example.com x",
    ]) {
      writeFileSync(file, text);
      const world = await awsWorld({}, config);
      expect(() => new Desk(world)).toThrow();
      await world.fake.close();
    }
  });
  test("a role that is not there is not visible", async () => {
    writeFileSync(file, `dana@example.com ${role("gone")}\n`);
    expect(await (await at({ simulations }, config)).ask()).toBe("resource_not_visible");
  });
});

describe("an IAM user", () => {
  const config = { identity_mode: "iam_user" };
  const arn = (name: string): string => `arn:aws:iam::${ACCOUNT}:user/${name}`;
  test("is called like the local part, else like the whole email", async () => {
    for (const name of ["dana", "dana@example.com"]) {
      const simulations = { [arn(name)]: { "s3:GetObject": { decision: "allowed" } } } as const;
      const { ask, forms } = await at({ iamUsers: [name], simulations }, config);
      expect(await ask()).toBe("allowed");
      expect(forms("GetUser")[0]?.get("UserName")).toBe("dana");
    }
    expect(await (await at({}, config)).ask()).toBe("user_not_found");
  });
});

describe("hallpass's own credential", () => {
  test("takes on each role once", async () => {
    const { ask, forms, desk } = await at();
    await ask("s3.read");
    await ask("s3.write");
    expect(forms("AssumeRole").map((form) => form.get("ExternalId"))).toEqual(["external-1", "external-1"]);
    desk.clock.advance(56 * 60_000);
    await ask("s3.list");
    expect(forms("AssumeRole").length).toBeGreaterThan(2);
  });
  test("may be the instance's", async () => {
    const { ask, fake } = await at({}, { credential: literal("ambient:imds") });
    expect(await ask()).toBe("allowed");
    expect(fake.calls[0]).toBe("PUT /latest/api/token");
  });
  test("of another form is credential_rejected, without a call and without a word of it", async () => {
    for (const value of ["CANARY", '{"access_key_id":"CANARY"}', "ambient:CANARY", "[]"]) {
      const { ask, fake } = await at({}, { credential: literal(value) });
      expect(await ask()).toBe("credential_rejected");
      expect(fake.calls).toEqual([]);
    }
  });
  test("is not in the evidence, nor are the roles it takes on", async () => {
    const { ask, desk } = await at();
    await ask();
    expect(JSON.stringify(desk.decisions)).not.toContain("sts.");
  });
  test("says who it is when it is probed", async () => {
    const { desk } = await at();
    const probed = await desk.probe();
    expect(probed.warnings).toEqual([]);
    expect(JSON.stringify(probed)).toContain("role/hallpass");
  });
});

describe("an error of AWS's", () => {
  const table: [string, number, string, string][] = [
    ["SimulatePrincipalPolicy", 500, "PolicyEvaluation", "unsupported"],
    ["SimulatePrincipalPolicy", 500, "ServiceFailure", "upstream_error"],
    ["SimulatePrincipalPolicy", 400, "PolicyEvaluation", "unsupported"],
    ["SimulatePrincipalPolicy", 400, "Throttling", "upstream_rate_limited"],
    ["SimulatePrincipalPolicy", 403, "AccessDenied", "credential_rejected"],
    ["SimulatePrincipalPolicy", 400, "InvalidInput", "upstream_error"],
    ["ListRoles", 403, "ExpiredToken", "credential_rejected"],
    ["AssumeRole", 403, "InvalidClientTokenId", "credential_rejected"],
    ["GetUserId", 400, "ThrottlingException", "upstream_rate_limited"],
    ["GetUserId", 400, "AccessDeniedException", "credential_rejected"],
    ["ListAccountAssignmentsForPrincipal", 400, "com.amazon#ThrottlingException", "upstream_rate_limited"],
    ["DescribeUser", 400, "ResourceNotFoundException", "upstream_error"],
  ];
  for (const [operation, status, code, expected] of table)
    test(`${code} (${status}) of ${operation} is ${expected}`, async () =>
      expect(await (await at({ errors: { [operation]: [status, code] } })).ask()).toBe(expected));
});

test("a configuration has keys that agree with each other", async () => {
  const world = await awsWorld();
  const [given] = world.connections;
  const bad: Record<string, string>[] = [
    { account_id: "12" },
    { role_arn: "arn:aws:iam::444455556666:role/x" },
    { role_arn: "arn:aws-cn:iam::111122223333:role/x" },
    { partition: "aws-cn" },
    { identity_mode: "static_map" },
    { role_map_file: "/etc/map" },
    { identity_store_id: "d-1" },
    { region: "here" },
    { context_entries: "x" },
    { session_name: "a b" },
  ];
  for (const change of bad) expect(() => loadConfigCode([{ ...given, ...change }], INTEGRATIONS)).toThrow();
  expect(() => loadConfigCode([{ ...given, credential: CREDENTIAL }], INTEGRATIONS)).not.toThrow();
  await world.fake.close();
});

test("each action has been allowed and denied", () => expect(uncovered("aws", desks)).toEqual([]));
