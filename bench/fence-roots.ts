/**
 * What a fence root is worth: an open inside the project that goes on in the kernel (below a root) beside the same open
 * carried out by the supervisor (no root), each against the C loop that does as little. For docs/adr/0003-fence-roots.md.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench, Row } from "./support/bench.ts";
import { compare, type Runner } from "./support/measure.ts";
import { printedNumber } from "./support/run.ts";
import type { Tools } from "./support/tools.ts";

const ROUNDS = 3;
const COUNT = 1000;
/** Files beside the one that is opened, and how deep it lies: a root is found by its path. */
const SHAPES = [
  { name: "one folder down", folder: "src", siblings: 0 },
  { name: "eight folders down", folder: "a/b/c/d/e/f/g/h", siblings: 0 },
  { name: "beside 300 others", folder: "src", siblings: 300 },
];
const KINDS = ["write-open", "rewrite", "create-unlink"];

interface Project {
  readonly folder: string;
  readonly file: string;
}

/** A guarded folder and a denied file in it, so that the project itself can be no root. */
function makeProject(shape: (typeof SHAPES)[number]): Project {
  const folder = mkdtempSync("/var/tmp/hallpass-bench-");
  mkdirSync(join(folder, ".git", "hooks"), { recursive: true });
  mkdirSync(join(folder, shape.folder), { recursive: true });
  for (let i = 0; i < shape.siblings; i++) writeFileSync(join(folder, `beside-${i}`), "x");
  for (const name of ["denied", join(shape.folder, "file")]) writeFileSync(join(folder, name), "x");
  return { folder, file: join(folder, shape.folder, "file") };
}

function runnersFor(kind: string, { folder, file }: Project, tools: Tools): Runner[] {
  const work = [tools.calls, kind, file, String(Math.max(1, Math.round(COUNT * tools.effort)))];
  const runner = (name: string, inFront: readonly string[]): Runner => ({
    name,
    measure: () => printedNumber([...inFront, ...work], folder),
  });
  const hallpass = [tools.hallpass, "--prompt=deny", `--deny-path=${join(folder, "denied")}`];
  return [
    runner("bare", []),
    runner("C loop, continue", [tools.floor, "--sync", "continue"]),
    runner("C loop, addfd", [tools.floor, "--sync", "addfd"]),
    runner("hallpass, roots", [...hallpass, "--fence=on", "--"]),
    runner("hallpass, no root", [...hallpass, "--fence=off", "--"]),
  ];
}

async function run(tools: Tools): Promise<Row[]> {
  const rows: Row[] = [];
  for (const shape of SHAPES) {
    const project = makeProject(shape);
    for (const kind of KINDS) {
      const runners = runnersFor(kind, project, tools);
      const rounds = Math.max(1, Math.round(ROUNDS * tools.effort));
      rows.push(...(await compare({ what: `${kind}, ${shape.name}`, unit: "ns", rounds, runners })));
    }
    rmSync(project.folder, { recursive: true, force: true });
  }
  return rows;
}

const fenceRoots: Bench = { name: "fence-roots", about: "an open below a fence root and without one", run };
export default fenceRoots;
