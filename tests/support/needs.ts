/** Tests that need something of the machine: they skip with the reason in their name, and HALLPASS_MUST_WORK=1 makes that a failure. */
import { appendFileSync } from "node:fs";
import { test } from "bun:test";
import { UnsupportedError } from "../../src/errors.ts";

export interface Need {
  /** What is missing, in the user's words; undefined where it is there. */
  readonly missing: string | undefined;
  /** Only another kernel would bring it: excused even where everything must work. */
  readonly isKernel: boolean;
}

export const mustWork = process.env.HALLPASS_MUST_WORK === "1";

export const isRoot = process.getuid?.() === 0;

export function root(): Need {
  return { missing: isRoot ? undefined : "needs root", isKernel: false };
}

export function program(...names: readonly string[]): Need {
  const absent = names.filter((name) => Bun.which(name) === null);
  return {
    missing: absent.length > 0 ? `needs ${absent.join(" and ")} (scripts/test-packages.sh)` : undefined,
    isKernel: false,
  };
}

/** `probe` tries the feature itself (no version is read) and says what this kernel answered where it has none. */
export function kernel(feature: string, probe: () => string | undefined): Need {
  const got = probe();
  return { missing: got === undefined ? undefined : `${feature}: ${got}`, isKernel: true };
}

/** `test` where all needs are met; else a skip that says why: `needs(root(), program("tmux"))("keeps …", () => …)`. */
export function needs(...all: readonly Need[]): typeof test {
  const absent = all.find((need) => need.missing !== undefined);
  if (absent === undefined) return test;
  const skip = (name: string, ...rest: unknown[]): void =>
    (test.skip as (name: string, ...rest: unknown[]) => void)(`${name} ${reasonOf(absent)}`, ...rest);
  return Object.assign(skip, test);
}

function reasonOf(need: Need): string {
  return need.isKernel ? `[skipped, kernel: ${need.missing}]` : `[skipped: ${need.missing}]`;
}

/**
 * For a test that learns only while it runs that the kernel lacks something: `UnsupportedError`, and nothing else, ends
 * it as skipped. `kernelFeatures` are the features that no package could bring; any other must work in CI.
 */
export async function unlessUnsupported(
  name: string,
  body: () => void | Promise<void>,
  kernelFeatures: readonly string[] = [],
): Promise<void> {
  try {
    await body();
  } catch (error) {
    if (!(error instanceof UnsupportedError)) throw error;
    const need = { missing: error.message, isKernel: kernelFeatures.includes(error.feature) };
    if (mustWork && !need.isKernel) throw error;
    noteSkip(name, need);
  }
}

/** Counts a test that is already running as skipped: bun knows no such thing, so the suite runner reads it from a file. */
export function noteSkip(name: string, need: Need): void {
  const line = `${name} ${reasonOf(need)}`.replaceAll("\n", " ");
  console.warn(`SKIPPED ${line}`);
  if (process.env.HALLPASS_SKIPS) appendFileSync(process.env.HALLPASS_SKIPS, `${line}\n`);
}
