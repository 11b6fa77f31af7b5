/** `hallpass serve`: permission checks over HTTP (CHECKS §3.2). */
import { HallpassError } from "../errors.ts";
import type { Flags } from "./argv.ts";

/** The exit code. */
export function serve(_flags: Flags): number {
  throw new HallpassError("hallpass serve is not built yet");
}
