/** What the listener worker, the action workers and the main thread say to each other. */
import type { Decision } from "../control/messages.ts";
import type { PendingCall } from "../session/request.ts";

/** A paused call: the kernel's `seccomp_notif` (80 bytes, copied), which is all that a replay needs. */
export type NotificationBytes = Uint8Array;

/** From a worker to the main thread. */
export type WorkerMessage =
  | { readonly type: "ready" }
  /** Somebody has to decide: the call waits until the main thread replays or refuses it. */
  | { readonly type: "ask"; readonly notification: NotificationBytes; readonly call: PendingCall }
  /** A request in advance (SPEC §6), from the magic path: its query string, percent-decoded by the main thread. */
  | {
      readonly type: "advance";
      readonly notification: NotificationBytes;
      readonly query: string;
      readonly tid: number;
      readonly pid: number;
      readonly exe: string;
    }
  /** Decisions to be logged and shown, in order; `time`, `by`, `client` are filled in by the main thread. */
  | { readonly type: "decided"; readonly decisions: readonly Omit<Decision, "time">[] }
  /** A call that may block, to be carried out by an action worker. */
  | { readonly type: "block"; readonly notification: NotificationBytes }
  /** The replayed call was answered, or its caller is gone. */
  | { readonly type: "done"; readonly id: string; readonly outcome: "sent" | "gone" | "asked-again" }
  /** The last task of the filter has ended. */
  | { readonly type: "ended" };

/** From the main thread to an action worker: decide the call anew, with what the person allowed for this call alone. */
export interface Replay {
  readonly type: "replay";
  readonly notification: NotificationBytes;
  /** Exactly what was approved (SPEC §4); a call that now leads elsewhere is asked again. */
  readonly approved?: Pick<PendingCall, "category" | "operation" | "target" | "to">;
  readonly request?: number;
  readonly client?: string;
}
