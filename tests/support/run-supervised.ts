/** `bun run-supervised.ts [--rule LINE]... [--fence=off] [--log FILE] [--allow] -- CMD ARG...` in the working directory. */
import { writeFileSync } from "node:fs";
import { realpathSync } from "node:fs";
import { supervise } from "./supervised.ts";

const words = process.argv.slice(2);
const rules: string[] = [];
let fence: "auto" | "off" = "auto";
let log = "";
let allows = false;
for (let word = words.shift(); word !== undefined && word !== "--"; word = words.shift()) {
  if (word === "--rule") rules.push(words.shift()!);
  else if (word === "--fence=off") fence = "off";
  else if (word === "--log") log = words.shift()!;
  else if (word === "--allow") allows = true;
  else throw new Error(`unknown word ${word}`);
}
const { ended, decisions, supervisor } = await supervise(words, {
  project: realpathSync(process.cwd()),
  rules,
  fence,
  ...(allows ? { answer: () => "allow" as const } : {}),
});
const status = await ended;
await Bun.sleep(20);
if (log !== "") writeFileSync(log, decisions.map((decision) => `${JSON.stringify(decision)}\n`).join(""));
supervisor.launched.kill();
supervisor.close();
process.exit(status);
