/** The operator's log of `serve`: one JSON line an event on stderr. */
import { writeSync } from "node:fs";
import type { Fields, Logger } from "../checks/logger.ts";

const LEVELS = ["debug", "info", "warn", "error"] as const;
export type Level = (typeof LEVELS)[number];

export function operatorLog(least: Level): Logger {
  const lowest = LEVELS.indexOf(least);
  const writer =
    (level: Level) =>
    (message: string, fields: Fields = {}): void => {
      if (LEVELS.indexOf(level) >= lowest) write({ time: new Date().toISOString(), level, message, ...fields });
    };
  return { debug: writer("debug"), info: writer("info"), warn: writer("warn"), error: writer("error") };
}

/** A log that nobody reads any more must not end the server. */
function write(line: object): void {
  try {
    writeSync(2, `${JSON.stringify(line)}\n`);
  } catch {
    // There is no other place to say it.
  }
}
