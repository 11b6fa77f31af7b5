/**
 * What the starter runs where `make` has bundled it: a session begins in a third of the time from one file. All other
 * commands, and all where a source is newer than the bundle, run from the sources.
 */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgv } from "./cli/argv.ts";
import { explain } from "./cli/explain.ts";
import { run } from "./cli/run.ts";
import { built, TREE } from "./tree.ts";

/** The words of a session, or undefined: main.ts has the rest, help and mistakes included. */
function sessionCommand(): readonly string[] | undefined {
  try {
    const parsed = parseArgv(process.argv.slice(2));
    const isSession = parsed.type === "run" && !parsed.flags.has("help") && !parsed.flags.has("version");
    return isSession ? parsed.command : undefined;
  } catch {
    return undefined;
  }
}

/** The Makefile lists what the bundle was made of. */
function isFresh(): boolean {
  const made = statSync(built("app/app.js")).mtimeMs;
  const sources = readFileSync(built("app/sources"), "utf8").split("\n");
  return sources.every(
    (name) => name === "" || (statSync(join(TREE, name), { throwIfNoEntry: false })?.mtimeMs ?? Infinity) <= made,
  );
}

const command = sessionCommand();
if (command === undefined || !isFresh()) void import(join(TREE, "src", "main.ts"));
else run(command).then(process.exit, (error: unknown) => process.exit(explain(error)));
