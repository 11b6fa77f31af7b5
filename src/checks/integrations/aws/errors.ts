/** What AWS's error codes mean here (CHECKS §4.11); its messages are never passed on. */
import { unknown, vetted, type Finding } from "../../codes.ts";
import type { Reply } from "../../http/reply.ts";
import { record, text } from "../../shared/fields.ts";
import { Xml } from "./xml.ts";

const LIMITED = /^(?:Throttl|TooManyRequests|RequestLimitExceeded|RequestThrottled)/;
const REJECTED =
  /^(?:AccessDenied|InvalidClientTokenId|ExpiredToken|UnrecognizedClient|SignatureDoesNotMatch|IncompleteSignature|InvalidIdentityToken|MissingAuthenticationToken|NotAuthorized)/;

/** The code of an error answer of either protocol, without its namespace and its suffix. */
export function codeOf(reply: Reply): string {
  const json = reply.peek(record({ __type: text }))?.__type;
  const code = json || reply.headers["x-amzn-errortype"]?.split(":")[0] || Xml.errorCode(reply);
  return code.slice(code.lastIndexOf("#") + 1).replace(/Exception$/, "");
}

export function refusal(reply: Reply): Finding | undefined {
  const code = codeOf(reply);
  if (reply.status === 429 || LIMITED.test(code))
    return unknown("upstream_rate_limited", "AWS limits the rate of calls");
  if (REJECTED.test(code) || reply.status === 401 || reply.status === 403)
    return unknown("credential_rejected", `AWS refused hallpass (${vetted(code)})`);
  // Comes with status 500.
  if (code.startsWith("PolicyEvaluation"))
    return unknown("unsupported", "AWS could not evaluate the person's policies");
  if (code.startsWith("NoSuchEntity")) return unknown("resource_not_visible", "the role or user is not in the account");
  return code === "" ? undefined : unknown("upstream_error", `AWS answered with ${vetted(code)}`);
}
