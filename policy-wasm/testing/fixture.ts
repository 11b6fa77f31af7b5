/** What tests of the matcher share. */
import { minimatch } from "minimatch";
import { compilePolicy } from "../../src/policy/compile.ts";
import { CategoryCode } from "../../src/policy/layout.ts";
import { encodePath } from "../../src/policy/path-text.ts";
import type { Category, PlacedRule } from "../../src/policy/rule.ts";
import { Matcher, PolicyChannel } from "../host.ts";

export function matcherOf(rules: readonly PlacedRule[]): Matcher {
  const channel = PolicyChannel.create();
  channel.publish(compilePolicy(rules).tables);
  return new Matcher(channel.shared);
}

type Question = "match" | "matchName" | "matchBelow" | "matchLink";

export function ask(matcher: Matcher, category: Category, path: string, question: Question = "match"): number {
  return askBytes(matcher, category, encodePath(path), question);
}

export function askBytes(
  matcher: Matcher,
  category: Category,
  bytes: Uint8Array,
  question: Question = "match",
): number {
  matcher.pathBytes.set(bytes);
  return matcher[question](CategoryCode[category], bytes.length);
}

/** The one way in which minimatch is asked: what SPEC §3 fixes. */
const OPTIONS = {
  dot: true,
  nonegate: true,
  nocomment: true,
  noext: true,
  nobrace: true,
  platform: "linux",
  optimizationLevel: 0,
} as const;

/** minimatch with what SPEC §3 adds: `DIR/**` is DIR too, and a path without a glob is everything below it. */
export function minimatchPath(alternatives: readonly string[], path: string): boolean {
  return alternatives.some((glob) => {
    const isPlain = !/[*?]|\[.*\]/.test(glob.replace(/\\./gsu, ""));
    const folder = glob.replace(/(?:\/\*\*)+$/, "");
    const globs = isPlain ? [glob, `${glob}/**`] : folder === glob ? [glob] : [glob, folder || "/"];
    return globs.some((each) => minimatch(path, each, OPTIONS));
  });
}
