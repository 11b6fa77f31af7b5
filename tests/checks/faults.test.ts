/** The two properties that every integration has: no fault makes an allow, and a system that fails altogether has one meaning. */
import { Glob } from "bun";
import { describe, expect, test } from "bun:test";
import { outcomeOf } from "../../src/checks/codes.ts";
import { FAILURES, failWith } from "./support/battery.ts";
import { INTEGRATIONS } from "../../src/checks/integrations/index.ts";
import { runFaults } from "./support/faults.ts";
import type { Scenario } from "./support/scenario.ts";

const names = [...new Glob("*.ts").scanSync({ cwd: `${import.meta.dir}/fakes` })]
  .map((file) => file.replace(/\.ts$/, ""))
  .toSorted();

for (const name of names) {
  const { scenarios = [] } = (await import(`./fakes/${name}.ts`)) as { scenarios?: readonly Scenario[] };

  // A fake may be there before its integration.
  const isBuilt = (INTEGRATIONS.get(name)?.actions.length ?? 0) > 0;

  describe.skipIf(!isBuilt)(name, () => {
    test("has a scenario that is allowed, one that is denied and one that is unknown", () => {
      expect(new Set(scenarios.map(({ expect: code }) => outcomeOf(code)))).toEqual(
        new Set(["allow", "deny", "unknown"]),
      );
    });

    for (const scenario of scenarios.filter(({ expect: code }) => outcomeOf(code) !== "allow")) {
      test(`no fault in any answer allows ${scenario.name}`, async () => {
        const { count, wrong } = await runFaults(scenario);
        expect(wrong).toEqual([]);
        expect(count).toBeGreaterThan(0);
      }, 120_000);
    }

    const [first] = scenarios.filter(({ expect: code }) => outcomeOf(code) === "allow");
    for (const [failure, { fault, code }] of Object.entries(FAILURES)) {
      test.if(first !== undefined)(`${failure} on every call is ${code}`, async () => {
        expect(await failWith(first as Scenario, fault)).toBe(code);
      });
    }
  });
}
