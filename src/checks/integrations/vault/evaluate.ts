/** From a person's policies to an answer on a path (CHECKS §4.18). */
import { allowed, denied, unknown, type Finding } from "../../codes.ts";
import type { Capability } from "./actions.ts";
import { mayBeHit, winnerFor, type Rule } from "./match.ts";

/** All of `needs` on `path`: every one → allow, none → deny, some → unsupported. */
export function evaluate(path: string, needs: readonly Capability[], rules: readonly Rule[]): Finding {
  const paths = needs.includes("list") ? [withSlash(path), withoutSlash(path)] : [path];
  const winners = paths.map((one) => winnerFor(one, rules));
  if (paths.some((one) => mayBeHit(one, rules))) {
    return unknown("unsupported", "a policy template that cannot be filled may cover the path");
  }
  if (winners.some((winner) => winner?.capabilities.has("deny"))) return denied("a policy denies the path");
  const [winner, bare] = winners;
  // A list request ends in a slash; only an exact path is looked up without it too.
  const decisive = needs.includes("list") && !winner?.isExact && bare?.isExact ? bare : winner;
  if (decisive === undefined) return denied("no policy covers the path");
  if (decisive.isConditional)
    return unknown("unsupported", "the policy limits the request's parameters, wrapping or approval");
  return count(needs.filter((need) => decisive.capabilities.has(need)).length, needs);
}

function count(held: number, needs: readonly Capability[]): Finding {
  if (held === needs.length) return allowed(`the policies give ${needs.join(" and ")} on the path`);
  if (held === 0) return denied(`the policies do not give ${needs.join(" or ")} on the path`);
  return unknown("unsupported", `the policies give only a part of ${needs.join(" and ")} on the path`);
}

function withoutSlash(path: string): string {
  return path.replace(/\/$/, "");
}

function withSlash(path: string): string {
  return path.endsWith("/") ? path : `${path}/`;
}
