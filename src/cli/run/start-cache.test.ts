import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import {
  compilePolicy,
  makeRule,
  openDisk,
  type PlacedRule,
  settle,
  type SettleContext,
  Tier,
} from "../../policy/index.ts";
import { StartCache } from "./start-cache.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync("/var/tmp/hallpass-start-cache-"));
  for (const folder of ["bin", "home", "home/real", "other"]) mkdirSync(`${root}/${folder}`);
  writeFileSync(`${root}/bin/tool`, "", { mode: 0o755 });
  symlinkSync("real", `${root}/home/link`);
  settled();
});
afterEach(() => rmSync(root, { recursive: true }));

/** As if everything had been there for a while. */
function settled(): void {
  const past = new Date(Date.now() - 60_000);
  for (const folder of ["bin", "home", "home/real", "other", "."]) utimesSync(`${root}/${folder}`, past, past);
}

const context = (): SettleContext => ({ home: `${root}/home`, cwd: root, disk: openDisk(), path: [`${root}/bin`] });
const open = (inputs: unknown = ["same"]) => new StartCache(`${root}/cache`, inputs);

function workOut(cache: StartCache, over: Partial<PlacedRule> = {}): PlacedRule[] {
  const seen = cache.recording(context());
  return ["link/**", "new"]
    .map((target) => ({ ...makeRule("allow", "write", `~/${target}`, seen), id: target }))
    .concat([{ ...makeRule("allow", "exec", "tool", seen), id: "tool" }])
    .map((rule) => settle({ ...rule, tier: Tier.allow, origin: { kind: "flag" } as const, ...over }, seen));
}

/** Keeps the rules as a session would, and returns them. */
function keep(over: Partial<PlacedRule> = {}): { rules: PlacedRule[]; tables: Uint8Array } {
  const cache = open();
  const rules = workOut(cache, over);
  const { tables } = compilePolicy(rules);
  cache.save({ rules, tables });
  return { rules, tables };
}

test("gives back what was worked out, rule for rule and byte for byte", () => {
  const { rules, tables } = keep();
  expect(open().load()).toEqual({ rules, tables });
  expect(statSync(`${root}/cache`).mode & 0o777).toBe(0o700);
  expect(readdirSync(`${root}/cache`).map((name) => statSync(`${root}/cache/${name}`).mode & 0o777)).toEqual([0o600]);
});

test("gives nothing for other inputs", () => {
  keep();
  expect(open(["other"]).load()).toBeUndefined();
});

test.each([
  [
    "a link that a rule went through leads elsewhere",
    () => {
      unlinkSync(`${root}/home/link`);
      symlinkSync("../other", `${root}/home/link`);
    },
  ],
  ["what was no link is one", () => symlinkSync("real", `${root}/home/new`)],
  ["a program comes to the folders of $PATH", () => writeFileSync(`${root}/bin/other`, "")],
  ["a program goes from them", () => unlinkSync(`${root}/bin/tool`)],
  [
    "the file is broken",
    () => {
      for (const name of readdirSync(`${root}/cache`)) writeFileSync(`${root}/cache/${name}`, "xxxx");
    },
  ],
])("gives nothing when %s", (_, change) => {
  keep();
  change();
  expect(open().load()).toBeUndefined();
});

test("holds when something else changes in a folder that was passed through", () => {
  keep();
  writeFileSync(`${root}/home/note`, "");
  chmodSync(`${root}/home/real`, 0o700);
  expect(open().load()).toBeDefined();
});

test("keeps nothing that ends, and nothing that was seen in the moment of a change", () => {
  keep({ expiresAt: Date.now() + 1000 });
  expect(existsSync(`${root}/cache`)).toBe(false);
  writeFileSync(`${root}/bin/fresh`, "");
  keep();
  expect(existsSync(`${root}/cache`)).toBe(false);
});

test("does not grow without end", () => {
  for (let n = 0; n < 70; n++) {
    const cache = open([n]);
    const rules = workOut(cache);
    cache.save({ rules, tables: compilePolicy(rules).tables });
  }
  expect(readdirSync(`${root}/cache`).length).toBe(64);
  expect(open([69]).load()).toBeDefined();
});
