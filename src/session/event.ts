/** What happens to a session, and what the session wants done about it. */
import type { PlacedRule, Rule } from "../policy/rule.ts";
import type { ClientAction, Decision, RuleScope, SessionEvent, SessionInfo } from "../control/messages.ts";
import type { Advance } from "./advance-reply.ts";
import type { PendingCall, ProcessClaim } from "./request.ts";
import type { CallId } from "./state.ts";

/** A rule of a rule file, where it stands. */
export interface FiledRule {
  readonly rule: Rule;
  readonly file: string;
  readonly line: number;
}

/** Whoever sent an action: how it is shown, and where its replies go. */
export interface Sender {
  readonly label: string;
  readonly reply: (event: SessionEvent) => void;
}

export type SessionInput =
  | { readonly type: "asked"; readonly id: CallId; readonly call: PendingCall; readonly by: readonly ProcessClaim[] }
  | {
      readonly type: "advance";
      readonly id: CallId;
      readonly advance: Advance;
      readonly call: PendingCall;
      readonly by: readonly ProcessClaim[];
    }
  /** The caller died. */
  | { readonly type: "gone"; readonly id: CallId }
  /** A signal took the caller away; the same call may come back as a new notification. */
  | { readonly type: "interrupted"; readonly id: CallId }
  | { readonly type: "decided"; readonly decision: Omit<Decision, "time"> }
  | { readonly type: "action"; readonly action: ClientAction; readonly sender: Sender }
  | { readonly type: "filed"; readonly scope: "project" | "everywhere"; readonly rules: readonly FiledRule[] }
  | { readonly type: "log-full"; readonly full: boolean; readonly problem?: string }
  | { readonly type: "info"; readonly info: SessionInfo }
  | { readonly type: "tick" }
  /** CMD has ended and left so many processes: what still waits is refused. */
  | { readonly type: "end"; readonly left: number };

/** A change to a rule file; `line` counts from 1 and is checked against `before`. */
export type FileChange =
  | { readonly type: "append"; readonly scope: "project" | "everywhere"; readonly rule: Rule }
  | { readonly type: "replace"; readonly before: PlacedRule; readonly rule: Rule }
  | { readonly type: "delete"; readonly before: PlacedRule };

export type Effect =
  /** Decide the call anew; `approved`: a person allowed exactly this call. */
  | {
      readonly type: "replay";
      readonly id: CallId;
      readonly approved?: PendingCall;
      readonly request?: number;
      readonly client?: string;
    }
  | { readonly type: "refuse"; readonly id: CallId; readonly errno: number }
  | { readonly type: "publish"; readonly rules: readonly PlacedRule[] }
  | { readonly type: "file"; readonly change: FileChange }
  | { readonly type: "log"; readonly decision: Decision }
  | { readonly type: "emit"; readonly event: SessionEvent }
  | { readonly type: "reply"; readonly sender: Sender; readonly event: SessionEvent }
  /** What only the running program can do: list processes, stop one, stop supervising. */
  | {
      readonly type: "run";
      readonly action: Extract<ClientAction, { type: "processes" | "stop" | "stop-supervising" }>;
      readonly sender: Sender;
    };

export type { RuleScope };
