/** What a session knows: plain data, changed only by `reduce`. */
import type { PlacedRule } from "../policy/rule.ts";
import type { Decision, SessionInfo } from "../control/messages.ts";
import type { Advance } from "./advance-reply.ts";
import type { AnswerKind, PendingCall, ProcessClaim, Request } from "./request.ts";

/** The kernel's cookie of a notification, in decimal: how a waiting call is named. */
export type CallId = string;

export type PromptMode = "terminal" | "desktop" | "answer" | "web" | "allow" | "deny";

export interface SessionConfig {
  readonly prompt: PromptMode;
  /** Milliseconds after which a request nobody answered is denied. */
  readonly timeout?: number;
  /** Where `always` and `never` are kept. */
  readonly save: "project" | "session";
}

export interface Waiter {
  readonly id: CallId;
  readonly call: PendingCall;
  readonly by: readonly ProcessClaim[];
  readonly since: number;
  /** Not a call that waits to be made, but a request in advance. */
  readonly advance?: Advance;
}

/** A request on the screen and the calls that wait for its answer. */
export interface Pending {
  request: Request;
  readonly key: string;
  readonly advance?: Advance;
  readonly waiters: Map<CallId, Waiter>;
  /** Threads whose call was interrupted by a signal and may come back. */
  readonly interrupted: Set<number>;
  /** While no call waits: when the request is given up. */
  lapsesAt?: number;
}

/** How a request ended, kept for the log lines that follow and for clients that answer too late. */
export interface Settled {
  readonly answer: AnswerKind | "gone" | "timeout" | "rule" | "audit";
  readonly client?: string;
  readonly rule?: string;
  readonly since: number;
  readonly by: readonly ProcessClaim[];
}

/** What a process did, counted from its decisions. */
export interface Deeds {
  writes: number;
  runs: number;
  connects: number;
  denials: number;
}

/** The answer that a request got while its only call was away in a signal handler. */
export interface EarlyAnswer {
  readonly key: string;
  readonly advance?: Advance;
  readonly request: number;
  readonly allow: boolean;
  readonly expiresAt: number;
}

export interface SessionState {
  readonly config: SessionConfig;
  info: SessionInfo;
  rules: readonly PlacedRule[];
  rulesChangedAt: number;
  readonly requests: Map<number, Pending>;
  readonly requestOfKey: Map<string, number>;
  readonly requestOfCall: Map<CallId, number>;
  readonly settled: Map<number, Settled>;
  /** By thread. */
  readonly early: Map<number, EarlyAnswer>;
  /** Calls that were sent back to the supervisor because a rule covers them; never twice, so that nothing circles. */
  readonly sentBack: Set<CallId>;
  readonly recent: Decision[];
  readonly deeds: Map<number, Deeds>;
  logFull: boolean;
  nextRequest: number;
  nextRule: number;
}

export const HISTORY_LENGTH = 1000;
export const SETTLED_LENGTH = 20_000;

export function createState(config: SessionConfig, info: SessionInfo, rules: readonly PlacedRule[]): SessionState {
  return {
    config,
    info,
    rules,
    rulesChangedAt: 0,
    requests: new Map(),
    requestOfKey: new Map(),
    requestOfCall: new Map(),
    settled: new Map(),
    early: new Map(),
    sentBack: new Set(),
    recent: [],
    deeds: new Map(),
    logFull: false,
    nextRequest: 1,
    nextRule: 1,
  };
}

/** Keeps the youngest `limit` entries of a map or set that is filled in order. */
export function trim(kept: Map<unknown, unknown> | Set<unknown>, limit: number): void {
  for (const key of kept.keys()) {
    if (kept.size <= limit) return;
    kept.delete(key);
  }
}
