/**
 * The one protocol between a session and whatever answers it (docs/protocol.md). JSON lines over the control socket, the
 * same objects in process. A client sends actions and gets `welcome`, then events; an action with a `ref` gets a `reply`.
 */
import type { PlacedRule } from "../policy/rule.ts";
import type { Answer, AnswerKind, Request } from "../session/request.ts";

export const PROTOCOL_VERSION = 1;

/** One decision as the log writes it (SPEC §5), keys in this order. */
export interface Decision {
  readonly time: string;
  readonly pid: number;
  readonly exe: string;
  readonly syscall: string;
  readonly path?: string;
  readonly dest?: string;
  readonly decision: "allow" | "deny";
  readonly reason: "policy" | "implicit" | "audit" | "user" | "timeout" | "builtin" | "gone" | "error";
  readonly op?: string;
  readonly to?: string;
  readonly rule?: string;
  readonly client?: string;
  readonly waited_ms?: number;
  readonly request?: number;
  readonly by?: string;
}

export interface SessionInfo {
  readonly pid: number;
  readonly command: readonly string[];
  readonly project: string;
  /** Milliseconds since the epoch. */
  readonly started: number;
  readonly mode: "lite" | "strict";
  readonly prompt: string;
  readonly mediate: readonly string[];
  /** What the user must know now, in a line: the log is full, say. */
  readonly notice?: string;
  /** CMD has ended; what it left is still supervised (`--wait=all`) or answered EACCES. */
  readonly ended?: { readonly status: number; readonly left: number };
}

/** Live processes of the session with what each did (SPEC §2 Sessions). */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  readonly command: readonly string[];
  readonly writes: number;
  readonly runs: number;
  readonly connects: number;
  readonly denials: number;
}

/** From the session to a client. */
export type SessionEvent =
  | {
      readonly type: "welcome";
      readonly version: number;
      readonly session: SessionInfo;
      readonly requests: readonly Request[];
      readonly rules: readonly PlacedRule[];
      readonly recent: readonly Decision[];
    }
  | { readonly type: "request"; readonly request: Request }
  | { readonly type: "changed"; readonly request: Request }
  | {
      readonly type: "resolved";
      readonly request: number;
      readonly answer: AnswerKind | "gone" | "timeout" | "rule" | "ended";
      /** Which client answered, as it is shown: "bar", "answer (pid 123)", "web". */
      readonly client?: string;
    }
  | { readonly type: "decision"; readonly decision: Decision }
  | { readonly type: "rules"; readonly rules: readonly PlacedRule[] }
  | { readonly type: "session"; readonly session: SessionInfo }
  | { readonly type: "processes"; readonly processes: readonly ProcessRow[] }
  | { readonly type: "reply"; readonly ref: number; readonly error?: string; readonly result?: unknown }
  | { readonly type: "bye"; readonly reason: string };

/** From a client to the session. `ref` asks for a `reply`. */
export type ClientAction =
  | { readonly type: "hello"; readonly version: number; readonly client: string }
  | { readonly type: "answer"; readonly answer: Answer; readonly ref?: number }
  | { readonly type: "answer-many"; readonly answers: readonly Answer[]; readonly ref?: number }
  | {
      readonly type: "rule-add";
      readonly rule: string;
      readonly scope: RuleScope;
      readonly ref?: number;
    }
  | { readonly type: "rule-edit"; readonly id: string; readonly rule: string; readonly ref?: number }
  | { readonly type: "rule-delete"; readonly id: string; readonly ref?: number }
  | { readonly type: "rule-move"; readonly id: string; readonly scope: RuleScope; readonly ref?: number }
  | { readonly type: "preview"; readonly rule: string; readonly replaces?: string; readonly ref: number }
  | { readonly type: "why"; readonly category: string; readonly target: string; readonly ref: number }
  | { readonly type: "processes"; readonly ref?: number }
  | { readonly type: "stop"; readonly pid?: number; readonly ref?: number }
  | { readonly type: "stop-supervising"; readonly ref?: number };

export type RuleScope = "session" | "project" | "everywhere";

/** What a client holds, in process or over the socket. */
export interface SessionConnection {
  send(action: ClientAction): void;
  /** Called for each event, `welcome` first; returns a function that ends the subscription. */
  subscribe(listener: (event: SessionEvent) => void): () => void;
  close(): void;
}
