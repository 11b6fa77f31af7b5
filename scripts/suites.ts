/** Which test files make which suite; each suite is a `bun test` process of its own. */
import { Glob } from "bun";

export interface Suite {
  readonly name: string;
  readonly globs: readonly string[];
  /** Seconds after which the suite is ended and counts as failed. */
  readonly limit: number;
  /** The issue that brings the suite, where it has no files yet. */
  readonly later?: string;
}

const unit = ["src", "ffi", "tui", "bench", "scripts"].map((folder) => `${folder}/**/*.test.ts`);

/** In the order they run: what fails quickly first. */
export const SUITES: readonly Suite[] = [
  { name: "unit", globs: unit, limit: 300 },
  { name: "contract", globs: ["policy-wasm/**/*.test.ts", "tests/contract/**/*.test.ts"], limit: 300 },
  { name: "kernel", globs: ["tests/kernel/**/*.test.ts"], limit: 600 },
  { name: "checks", globs: ["tests/checks/**/*.test.ts"], limit: 900 },
  { name: "terminal", globs: ["tests/terminal/**/*.test.ts"], limit: 600 },
  { name: "house", globs: ["tests/house/**/*.test.ts", "tests/support/**/*.test.ts"], limit: 600 },
  { name: "cases", globs: ["tests/cases.test.ts"], limit: 1500 },
  { name: "web", globs: ["tests/web/**/*.test.ts", "web/**/*.test.ts"], limit: 600, later: "the web interface" },
  { name: "vm", globs: ["tests/vm/**/*.test.ts"], limit: 900, later: "strict mode" },
];

/** `*.long.test.ts` holds what is too long for CI: `npm run test:long` runs those files alone. */
export function filesOf(suite: Suite, root: string, long: boolean): string[] {
  const files = suite.globs.flatMap((glob) => [...new Glob(glob).scanSync({ cwd: root })]);
  return files.filter((file) => file.endsWith(".long.test.ts") === long).toSorted();
}
