/** The compiled programs of the benches, and where hallpass lies. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";

export interface Tools {
  readonly hallpass: string;
  /** bench/support/floor.c */
  readonly floor: string;
  /** bench/support/calls.c */
  readonly calls: string;
  /** bench/support/drain.c */
  readonly drain: string;
  /** 1 for a real run; less makes everything shorter, to see that it works. */
  readonly effort: number;
}

const root = join(import.meta.dir, "..", "..");

function compile(name: string, libraries: readonly string[] = []): string {
  const folder = join(root, "build", "bench");
  mkdirSync(folder, { recursive: true });
  const program = join(folder, name);
  const source = join(import.meta.dir, `${name}.c`);
  const { exitCode, stderr } = Bun.spawnSync([
    "cc",
    "-O2",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-o",
    program,
    source,
    ...libraries,
  ]);
  if (exitCode !== 0) throw new Error(`cc ${source}: ${stderr.toString()}`);
  return program;
}

export function buildTools(effort: number): Tools {
  return {
    hallpass: join(root, "bin", "hallpass"),
    floor: compile("floor"),
    calls: compile("calls"),
    drain: compile("drain", ["-lutil"]),
    effort,
  };
}
