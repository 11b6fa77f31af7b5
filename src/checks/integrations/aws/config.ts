/** The keys of a connection to an AWS account, and what must hold between them (CHECKS §4.11). */
import { key, type ConfigOf } from "../../config/keys.ts";
import type { ConfigProblem } from "../../integration.ts";
import { readContext } from "./context.ts";

const ROLE = /^arn:(aws|aws-us-gov|aws-cn):iam::(\d{12}):role\/[\w+=,.@/-]{1,512}$/;
const REGION = /^[a-z]{2}(?:-[a-z]+)+-\d{1,2}$/;
const regionKey = (about: string) => key.text({ about, pattern: REGION, hint: "a region, like eu-west-1" });
const roleKey = (about: string) => key.text({ about, pattern: ROLE, hint: "the ARN of a role" });

export const keys = {
  account_id: key.text({
    about: "the account that is asked about",
    required: true,
    pattern: /^\d{12}$/,
    hint: "12 digits",
  }),
  role_arn: roleKey("a role of that account, which hallpass assumes"),
  external_id: key.text({ about: "sent when a role is assumed", pattern: /^[\w+=,.@:/-]{2,1224}$/ }),
  partition: key.oneOf(["aws", "aws-us-gov", "aws-cn"], { about: "the part of AWS", default: "aws" }),
  region: regionKey("where roles are assumed"),
  credential: key.secret({
    about: "JSON with access_key_id and secret_access_key, or ambient:auto|container|web_identity|imds",
    required: true,
  }),
  identity_mode: key.oneOf(["identity_center", "static_map", "iam_user"], {
    about: "how a person is found",
    default: "identity_center",
  }),
  identity_center_role_arn: roleKey("a role that may read the Identity Center"),
  identity_center_region: regionKey("where the Identity Center is"),
  identity_store_id: key.text({
    about: "the Identity Center's store of people",
    pattern: /^d-[0-9a-f]{10}$/,
    hint: "d- and ten hexadecimal digits",
  }),
  sso_instance_arn: key.text({
    about: "the Identity Center",
    pattern: /^arn:(aws|aws-us-gov|aws-cn):sso:::instance\/[\w-]{1,64}$/,
    hint: "the ARN of an instance",
  }),
  role_map_file: key.text({ about: "lines of an email or a group, and the ARN of a role (static_map)" }),
  context_entries: key.parsed({ about: "context of a request: key=type:value;…", read: readContext }),
  implicit_deny_as: key.oneOf(["deny", "unknown"], {
    about: "what it means that no policy says anything",
    default: "deny",
  }),
  session_name: key.text({
    about: "of the sessions of assumed roles",
    default: "hallpass",
    pattern: /^[\w+=,.@-]{2,64}$/,
    hint: "2 to 64 letters, digits and +=,.@-_",
  }),
};

export type AwsConfig = ConfigOf<typeof keys>;

export function check(config: AwsConfig): ConfigProblem[] {
  const { account_id: account, partition, role_arn: role, identity_mode: mode, role_map_file: file } = config;
  const named = ROLE.exec(role ?? "");
  const problems: ConfigProblem[] = [];
  if (named !== null && named[2] !== account) problems.push({ key: "role_arn", message: "must be of account_id" });
  for (const name of ["role_arn", "identity_center_role_arn", "sso_instance_arn"] as const) {
    const value = config[name];
    if (value !== undefined && value.split(":")[1] !== partition)
      problems.push({ key: name, message: `must be of the partition ${partition}` });
  }
  if (mode === "static_map" && file === undefined)
    problems.push({ key: "role_map_file", message: "is required where identity_mode is static_map" });
  if (mode !== "static_map" && file !== undefined)
    problems.push({ key: "role_map_file", message: "is only for the identity_mode static_map" });
  return problems;
}
