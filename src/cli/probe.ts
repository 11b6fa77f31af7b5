/** `hallpass probe`: whether our own credential works at each system, and whether it can do more or less than it should. */
import type { Probed } from "../checks/engine.ts";
import { HallpassError } from "../errors.ts";
import type { Flags } from "./argv.ts";
import { engineOf, readConfig } from "./check-config.ts";

/** The exit code: 1 where a system could not be asked. */
export async function probe(flags: Flags): Promise<number> {
  const config = readConfig(flags);
  const id = flags.text("connection");
  if (id !== undefined && !config.connections.some((one) => one.id === id)) {
    const known = config.connections.map((one) => one.id).join(", ");
    throw new HallpassError(`there is no connection ${id}; there are ${known}`, 2);
  }
  const options = id === undefined ? {} : { connection: id };
  const engine = engineOf({ ...config, decisionLog: "none" }, options);
  const probed = await engine.probe(id);
  engine.close();
  process.stdout.write(probed.map(shown).join(""));
  return probed.every(({ ok }) => ok) ? 0 : 1;
}

function shown({ id, ok, summary, warnings }: Probed): string {
  const lines = [`${id}: ${ok ? "ok" : "failed"}: ${summary}`, ...warnings.map((warning) => `  warning: ${warning}`)];
  return lines.map((line) => `${line}\n`).join("");
}
