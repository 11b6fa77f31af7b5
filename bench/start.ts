/** How long `hallpass -- true` takes, against `true` and against what else starts programs in a sandbox here. */
import { mkdtempSync, rmSync } from "node:fs";
import type { Bench, Row } from "./support/bench.ts";
import { compare } from "./support/measure.ts";
import { wallTime } from "./support/run.ts";
import type { Tools } from "./support/tools.ts";

async function run(tools: Tools): Promise<Row[]> {
  const cwd = mkdtempSync("/var/tmp/hallpass-bench-");
  const time = (name: string, inFront: readonly string[]) => ({
    name,
    measure: () => wallTime([...inFront, "/bin/true"], cwd),
  });
  const bwrap = ["bwrap", "--bind", "/", "/", "--dev-bind", "/dev", "/dev", "--proc", "/proc", "--"];
  try {
    return await compare({
      what: "start of true",
      unit: "ms",
      rounds: Math.max(1, Math.round(25 * tools.effort)),
      runners: [
        time("bare", []),
        time("floor", [tools.floor, "--sync", "continue"]),
        time("hallpass", [tools.hallpass, "--prompt=deny", "--"]),
        ...(Bun.which("bwrap") === null ? [] : [time("bubblewrap", bwrap)]),
      ],
    });
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

const start: Bench = { name: "start", about: "milliseconds from the start of a program to its end", run };
export default start;
