/** A request (a call that waits for a person, or one made in advance) and the answers it takes (SPEC §2, §4). */
import type { Category } from "../policy/rule.ts";

/** The operation in a word, as a request and the log show it (SPEC §4). */
export type Operation =
  | "create"
  | "overwrite"
  | "append"
  | "write"
  | "delete"
  | "rename from"
  | "rename to"
  | "exchange"
  | "make folder"
  | "remove folder"
  | "link"
  | "symlink"
  | "make node"
  | "make socket"
  | "truncate"
  | "change mode"
  | "change owner"
  | "change times"
  | "change attributes"
  | "change flags"
  | "mount"
  | "run"
  | "connect"
  | "send"
  | "read"
  | "signal";

export type Warning =
  | "outside-home-and-project"
  | "writable-program"
  | "holds-keys"
  | "symlink-leads-out"
  | "runs-later"
  | "service";

/** One process as it calls itself: its own claim, never trusted (SPEC §2 "by:"). Strings are path text. */
export interface ProcessClaim {
  readonly pid: number;
  readonly name: string;
  readonly command: readonly string[];
}

/** What the supervisor says of a call that waits. All paths are real paths as path text. */
export interface PendingCall {
  readonly category: Category;
  readonly operation: Operation;
  /** The real target: a path, or DEST for connect. */
  readonly target: string;
  /** The second path of a rename or link. */
  readonly to?: string;
  /** The path as the program spelled it, where it differs from the target. */
  readonly spelled?: string;
  readonly syscall: string;
  /** Thread and process of the caller, as in the supervisor's pid namespace. */
  readonly tid: number;
  readonly pid: number;
  readonly exe: string;
  readonly warnings: readonly Warning[];
  /** The `ask` rule that raised it, where one did: `[a]` replaces it. */
  readonly askRule?: string;
  /** What a known service can do, said in a line (SPEC §3 services). */
  readonly service?: string;
}

/** A request as every client sees it. */
export interface Request {
  readonly id: number;
  readonly call: PendingCall;
  /** The caller first, then its ancestors up to CMD. */
  readonly by: readonly ProcessClaim[];
  /** What `[t]` and `[a]` may allow, narrowest first (rule TARGETs); `widerIndex` is the one proposed. */
  readonly wider: readonly string[];
  readonly widerIndex: number;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** How many calls wait for this answer. */
  readonly count: number;
  /** Requests in advance only. */
  readonly advance?: { readonly reason?: string; readonly duration?: number };
}

export type AnswerKind = "once" | "timed" | "always" | "deny" | "never" | "dismiss";

/** A person's reply. */
export interface Answer {
  readonly request: number;
  readonly kind: AnswerKind;
  /** `timed` only: milliseconds; 300,000 where absent. */
  readonly duration?: number;
  /** `timed` and `always`: one of the request's `wider`; the proposed one where absent. */
  readonly target?: string;
}
