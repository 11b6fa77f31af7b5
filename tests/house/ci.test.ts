/** What .ci/run promises: one line of counts at the end, and failure when anything failed or nothing ran. npm is a stand-in here. */
import { expect, test } from "bun:test";
import { chmodSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../support/hallpass.ts";
import { makePlaces } from "../support/places.ts";
import { tree } from "../support/tree.ts";

interface Stage {
  /** The status of `npm run check`. */
  readonly check?: number;
  /** What `npm test` prints, and its status. */
  readonly tests: string;
  readonly status?: number;
}

async function ci({ check = 0, tests, status = 0 }: Stage): Promise<{ status: number; lastLine: string | undefined }> {
  using places = makePlaces();
  const { project } = places;
  for (const folder of [".ci", "scripts", "bin"]) mkdirSync(join(project, folder));
  cpSync(join(tree, ".ci", "run"), join(project, ".ci", "run"));
  writeFileSync(join(project, "scripts", "test-packages.sh"), "");
  writeFileSync(join(project, "tests"), tests);
  const npm = join(project, "bin", "npm");
  writeFileSync(
    npm,
    `#!/bin/sh\n[ "$1" = run ] && exit ${check}\n[ "$HALLPASS_MUST_WORK" = 1 ] && cat tests\nexit ${status}\n`,
  );
  chmodSync(npm, 0o755);
  const env = { PATH: `${join(project, "bin")}:${process.env.PATH ?? ""}` };
  const ended = await run(["bash", ".ci/run"], { cwd: project, env });
  return { status: ended.status, lastLine: ended.stdout.trimEnd().split("\n").at(-1) };
}

test("ends with the counts of the tests, and well when all passed", async () => {
  expect(await ci({ tests: "noise\n7 passed, 0 failed, 1 skipped\n" })).toEqual({
    status: 0,
    lastLine: "7 passed, 0 failed, 1 skipped",
  });
});

test("fails when a test failed", async () => {
  const tests = "7 passed, 2 failed, 0 skipped\n";
  expect(await ci({ tests, status: 1 })).toEqual({ status: 1, lastLine: "7 passed, 2 failed, 0 skipped" });
});

test("counts a failed check as one failure, and runs the tests all the same", async () => {
  const tests = "7 passed, 0 failed, 0 skipped\n";
  expect(await ci({ check: 1, tests })).toEqual({ status: 1, lastLine: "7 passed, 1 failed, 0 skipped" });
});

test("fails when the tests said nothing, ran nothing, or ended badly without a failed test", async () => {
  expect(await ci({ tests: "" })).toEqual({ status: 1, lastLine: "0 passed, 1 failed, 0 skipped" });
  const nothing = "0 passed, 0 failed, 0 skipped\n";
  expect(await ci({ tests: nothing })).toEqual({ status: 1, lastLine: "0 passed, 0 failed, 0 skipped" });
  const died = "7 passed, 0 failed, 0 skipped\n";
  expect(await ci({ tests: died, status: 137 })).toEqual({ status: 1, lastLine: "7 passed, 1 failed, 0 skipped" });
});
