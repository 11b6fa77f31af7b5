/** The product's log for operators, as the checks use it, and how a bug is written there. */

export type Fields = Readonly<Record<string, string | number | boolean>>;

export interface Logger {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
}

const nothing = (): void => {};
export const silent: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** One line for a bug: its class and its stack; never its message, which may quote what a vendor sent (§1.5). */
export function logCrash(log: Logger, where: string, error: unknown): void {
  const known = error instanceof Error;
  log.error("a check failed inside", {
    where,
    error: known ? error.name.replace(/[^A-Za-z0-9_]/g, "") : typeof error,
    stack: known ? framesOf(error) : "",
  });
}

function framesOf(error: Error): string {
  const stack = (error.stack ?? "").replace(error.message, "");
  return stack
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .map((line) => line.trim())
    .join(" | ");
}
