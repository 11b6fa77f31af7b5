/** What the fake AWS holds: one account, one Identity Center, and what simulations of policies come to. */

export interface FakePerson {
  readonly id: string;
  readonly userName: string;
  readonly email: string;
  readonly status?: "ENABLED" | "DISABLED";
  readonly groups?: readonly string[];
}

export interface FakeAssignment {
  readonly account: string;
  /** A user's or a group's id. */
  readonly principal: string;
  readonly set: string;
}

export interface Evaluation {
  readonly decision: "allowed" | "explicitDeny" | "implicitDeny";
  readonly missing?: readonly string[];
  readonly byOrganizations?: boolean;
  readonly byBoundary?: boolean;
  /** What the resource-specific result says instead. */
  readonly resource?: {
    readonly decision: "allowed" | "explicitDeny" | "implicitDeny";
    readonly missing?: readonly string[];
  };
}

export interface AwsState {
  readonly account: string;
  readonly region: string;
  readonly centerRegion: string;
  readonly role: string;
  readonly centerRole: string;
  readonly externalId: string;
  readonly store: string;
  readonly instance: string;
  readonly people: readonly FakePerson[];
  readonly assignments: readonly FakeAssignment[];
  /** Names of permission sets by the last part of their ARN. */
  readonly sets: Readonly<Record<string, string>>;
  /** Names of the roles below /aws-reserved/sso.amazonaws.com/. */
  readonly roles: readonly string[];
  readonly iamUsers: readonly string[];
  /** By principal's ARN, then by `service:Action`, with ` <arn>` behind it where it is for one resource. */
  readonly simulations: Readonly<Record<string, Readonly<Record<string, Evaluation>>>>;
  /** Entries a page. */
  readonly pageSize: number;
  /** Error codes by operation (`SimulatePrincipalPolicy`), with the status they come with. */
  readonly errors: Readonly<Record<string, readonly [number, string]>>;
}

export const ACCOUNT = "111122223333";

export function reserved(set: string, account = ACCOUNT): string {
  return `arn:aws:iam::${account}:role/aws-reserved/sso.amazonaws.com/${roleName(set)}`;
}

export function roleName(set: string): string {
  return `AWSReservedSSO_${set}_0123456789abcdef`;
}

export const DANA: FakePerson = {
  id: "90670000-1111",
  userName: "dana",
  email: "dana@example.com",
  groups: ["g-admins"],
};

export function awsState(changes: Partial<AwsState> = {}): AwsState {
  return {
    account: ACCOUNT,
    region: "us-east-1",
    centerRegion: "eu-central-1",
    role: `arn:aws:iam::${ACCOUNT}:role/hallpass`,
    centerRole: "arn:aws:iam::999988887777:role/hallpass-center",
    externalId: "external-1",
    store: "d-0123456789",
    instance: "arn:aws:sso:::instance/ssoins-0123456789abcdef",
    people: [DANA],
    assignments: [
      { account: ACCOUNT, principal: DANA.id, set: "ps-reader" },
      { account: "444455556666", principal: DANA.id, set: "ps-admin" },
      { account: ACCOUNT, principal: "g-admins", set: "ps-ops" },
    ],
    sets: { "ps-reader": "Reader", "ps-admin": "Admin", "ps-ops": "Ops" },
    roles: [roleName("Reader"), roleName("Ops"), roleName("Admin")],
    iamUsers: [],
    simulations: {
      [reserved("Reader")]: { "s3:GetObject": { decision: "allowed" } },
      [reserved("Ops")]: { "ec2:StopInstances": { decision: "allowed" } },
    },
    pageSize: 100,
    errors: {},
    ...changes,
  };
}
