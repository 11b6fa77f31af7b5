/** The line on the product's log after a checked tool ran (CHECKS §1.9). */
import type { Decision } from "./decision.ts";
import type { Logger } from "./logger.ts";
import type { Question } from "./question.ts";

/** How the tool ended; `raised` names the error's class, never its message. */
export type Ending =
  | { readonly how: "ran" }
  | { readonly how: "raised"; readonly error: string }
  | { readonly how: "error result" };

/** Written once a tool that was allowed has run; refused calls write nothing. `checkedAt` is milliseconds since 1970. */
export function logWrite(log: Logger, question: Question, decision: Decision, ending: Ending, checkedAt: number): void {
  const { user, action, resource, connection, fresh } = question;
  const time = new Date(checkedAt).toISOString();
  log.info(
    `${user} ${verb(ending)} ${action} on ${resource} at ${connection}: ${decision.decision} (${decision.reason}), ` +
      `checked ${time}${fresh ? ", fresh" : ""}; the check and the write were not one step`,
  );
}

function verb(ending: Ending): string {
  if (ending.how === "raised") return `raised ${ending.error.replace(/[^A-Za-z0-9_$.]/g, "")} from`;
  return ending.how === "ran" ? "ran" : "got an error result from";
}
