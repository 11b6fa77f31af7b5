/** AWS as far as simulations of policies and Identity Center go; it checks each request's signature and whose it is (CHECKS §4.11). */
import { literal } from "../../../src/checks/config/secret.ts";
import { CANARY, type World } from "../support/desk.ts";
import { FakeServer, type FakeReply, type FakeRequest, type Route } from "../support/fake-server.ts";
import type { Scenario } from "../support/scenario.ts";
import { signerOf, type AccessKey, type Scope } from "../support/sigv4.ts";
import { center, failed as failedJson } from "./aws/center.ts";
import { answered, failed, formProblem, iam, type Form } from "./aws/query.ts";
import { ACCOUNT, awsState, DANA, reserved, roleName, type AwsState } from "./aws/state.ts";

export { ACCOUNT, awsState, DANA, reserved, roleName, type AwsState };

/** A key of hallpass's own, or of a role that it took on. */
interface Key extends AccessKey {
  readonly role?: string;
}

const OWN: Key = { id: `AKIA${CANARY}`, secret: `${CANARY}-secret` };
const INSTANCE: Key = { id: `ASIA${CANARY}0`, secret: `${CANARY}-instance`, token: `${CANARY}-instance-token` };

export const CREDENTIAL = literal(JSON.stringify({ access_key_id: OWN.id, secret_access_key: OWN.secret }));

class Aws {
  private readonly keys: Key[] = [OWN, INSTANCE];
  /** Set once the server is up. */
  refuse: (why: string) => void = () => {};

  constructor(private readonly state: AwsState) {}

  routes(): Route[] {
    const { region, centerRegion } = this.state;
    const sts = { region, service: "sts" };
    const ofIam = { region: "us-east-1", service: "iam" };
    const query = /^application\/x-www-form-urlencoded/;
    return [
      this.route(`sts.${region}.amazonaws.com`, query, (request) => this.answerQuery(request, sts)),
      this.route("iam.amazonaws.com", query, (request) => this.answerQuery(request, ofIam)),
      ...["identitystore", "sso"].map((service) =>
        this.route(`${service}.${centerRegion}.amazonaws.com`, "application/x-amz-json-1.1", (request) =>
          this.answerCenter(request, { region: centerRegion, service }),
        ),
      ),
      ...metadata(),
    ];
  }

  private route(host: string, type: string | RegExp, answer: Route["answer"]): Route {
    return { on: `POST https://${host}/`, headers: { "content-type": type }, body: "text", answer };
  }

  private answerQuery(request: FakeRequest, scope: Scope): FakeReply {
    const form: Form = new Map(new URLSearchParams(request.body));
    const wrong = formProblem(form, scope.service === "sts" ? "sts" : "iam");
    if (wrong !== undefined) return this.refused(wrong);
    const signer = signerOf(request, this.keys, scope);
    if (typeof signer === "string") return this.unsigned(signer, failed);
    if (scope.service === "sts") return this.sts(form, signer);
    return signer.role === this.state.role ? iam(this.state, form) : failed([403, "AccessDenied"]);
  }

  private sts(form: Form, signer: Key): FakeReply {
    const operation = form.get("Action") ?? "";
    const error = this.state.errors[operation];
    if (error !== undefined) return failed(error);
    if (operation === "GetCallerIdentity") {
      const arn = signer.role ?? `arn:aws:iam::${ACCOUNT}:user/hallpass`;
      return answered(operation, `<Arn>${arn}</Arn><UserId>AIDA</UserId><Account>${ACCOUNT}</Account>`);
    }
    const { role: own, centerRole, externalId } = this.state;
    const role = form.get("RoleArn") ?? "";
    const mayTake = signer.role === undefined && [own, centerRole].includes(role);
    if (!mayTake || form.get("ExternalId") !== externalId || !form.get("RoleSessionName"))
      return failed([403, "AccessDenied"]);
    return answered(operation, this.session(role));
  }

  /** A new session of `role`, as XML. */
  private session(role: string): string {
    const count = this.keys.length;
    const key = { id: `ASIA${CANARY}${count}`, secret: `${CANARY}/s+${count}=`, token: `${CANARY}/t+${count}==`, role };
    this.keys.push(key);
    const expiration = "<Expiration>2026-01-01T01:00:00Z</Expiration>";
    return `<Credentials><AccessKeyId>${key.id}</AccessKeyId><SecretAccessKey>${key.secret}</SecretAccessKey><SessionToken>${key.token}</SessionToken>${expiration}</Credentials><AssumedRoleUser><Arn>${role}</Arn></AssumedRoleUser>`;
  }

  private answerCenter(request: FakeRequest, scope: Scope): FakeReply {
    const signer = signerOf(request, this.keys, scope);
    if (typeof signer === "string") return this.unsigned(signer, failedJson);
    const target = request.headers["x-amz-target"] ?? "";
    const isHere = target.startsWith("AWSIdentityStore.") === (scope.service === "identitystore");
    if (!isHere) return this.refused(`the operation ${target} at ${scope.service}`);
    if (signer.role !== this.state.centerRole) return failedJson([400, "AccessDeniedException"]);
    const reply = center(this.state, target, request.body);
    return typeof reply === "string" ? this.refused(reply) : reply;
  }

  private unsigned(why: string, fail: typeof failed): FakeReply {
    if (why === "an access key that is not known") return fail([403, "InvalidClientTokenId"]);
    return this.refused(why);
  }

  private refused(why: string): FakeReply {
    this.refuse(why);
    return { status: 501 };
  }
}

/** The instance metadata service, version 2: a token first, then the credentials of the machine's role. */
function metadata(): Route[] {
  const host = "http://169.254.169.254/latest";
  const roles = `${host}/meta-data/iam/security-credentials`;
  const headers = { "x-aws-ec2-metadata-token": `${CANARY}-imds` };
  const body = {
    Code: "Success",
    Type: "AWS-HMAC",
    AccessKeyId: INSTANCE.id,
    SecretAccessKey: INSTANCE.secret,
    Token: INSTANCE.token,
    Expiration: "2026-01-01T06:00:00Z",
  };
  return [
    {
      on: `PUT ${host}/api/token`,
      headers: { "x-aws-ec2-metadata-token-ttl-seconds": /^\d+$/ },
      answer: () => ({ status: 200, body: `${CANARY}-imds` }),
    },
    { on: `GET ${roles}/`, headers, answer: () => ({ status: 200, body: "machine" }) },
    { on: `GET ${roles}/machine`, headers, answer: () => ({ status: 200, body }) },
  ];
}

export async function awsWorld(
  changes: Partial<AwsState> = {},
  config: Readonly<Record<string, string | ReturnType<typeof literal>>> = {},
): Promise<World> {
  const state = awsState(changes);
  const aws = new Aws(state);
  const fake = await FakeServer.start(aws.routes());
  aws.refuse = (why) => void fake.refused.push(why);
  const { account, role, externalId, region, centerRole, centerRegion, store, instance } = state;
  const own = { account_id: account, role_arn: role, external_id: externalId, region, credential: CREDENTIAL };
  const ofCenter = {
    identity_center_role_arn: centerRole,
    identity_center_region: centerRegion,
    identity_store_id: store,
    sso_instance_arn: instance,
  };
  return { fake, connections: [{ id: "aws", integration: "aws", ...own, ...ofCenter, ...config }] };
}

const asking = { user: "dana@example.com", action: "s3.read", resource: "arn:aws:s3:::reports/a" };

/** What a simulation comes to for the one role that Dana has. */
async function simulated(evaluation: AwsState["simulations"][string][string]): Promise<World> {
  return await awsWorld({
    assignments: [{ account: ACCOUNT, principal: DANA.id, set: "ps-reader" }],
    people: [{ ...DANA, groups: [] }],
    simulations: { [reserved("Reader")]: { "s3:GetObject": evaluation } },
  });
}

const lastPage = { NextToken: "is missing on the last page" };

export const scenarios: readonly Scenario[] = [
  { name: "an action that a permission set gives", world: awsWorld, asking, expect: "allowed" },
  {
    name: "an action that no permission set gives",
    world: awsWorld,
    asking: { ...asking, action: "s3.write" },
    expect: "denied",
    absent: lastPage,
  },
  {
    name: "a permission set of another account",
    world: async () =>
      await awsWorld({
        assignments: [{ account: "444455556666", principal: DANA.id, set: "ps-reader" }],
        people: [{ ...DANA, groups: [] }],
      }),
    asking,
    expect: "denied",
    absent: lastPage,
  },
  {
    name: "a person who is switched off",
    world: async () => await awsWorld({ people: [{ ...DANA, status: "DISABLED" }] }),
    asking,
    expect: "denied",
  },
  {
    name: "an action that a boundary stops",
    world: async () => await simulated({ decision: "explicitDeny", byBoundary: false }),
    asking,
    expect: "denied",
    absent: lastPage,
  },
  {
    name: "an action that is allowed but not on this resource",
    world: async () => await simulated({ decision: "allowed", resource: { decision: "implicitDeny" } }),
    asking,
    expect: "denied",
    absent: lastPage,
  },
  {
    name: "an action that depends on what the request would carry",
    world: async () => await simulated({ decision: "allowed", missing: ["aws:SourceIp"] }),
    asking,
    expect: "unsupported",
    absent: lastPage,
  },
  {
    name: "a permission set without its role in the account",
    world: async () => await awsWorld({ roles: [roleName("Admin")], people: [{ ...DANA, groups: [] }] }),
    asking,
    expect: "resource_not_visible",
    absent: lastPage,
  },
];
