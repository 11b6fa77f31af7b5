/** Every case of ../shared/cases, as root and as an ordinary user; HALLPASS_CASES="01 26" runs those alone. */
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { CANNOT_RUN, EXPECTED_FAILURES } from "./cases-expected.ts";
import { caseNames, runCase, type CaseResult } from "./support/cases.ts";
import { inLanes } from "./support/lanes.ts";
import { isRoot, mustWork, noteSkip } from "./support/needs.ts";
import { casesFolder } from "./support/tree.ts";
import { ordinaryUser, type User } from "./support/user.ts";

/** Cases that measure time or start hundreds of processes. */
const ALONE = ["20", "60", "61", "63", "65", "66", "70", "72", "75", "78", "79", "80"];

const TEST_LIMIT_MS = 1_500_000;

const root: User = { name: "root", uid: 0, gid: 0, home: process.env.HOME ?? "/root" };
const users: readonly User[] = isRoot ? [root, ordinaryUser()] : [ordinaryUser()];
const chosen = process.env.HALLPASS_CASES?.split(/[ ,]+/) ?? [];

interface Run {
  readonly name: string;
  readonly number: string;
  readonly as: "root" | "user";
  readonly user: User;
}

function allRuns(): Run[] {
  const names = caseNames().filter((name) => chosen.length === 0 || chosen.some((start) => name.startsWith(start)));
  const as = (user: User): Run["as"] => (user.uid === 0 ? "root" : "user");
  return names.flatMap((name) => users.map((user) => ({ name, number: name.slice(0, 2), as: as(user), user })));
}

function judge(run: Run, result: CaseResult): void {
  if (result.status !== 77) {
    expect(`status ${result.status}: ${result.words}`).toStartWith("status 0:");
    return;
  }
  const known = CANNOT_RUN.find(({ number, as }) => number === run.number && as === run.as);
  if (mustWork && known === undefined) throw new Error(`the case could not run: ${result.words}`);
  noteSkip(`case ${run.name} as ${run.as}`, { missing: known?.why ?? result.words, isKernel: known !== undefined });
}

const runs = existsSync(casesFolder) ? allRuns() : [];
const jobs = runs.map(({ name, number, user }) => ({
  isAlone: ALONE.includes(number),
  run: () => runCase(name, user),
}));
const results = inLanes(jobs, 2);
// Each result is awaited by its own test; one that is rejected before that is no unhandled rejection.
for (const result of results) result.catch(() => {});

describe("case", () => {
  runs.forEach((run, index) => {
    const expected = EXPECTED_FAILURES.find(
      ({ number, as }) => number === run.number && (as === "both" || as === run.as),
    );
    const title = expected
      ? `${run.name} as ${run.as} (fails until issue ${expected.issue}: ${expected.why})`
      : `${run.name} as ${run.as}`;
    const check = async (): Promise<void> => {
      const result = await results[index];
      if (result === undefined) throw new Error("the case was not run");
      console.log(
        `${String(result.status).padStart(3)} ${result.seconds.toFixed(1).padStart(6)} s  ${run.name} as ${run.as}`,
      );
      judge(run, result);
    };
    (expected ? test.failing : test)(title, check, TEST_LIMIT_MS);
  });
});

if (!existsSync(casesFolder)) test.skip("the cases run [skipped: ../shared/cases is not there]", () => {});

test("every expected failure names a case that exists", () => {
  const known = existsSync(casesFolder) ? caseNames().map((name) => name.slice(0, 2)) : undefined;
  for (const { number } of EXPECTED_FAILURES) expect(known ?? [number]).toContain(number);
});
