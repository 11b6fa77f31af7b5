/** The small C programs of tests/targets, compiled when they are first wanted. */
import { existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { tree } from "../../support/tree.ts";

const folder = join(tree, "build", "test");

/** The program made of tests/targets/NAME.c; its path. */
export function buildTarget(name: string, ...flags: string[]): string {
  const source = join(tree, "tests", "targets", `${name}.c`);
  const program = join(folder, name);
  if (existsSync(program) && statSync(program).mtimeMs > statSync(source).mtimeMs) return program;
  mkdirSync(folder, { recursive: true });
  const made = `${program}.${process.pid}`;
  const warnings = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-g"];
  const cc = Bun.spawnSync(["cc", ...warnings, ...flags, "-o", made, source], { cwd: tree });
  if (cc.exitCode !== 0) throw new Error(`${name}.c: ${cc.stderr.toString()}`);
  renameSync(made, program);
  return program;
}
