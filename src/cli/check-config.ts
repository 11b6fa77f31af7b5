/** What the commands for permission checks share: the file of connections, and its problems as a slip of the user's. */
import { ConfigError } from "../checks/config/raw.ts";
import { loadConfigFile, type Config } from "../checks/config/config.ts";
import { Engine, type EngineOptions } from "../checks/engine.ts";
import { INTEGRATIONS } from "../checks/integrations/index.ts";
import { HallpassError } from "../errors.ts";
import type { Flags } from "./argv.ts";

const DEFAULT_CONFIG = "/etc/hallpass/hallpass.yaml";

/** The file that `--config` names. Throws HallpassError (exit code 2) with every problem, one a line. */
export function readConfig(flags: Flags): Config {
  return asSlip(() => loadConfigFile(flags.text("config") ?? DEFAULT_CONFIG, INTEGRATIONS));
}

/** An engine over it; building finds problems of its own. Throws as `readConfig`. */
export function engineOf(config: Config, options: EngineOptions = {}): Engine {
  return asSlip(() => new Engine(config, options));
}

function asSlip<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ConfigError) throw new HallpassError(error.message, 2);
    const { code, path } = error as NodeJS.ErrnoException;
    if (code !== undefined && path !== undefined) throw new HallpassError(`${path} cannot be opened (${code})`, 2);
    throw error;
  }
}
