/** `hallpass validate`: what is wrong with a file of connections, without the network. */
import type { Flags } from "./argv.ts";
import { engineOf, readConfig } from "./check-config.ts";

/** The exit code: 0, or 2 through HallpassError. */
export function validate(flags: Flags): number {
  const config = readConfig(flags);
  const engine = engineOf({ ...config, decisionLog: "none" });
  const count = engine.connections.length;
  engine.close();
  process.stdout.write(`in order: ${count} connection${count === 1 ? "" : "s"} (${engine.connections.join(", ")})\n`);
  return 0;
}
