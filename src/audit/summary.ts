/** A log in short: what was allowed and denied and why, how often somebody was asked, and where it happened. */
import type { Decision } from "../control/messages.ts";

export interface Tally {
  readonly name: string;
  readonly count: number;
}

export interface Summary {
  readonly decisions: number;
  readonly first: string | undefined;
  readonly last: string | undefined;
  readonly allowed: readonly Tally[];
  readonly denied: readonly Tally[];
  readonly prompts: {
    /** Requests that somebody was asked about. */
    readonly asked: number;
    readonly accepted: number;
    readonly perHour: number | undefined;
    /** Median of how long an answer took. */
    readonly medianWaitMs: number | undefined;
  };
  /** Folders or destinations, the busiest first. */
  readonly places: readonly Tally[];
  readonly deniedTargets: readonly Tally[];
  readonly programs: readonly Tally[];
}

const TOP = 10;
const ASKED = new Set(["user", "timeout", "gone"]);

export function summarize(decisions: readonly Decision[]): Summary {
  const allowed = decisions.filter((one) => one.decision === "allow");
  const denied = decisions.filter((one) => one.decision === "deny");
  return {
    decisions: decisions.length,
    first: decisions[0]?.time,
    last: decisions.at(-1)?.time,
    allowed: tally(allowed, (one) => one.reason),
    denied: tally(denied, (one) => one.reason),
    prompts: prompts(decisions),
    places: tally(decisions, placeOf).slice(0, TOP),
    deniedTargets: tally(denied, (one) => one.path ?? one.dest).slice(0, TOP),
    programs: tally(decisions, (one) => one.exe).slice(0, TOP),
  };
}

/** A request may have been many calls: it was one question. */
function prompts(decisions: readonly Decision[]): Summary["prompts"] {
  const requests = new Map(
    decisions.filter((one) => one.request !== undefined && ASKED.has(one.reason)).map((one) => [one.request, one]),
  );
  const waits = [...requests.values()].flatMap((one) => one.waited_ms ?? []).toSorted((a, b) => a - b);
  const hours = (Date.parse(decisions.at(-1)?.time ?? "") - Date.parse(decisions[0]?.time ?? "")) / 3_600_000;
  return {
    asked: requests.size,
    accepted: [...requests.values()].filter((one) => one.decision === "allow").length,
    perHour: hours > 0 ? requests.size / hours : undefined,
    medianWaitMs: waits[waits.length >> 1],
  };
}

function placeOf({ path, dest }: Decision): string | undefined {
  return path === undefined ? dest : path.slice(0, Math.max(1, path.lastIndexOf("/")));
}

function tally(decisions: readonly Decision[], name: (one: Decision) => string | undefined): Tally[] {
  const counts = new Map<string, number>();
  for (const one of decisions) {
    const key = name(one);
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].map(([key, count]) => ({ name: key, count })).toSorted((a, b) => b.count - a.count);
}
