/** What one call costs: bare, under a C loop that answers without thought, and under hallpass. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench, Row } from "./support/bench.ts";
import { compare, type Plan, type Runner } from "./support/measure.ts";
import { printedNumber } from "./support/run.ts";
import type { Tools } from "./support/tools.ts";

interface Places {
  readonly root: string;
  readonly project: string;
  readonly outside: string;
}

/** A project with one guarded path and one denied file in it, as the goals want it. */
function makePlaces(): Places {
  const root = mkdtempSync("/var/tmp/hallpass-bench-");
  const project = join(root, "project");
  const outside = join(root, "outside");
  for (const folder of [project, outside, join(project, "src"), join(project, ".git", "hooks")]) {
    mkdirSync(folder, { recursive: true });
  }
  for (const file of [join(project, "src", "file"), join(project, "denied"), join(outside, "file")])
    writeFileSync(file, "x");
  return { root, project, outside };
}

interface Kind {
  readonly what: string;
  readonly kind: string;
  readonly path: (places: Places) => string;
  readonly count: number;
  /** How the floor answers: what hallpass does with the same call. */
  readonly floor: "continue" | "deny" | "addfd";
  readonly atMost?: number;
}

const inside = (places: Places): string => join(places.project, "src", "file");
const outside = (places: Places): string => join(places.outside, "file");

const KINDS: readonly Kind[] = [
  { what: "write-open inside", kind: "write-open", path: inside, count: 2000, floor: "continue", atMost: 1.3 },
  {
    what: "denied",
    kind: "denied",
    path: ({ project }) => join(project, "denied"),
    count: 2000,
    floor: "deny",
    atMost: 1.2,
  },
  { what: "carried-out open outside", kind: "write-open", path: outside, count: 1000, floor: "addfd", atMost: 2 },
  { what: "carried-out create outside", kind: "create", path: outside, count: 500, floor: "addfd", atMost: 3 },
  { what: "create+unlink inside", kind: "create-unlink", path: inside, count: 500, floor: "continue" },
  { what: "rename inside", kind: "rename", path: inside, count: 500, floor: "continue" },
  { what: "read-open (never stopped)", kind: "read-open", path: inside, count: 5000, floor: "continue" },
  { what: "stat (never stopped)", kind: "stat", path: inside, count: 5000, floor: "continue" },
  { what: "exec of a small program", kind: "exec", path: () => "/bin/true", count: 40, floor: "continue", atMost: 1.3 },
];

const AGAINST = "floor, sync wake-up";

function plan(kind: Kind, places: Places, tools: Tools): Plan {
  const count = String(Math.max(1, Math.round(kind.count * tools.effort)));
  const work = [tools.calls, kind.kind, kind.path(places), count];
  const runner = (name: string, inFront: readonly string[]): Runner => ({
    name,
    measure: () => printedNumber([...inFront, ...work], places.project),
  });
  // A glob is no root of the fence: what it allows outside must be carried out.
  const hallpass = [
    tools.hallpass,
    "--prompt=deny",
    `--allow-path=${join(places.outside, "f*")}`,
    `--deny-path=${join(places.project, "denied")}`,
    `--allow-exec=${tools.calls}`,
    "--",
  ];
  const bare = kind.kind === "denied" ? [] : [runner("bare", [])];
  return {
    what: kind.what,
    unit: "ns",
    rounds: Math.max(1, Math.round(7 * tools.effort)),
    runners: [
      ...bare,
      runner("floor", [tools.floor, kind.floor]),
      runner(AGAINST, [tools.floor, "--sync", kind.floor]),
      runner("hallpass", hallpass),
    ],
    ...(kind.atMost === undefined ? {} : { goals: { hallpass: { against: AGAINST, atMost: kind.atMost } } }),
  };
}

async function run(tools: Tools): Promise<Row[]> {
  const rows: Row[] = [];
  for (const kind of KINDS) {
    const places = makePlaces();
    rows.push(...(await compare(plan(kind, places, tools))));
    rmSync(places.root, { recursive: true, force: true });
  }
  return rows;
}

const calls: Bench = { name: "calls", about: "nanoseconds a call", run };
export default calls;
