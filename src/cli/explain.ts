/** What went wrong, in one line on stderr that says what to do about it, and the exit code of SPEC §1. */
import { HallpassError, PolicyError, UsageError } from "../errors.ts";

export function explain(error: unknown): number {
  const [message, code] = words(error);
  process.stderr.write(`hallpass: ${message}\n`);
  return code;
}

function words(error: unknown): [message: string, code: number] {
  if (error instanceof UsageError || error instanceof PolicyError) return [error.message, 2];
  if (error instanceof HallpassError) return [error.message, error.exitCode];
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return [`this should not have happened, please report it: ${message}`, 125];
}
