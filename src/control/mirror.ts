/** A client's picture of a session, kept up to date from its events. */
import type { PlacedRule } from "../policy/rule.ts";
import type { Request } from "../session/request.ts";
import type { Decision, SessionEvent, SessionInfo } from "./messages.ts";

export type Welcome = Extract<SessionEvent, { type: "welcome" }>;

const RECENT_LENGTH = 1000;

export class SessionMirror {
  readonly requests = new Map<number, Request>();
  session: SessionInfo;
  rules: readonly PlacedRule[];
  recent: Decision[];

  constructor(private readonly welcomed: Welcome) {
    this.session = welcomed.session;
    this.rules = welcomed.rules;
    this.recent = [...welcomed.recent];
    for (const request of welcomed.requests) this.requests.set(request.id, request);
  }

  take(event: SessionEvent): void {
    if (event.type === "request" || event.type === "changed") this.requests.set(event.request.id, event.request);
    else if (event.type === "resolved") this.requests.delete(event.request);
    else if (event.type === "rules") this.rules = event.rules;
    else if (event.type === "session") this.session = event.session;
    else if (event.type === "decision") this.remember(event.decision);
  }

  private remember(decision: Decision): void {
    this.recent.push(decision);
    if (this.recent.length > RECENT_LENGTH) this.recent.shift();
  }

  /** What a subscriber that comes now has to be told first. */
  welcome(): Welcome {
    const { session, rules } = this;
    return { ...this.welcomed, session, rules, requests: [...this.requests.values()], recent: [...this.recent] };
  }
}
