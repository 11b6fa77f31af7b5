/** The matcher of this thread, on the tables that the main thread publishes. */
import { Matcher } from "../../policy-wasm/host.ts";
import type { PathMatcher } from "./judge.ts";

export function matcherFor(policy: SharedArrayBuffer): PathMatcher {
  const matcher = new Matcher(policy);
  matcher.refresh();
  return matcher;
}
