/** What the main thread and the relay's worker say to each other. */
import type { Answer, Request } from "../session/request.ts";
import type { TerminalKind } from "./terminal-kind.ts";

/** What the worker starts with. Descriptors are shared by the threads of one process; the main thread closes them. */
export interface RelayInit {
  readonly terminal: number;
  readonly master: number;
  readonly wake: number;
  readonly testament: number;
  readonly termios: Uint8Array;
  readonly kind: TerminalKind;
  readonly hasBar: boolean;
}

/** What takes the bar's place for a while, as the pairing code of `[w]` does. */
export interface Notice {
  readonly lines: readonly string[];
}

export type ToRelay =
  /** Every request that is pending, oldest first. */
  | { readonly type: "requests"; readonly requests: readonly Request[] }
  /** The session refused the answer to this request. */
  | { readonly type: "unanswered"; readonly request: number }
  | { readonly type: "notice"; readonly notice: Notice | undefined }
  | { readonly type: "resized" }
  /** Give the terminal back as it was, and leave it alone until `resume`. */
  | { readonly type: "suspend" }
  | { readonly type: "resume" }
  /** CMD has ended: pass on what it wrote, give the terminal back, stop. */
  | { readonly type: "finish" };

export type FromRelay =
  | { readonly type: "answer"; readonly answer: Answer }
  | { readonly type: "web"; readonly request: number }
  | { readonly type: "full-screen" }
  | { readonly type: "suspended" }
  /** The terminal is gone (its window was closed). */
  | { readonly type: "hangup" }
  | { readonly type: "finished" };
