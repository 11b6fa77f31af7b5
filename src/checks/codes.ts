/** The closed set of reason codes, and the one way from a code to a decision (CHECKS §1.2). */

export type Outcome = "allow" | "deny" | "unknown";

export const CODES = {
  allowed: "allow",
  denied: "deny",
  user_not_found: "deny",
  user_ambiguous: "unknown",
  upstream_timeout: "unknown",
  upstream_error: "unknown",
  upstream_rate_limited: "unknown",
  credential_rejected: "unknown",
  resource_not_visible: "unknown",
  unsupported: "unknown",
  invalid_request: "unknown",
  unknown_connection: "unknown",
  unknown_action: "unknown",
  unauthorized: "unknown",
  client_error: "unknown",
} as const satisfies Record<string, Outcome>;

export type Code = keyof typeof CODES;
export type UnknownCode = { [C in Code]: (typeof CODES)[C] extends "unknown" ? C : never }[Code];

/** What a check found: a code and one sentence without secrets and without words of the vendor's. */
export interface Finding {
  readonly code: Code;
  readonly text: string;
}

export function isCode(value: unknown): value is Code {
  return typeof value === "string" && Object.hasOwn(CODES, value);
}

export function outcomeOf(code: Code): Outcome {
  return CODES[code];
}

export function allowed(text = ""): Finding {
  return { code: "allowed", text };
}

export function denied(text = ""): Finding {
  return { code: "denied", text };
}

export function userNotFound(text = "no account has this email"): Finding {
  return { code: "user_not_found", text };
}

/** An unknown; a code that says yes or no is not one and becomes `unsupported` (§1.2). */
export function unknown(code: UnknownCode, text = ""): Finding {
  return isCode(code) && CODES[code] === "unknown" ? { code, text } : { code: "unsupported", text };
}

/** Ends a check with a finding from anywhere below `decide`, `identify` or `prepare`. */
export class Stop extends Error {
  override readonly name = "Stop";
  constructor(readonly finding: Finding) {
    super(`${finding.code}: ${finding.text}`);
  }
}

export function stop(code: UnknownCode, text = ""): Stop {
  return new Stop(unknown(code, text));
}

/** A bug of ours inside a shared fill, logged where it happened: waiters must not log it again (§1.5). */
export class Crash extends Stop {
  constructor() {
    super(unknown("upstream_error", "hallpass failed inside; see its log"));
  }
}

/** `unsupported` where an integration's result has no code of the set; what else it claims about the outcome is not read. */
export function settle(result: unknown): Finding {
  const { code, text } = (typeof result === "object" && result !== null ? result : {}) as Record<string, unknown>;
  const plain = typeof text === "string" ? oneLine(text) : "";
  return isCode(code) ? { code, text: plain } : unknown("unsupported", plain || "the answer could not be evaluated");
}

/** `<code>: <text>`, or the bare code. */
export function reasonOf({ code, text }: Finding): string {
  return text === "" ? code : `${code}: ${text}`;
}

/** A vendor's error token (`AccessDenied`, `missing_scope`) as it may stand in a text; anything longer or odder is not one. */
export function vetted(token: unknown): string {
  return typeof token === "string" && /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/.test(token) ? token : "an unnamed error";
}

const LONGEST_TEXT = 600;

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").slice(0, LONGEST_TEXT);
}
