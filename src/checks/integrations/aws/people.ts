/** The roles or the user that stand for a person in the account, found without the Identity Center (CHECKS §4.11). */
import type { Call } from "../../call.ts";
import { stop, Stop, userNotFound } from "../../codes.ts";
import type { Subject } from "../../question.ts";
import { keyOfEmail } from "../../shared/emails.ts";
import { mapLines, type MapFile } from "../../shared/map-file.ts";
import type { QueryService } from "./services.ts";

/** ARNs by email or group, in lower case. */
export type RoleMap = ReadonlyMap<string, readonly string[]>;

const ROLE = /^arn:(aws|aws-us-gov|aws-cn):iam::(\d{12}):role\/[\w+=,.@/-]{1,512}$/;

/** Lines `<email or group> <role ARN>`. Throws an Error for a line of another form, or a role of another account. */
export function readRoleMap(text: string, account: string): RoleMap {
  const map = new Map<string, string[]>();
  for (const [name, arn] of mapLines(text)) {
    const key = keyOfEmail(name);
    if (key === undefined) throw new Error("the role map names an address that could pass for another's");
    if (ROLE.exec(arn)?.[2] !== account) throw new Error("the role map names something that is no role of account_id");
    map.set(key, [...(map.get(key) ?? []), arn]);
  }
  return map;
}

export function mappedRoles(file: MapFile<RoleMap>, { email, groups }: Subject): string[] {
  const map = file.current();
  const names = [email, ...groups.map((group) => keyOfEmail(group))];
  const roles = new Set(names.flatMap((name) => (name === undefined ? [] : (map.get(name) ?? []))));
  if (roles.size === 0) throw new Stop(userNotFound("the role map names neither the email nor a group"));
  return [...roles];
}

const NAME = /^[\w+=,.@-]{1,64}$/;

/** The IAM user that is called like the address's local part, else like the whole address. */
export async function findIamUser(iam: QueryService, { local, email }: Subject, account: string, call: Call) {
  for (const name of [local, email].filter((one) => NAME.test(one))) {
    const user = (await iam.find(call, "GetUser", { UserName: name }))?.at("User");
    if (user === undefined) continue;
    const arn = user.text("Arn");
    if (user.text("UserName").toLowerCase() !== name || !arn.includes(`:iam::${account}:user/`))
      throw stop("upstream_error", "AWS answered with another user than was asked for");
    return arn;
  }
  throw new Stop(userNotFound("no IAM user is called like the email"));
}
