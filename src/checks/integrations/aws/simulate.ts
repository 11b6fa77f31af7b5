/** IAM's own simulation of a principal's policies, and what several of them come to (CHECKS §4.11). */
import type { Call } from "../../call.ts";
import { allowed, denied, stop, unknown, type Finding, type Stop } from "../../codes.ts";
import { contextForm, type ContextEntry } from "./context.ts";
import type { QueryService } from "./services.ts";
import type { Ask } from "./where.ts";
import type { Xml } from "./xml.ts";

const DECISIONS = ["allowed", "implicitDeny", "explicitDeny"] as const;
type Decision = (typeof DECISIONS)[number];

export interface Simulated {
  readonly decision: Decision;
  /** Context keys that decide and were not given. */
  readonly missing: readonly string[];
  readonly isStoppedByOrganization: boolean;
  readonly isStoppedByBoundary: boolean;
}

/** `gone`: the principal is not in the account any more. */
export async function simulate(
  iam: QueryService,
  principal: string,
  { action, arn }: Ask,
  context: readonly ContextEntry[],
  call: Call,
): Promise<Simulated | "gone"> {
  const result = await iam.find(call, "SimulatePrincipalPolicy", {
    PolicySourceArn: principal,
    "ActionNames.member.1": action,
    ...(arn === undefined ? {} : { "ResourceArns.member.1": arn }),
    ...contextForm(context),
  });
  if (result === undefined) return "gone";
  const [only, ...others] = result.list("EvaluationResults");
  const isWhole = others.length === 0 && result.flag("IsTruncated") !== true;
  if (only === undefined || !isWhole || only.text("EvalActionName").toLowerCase() !== action.toLowerCase())
    throw stop("unsupported", "IAM did not answer for the action that was asked about");
  return readResult(only, arn);
}

function readResult(result: Xml, arn: string | undefined): Simulated {
  const specific = result.list("ResourceSpecificResults");
  if (arn !== undefined && specific.some((one) => one.text("EvalResourceName") !== arn))
    throw stop("unsupported", "IAM answered for another resource than was asked about");
  const decisions = [result.text("EvalDecision"), ...specific.map((one) => one.text("EvalResourceDecision"))];
  const all = [result, ...specific];
  const isStopped = (detail: string, by: string): boolean => all.some((one) => one.at(detail).flag(by) === false);
  return {
    decision: strictest(decisions),
    missing: [...new Set(all.flatMap((one) => one.texts("MissingContextValues")))],
    isStoppedByOrganization: isStopped("OrganizationsDecisionDetail", "AllowedByOrganizations"),
    isStoppedByBoundary: isStopped("PermissionsBoundaryDecisionDetail", "AllowedByPermissionsBoundary"),
  };
}

function strictest(decisions: readonly string[]): Decision {
  const ranks = decisions.map((decision) => DECISIONS.indexOf(decision as Decision));
  const found = ranks.includes(-1) ? undefined : DECISIONS[Math.max(...ranks)];
  if (found === undefined) throw stop("unsupported", "IAM came to a decision that is not known here");
  return found;
}

export function isClean({ decision, missing }: Simulated): boolean {
  return decision === "allowed" && missing.length === 0;
}

/** What it comes to when no principal is allowed without conditions. */
export function summary(results: readonly Simulated[], isImplicitDeny: boolean): Finding {
  if (results.some(isClean)) return allowed("IAM's simulation allows it");
  const keys = [...new Set(results.flatMap(({ missing }) => missing))];
  if (keys.length > 0)
    return unknown("unsupported", `it depends on context that is not given: ${keys.map(named).join(", ")}`);
  const why = because(results);
  if (results.every(({ decision }) => decision === "explicitDeny")) return denied(`a policy denies it${why}`);
  return implicitly(`no policy allows it${why}`, isImplicitDeny);
}

export function implicitly(text: string, isDeny: boolean): Finding {
  return isDeny ? denied(text) : unknown("unsupported", text);
}

function because(results: readonly Simulated[]): string {
  const organization = results.some((one) => one.isStoppedByOrganization);
  const boundary = results.some((one) => one.isStoppedByBoundary);
  const parts = [organization ? "a service control policy" : "", boundary ? "a permissions boundary" : ""];
  const stopping = parts.filter(Boolean).join(" and ");
  return stopping === "" ? "" : ` (${stopping} does not allow it)`;
}

function named(key: string): string {
  return /^[A-Za-z0-9-]{1,64}:[\w+=,.@:/${}-]{1,128}$/.test(key) ? key : "a key with an odd name";
}

export function notProvisioned(): Stop {
  return stop("resource_not_visible", "a role that the person is given is not in the account");
}
