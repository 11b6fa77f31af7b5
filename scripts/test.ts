/** `npm test`: runs every suite, prints what failed and was skipped, and as its last line the counts over all of them. */
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readJunit, type Counts } from "./junit.ts";
import { filesOf, SUITES, type Suite } from "./suites.ts";

const root = join(import.meta.dir, "..");
const reports = join(root, "build", "reports");
const mustWork = process.env.HALLPASS_MUST_WORK === "1";

/** A skip that no package and no setting of this machine could turn into a run says so in the test's name. */
const KERNEL_REASON = /\[skipped, kernel: /;

/** For a test that names none of its own; bun test does not take one from bunfig.toml. */
const TEST_LIMIT_MS = 30_000;

interface Outcome extends Counts {
  readonly suite: string;
  readonly seconds: number;
}

async function runSuite(suite: Suite, files: readonly string[]): Promise<Outcome> {
  const xml = join(reports, `${suite.name}.xml`);
  const skips = join(reports, `${suite.name}.skips`);
  rmSync(xml, { force: true });
  rmSync(skips, { force: true });
  const began = performance.now();
  const child = Bun.spawn(
    [
      process.execPath,
      "test",
      `--timeout=${TEST_LIMIT_MS}`,
      "--reporter=junit",
      `--reporter-outfile=${xml}`,
      ...files.map((file) => `./${file}`),
    ],
    {
      cwd: root,
      stdin: "ignore",
      stdout: "inherit",
      stderr: "inherit",
      env: { ...process.env, HALLPASS_SKIPS: skips },
    },
  );
  let isLate = false;
  const alarm = setTimeout(() => {
    isLate = true;
    child.kill("SIGKILL");
  }, suite.limit * 1000);
  const status = await child.exited;
  clearTimeout(alarm);
  const counts = withRunTimeSkips(existsSync(xml) ? readJunit(readFileSync(xml, "utf8")) : none(), skips);
  const ended = isLate ? `was ended after ${suite.limit} s` : `ended with status ${status} and no failed test`;
  const failed = status !== 0 && counts.failed.length === 0 ? [`${suite.name}: ${ended}`] : counts.failed;
  const ranNothing = failed.length === 0 && counts.passed + counts.skipped.length === 0;
  return {
    suite: suite.name,
    seconds: (performance.now() - began) / 1000,
    passed: counts.passed,
    failed: ranNothing ? [`${suite.name}: no test ran`] : failed,
    skipped: counts.skipped,
  };
}

function none(): Counts {
  return { passed: 0, failed: [], skipped: [] };
}

/** bun counts a test that found out only while it ran that it cannot run here as passed; tests/support/needs.ts notes those. */
function withRunTimeSkips(counts: Counts, file: string): Counts {
  const noted = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  return { ...counts, passed: counts.passed - noted.length, skipped: [...counts.skipped, ...noted] };
}

function report(outcomes: readonly Outcome[]): number {
  let passed = 0;
  let failed = 0;
  let skipped = 0;
  for (const outcome of outcomes) {
    const forbidden = mustWork ? outcome.skipped.filter((name) => !KERNEL_REASON.test(name)) : [];
    const excused = outcome.skipped.filter((name) => !forbidden.includes(name));
    passed += outcome.passed;
    failed += outcome.failed.length + forbidden.length;
    skipped += excused.length;
    for (const name of outcome.failed) console.log(`FAILED ${outcome.suite}: ${name}`);
    for (const name of forbidden) console.log(`FAILED ${outcome.suite}: was skipped, and must work here: ${name}`);
    for (const name of excused) console.log(`skipped ${outcome.suite}: ${name}`);
  }
  for (const { suite, seconds, passed: ran } of outcomes)
    console.log(`${suite}: ${ran} passed in ${seconds.toFixed(1)} s`);
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  return failed === 0 && passed > 0 ? 0 : 1;
}

async function main(args: readonly string[]): Promise<number> {
  const long = args.includes("--long");
  const named = args.filter((arg) => arg !== "--long");
  const unknown = named.find((name) => !SUITES.some((suite) => suite.name === name));
  if (unknown !== undefined) {
    console.error(`hallpass: no suite is called ${unknown}; there are ${SUITES.map((suite) => suite.name).join(", ")}`);
    return 2;
  }
  mkdirSync(reports, { recursive: true });
  const outcomes: Outcome[] = [];
  for (const suite of SUITES.filter(({ name }) => named.length === 0 || named.includes(name))) {
    const files = filesOf(suite, root, long);
    if (files.length > 0) {
      console.log(`\n== ${suite.name}`);
      outcomes.push(await runSuite(suite, files));
    } else if (!long && suite.later === undefined) {
      outcomes.push({ ...none(), suite: suite.name, seconds: 0, failed: [`${suite.name}: has no test files`] });
    }
  }
  console.log();
  return report(outcomes);
}

process.exit(await main(process.argv.slice(2)));
