/** What `require` and guarded functions throw (CHECKS §5.1). */
import type { Decision } from "../decision.ts";
import type { Question } from "../question.ts";

/** The answer was not allow: the person may not do it, or it could not be found out. */
export class PermissionDenied extends Error {
  override readonly name = "PermissionDenied";
  readonly user: string;
  readonly connection: string;
  readonly action: string;
  readonly resource: string;

  constructor(
    question: Question,
    readonly decision: Decision,
  ) {
    const { user, connection, action, resource } = question;
    super(`${user} may not ${action} on ${resource} at ${connection}: ${decision.decision} (${decision.reason})`);
    this.user = user;
    this.connection = connection;
    this.action = action;
    this.resource = resource;
  }
}

/** A guarded call that could not be checked at all: nothing was asked, and the function did not run. */
export class GuardError extends Error {
  override readonly name = "GuardError";
}
