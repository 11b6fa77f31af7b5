/** What can be asked of AWS: names for common API actions, and any other by `raw:` (CHECKS §4.11). */
import type { Action, Pattern } from "../../integration.ts";

export interface AwsAction extends Action {
  /** As IAM policies have it: `s3:GetObject`. */
  readonly api: string;
}

const RESOURCES = ["arn", "all"] as const;

function action(name: string, api: string, about: string): AwsAction {
  return { name, api, about, resources: RESOURCES };
}

export const actions: readonly AwsAction[] = [
  action("s3.read", "s3:GetObject", "read an object"),
  action("s3.write", "s3:PutObject", "write an object"),
  action("s3.list", "s3:ListBucket", "list a bucket"),
  action("ec2.stop", "ec2:StopInstances", "stop an instance"),
  action("ec2.start", "ec2:StartInstances", "start an instance"),
  action("ec2.terminate", "ec2:TerminateInstances", "terminate an instance"),
  action("lambda.invoke", "lambda:InvokeFunction", "invoke a function"),
  action("iam.passrole", "iam:PassRole", "hand a role to a service"),
  action("secretsmanager.read", "secretsmanager:GetSecretValue", "read a secret"),
  action("ssm.session", "ssm:StartSession", "open a session on an instance"),
  action("sts.assume", "sts:AssumeRole", "assume a role"),
  action("rds.delete", "rds:DeleteDBInstance", "delete a database instance"),
  action("eks.describe", "eks:DescribeCluster", "describe a cluster"),
];

const RAW = /^raw:([a-z0-9][a-z0-9-]{0,62}:[A-Z][A-Za-z0-9]{0,126})$/;

export const patterns: readonly Pattern<AwsAction>[] = [
  {
    form: "raw:<service>:<Action>",
    about: "any action of the API",
    match: (name) => {
      const api = RAW.exec(name)?.[1];
      return api === undefined ? undefined : action(name, api, `the action ${api}`);
    },
  },
];
