/** `npm run bench [-- [--quick] NAME...]`: every bench of this folder, one table on stdout, JSON in build/bench.json (bench-quick.json). */
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { basename, join } from "node:path";
import { Glob } from "bun";
import type { Bench, Row } from "./support/bench.ts";
import { table } from "./support/table.ts";
import { buildTools } from "./support/tools.ts";

/** Each file beside this one has a bench as its default export. */
async function allBenches(): Promise<Bench[]> {
  const files = [...new Glob("*.ts").scanSync({ cwd: import.meta.dir })].toSorted();
  const names = files.filter((file) => file !== basename(import.meta.path) && !file.endsWith(".test.ts"));
  const modules = await Promise.all(
    names.map((file) => import(join(import.meta.dir, file)) as Promise<{ default: Bench }>),
  );
  return modules.map((module) => module.default);
}

function machine(): Record<string, string | number> {
  const [cpu] = cpus();
  return {
    kernel: release(),
    cpu: cpu?.model ?? "?",
    cores: cpus().length,
    memoryMiB: Math.round(totalmem() / 2 ** 20),
    bun: Bun.version,
  };
}

async function main(args: readonly string[]): Promise<number> {
  const quick = args.includes("--quick");
  const named = args.filter((arg) => arg !== "--quick");
  const benches = await allBenches();
  const unknown = named.find((name) => !benches.some((bench) => bench.name === name));
  if (unknown !== undefined) {
    console.error(`bench: nothing is called ${unknown}; there are ${benches.map((bench) => bench.name).join(", ")}`);
    return 2;
  }
  const tools = buildTools(quick ? 0.05 : 1);
  const rows: Row[] = [];
  for (const bench of benches.filter(({ name }) => named.length === 0 || named.includes(name))) {
    console.error(`bench: ${bench.name}: ${bench.about}`);
    rows.push(...(await bench.run(tools)));
  }
  const file = join(import.meta.dir, "..", "build", quick ? "bench-quick.json" : "bench.json");
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ machine: machine(), quick, rows }, undefined, 2)}\n`);
  console.log(Object.values(machine()).join(", "));
  console.log(table(rows));
  return rows.length > 0 ? 0 : 1;
}

process.exit(await main(process.argv.slice(2)));
