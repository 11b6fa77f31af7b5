/** What the terminal's relay costs: a megabyte of output and the echo of a key, beside `script` and a bare terminal. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench, Row } from "./support/bench.ts";
import { compare, type Runner } from "./support/measure.ts";
import type { Tools } from "./support/tools.ts";

/** Coloured output of a build, again and again. */
function writeOutput(file: string, megabytes: number): void {
  const line =
    "\x1b[32m   Compiling\x1b[0m some-crate v1.2.3 (/home/ann/src/some-crate) \x1b[1;33mwarning\x1b[0m: unused\n";
  writeFileSync(file, line.repeat(Math.ceil((megabytes * 1e6) / line.length)));
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

interface Place {
  readonly tools: Tools;
  readonly folder: string;
}

async function drain({ tools, folder }: Place, mode: readonly string[], command: readonly string[]): Promise<number> {
  const env = { ...process.env, TERM: "xterm-256color" };
  const child = Bun.spawn([tools.drain, ...mode, ...command], { cwd: folder, env, stdout: "pipe", stderr: "inherit" });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} gave no mark`);
  return Number(text);
}

/** The ways a command can be run, and one where a question stays on the screen. */
function ways({ tools }: Place, script: string, question: string): [name: string, command: string[]][] {
  const asking = `(: >${question}) & sleep 1; ${script}`;
  return [
    ["bare", ["sh", "-c", script]],
    ...(Bun.which("script") === null ? [] : [["script", ["script", "-qc", script, "/dev/null"]] as [string, string[]]]),
    ["hallpass", [tools.hallpass, "--prompt=deny", "--", "sh", "-c", script]],
    ["hallpass, asking", [tools.hallpass, "--", "sh", "-c", asking]],
  ];
}

async function run(tools: Tools): Promise<Row[]> {
  const folder = mkdtempSync("/var/tmp/hallpass-bench-");
  const question = mkdtempSync("/var/tmp/hallpass-bench-outside-");
  const place = { tools, folder };
  const megabytes = Math.max(10, Math.round(300 * tools.effort));
  const output = join(folder, "output");
  writeOutput(output, megabytes);
  const cat = `printf @@BEGIN; cat ${quoted(output)}; printf @@END; sleep 5`;
  const echo = `stty -icanon; printf @@READY; sleep 60`;
  const count = String(Math.max(20, Math.round(300 * tools.effort)));
  const bytes = ways(place, cat, join(question, "new")).map(([name, command]): Runner => ({
    name,
    measure: async () => ((await drain(place, ["bytes"], command)) / megabytes) * 1000,
  }));
  const keys = ways(place, echo, join(question, "new"))
    .filter(([name]) => name !== "hallpass, asking")
    .map(([name, command]): Runner => ({ name, measure: () => drain(place, ["echo", count], command) }));
  const rounds = Math.max(1, Math.round(7 * tools.effort));
  try {
    return [
      ...(await compare({
        what: "a megabyte of output",
        unit: "ms",
        rounds,
        runners: bytes,
        // 0.8 of the bytes a second of script.
        goals: { hallpass: { against: "script", atMost: 1.25 } },
      })),
      ...(await compare({ what: "echo of a key", unit: "µs", rounds, runners: keys })),
    ];
  } finally {
    for (const made of [folder, question]) rmSync(made, { recursive: true, force: true });
  }
}

const relay: Bench = { name: "relay", about: "what the terminal's relay costs", run };
export default relay;
