/** The error classes that every part shares (races that are expected are values, not throws). */

/** A kernel call failed. `errno` is positive, as in errno(3). */
export class SyscallError extends Error {
  override readonly name = "SyscallError";
  constructor(
    readonly call: string,
    readonly errno: number,
    readonly detail = "",
  ) {
    super(`${call}: errno ${errno}${detail ? ` (${detail})` : ""}`);
  }
}

/** This kernel or machine lacks something; the only error that a test may turn into a skip. */
export class UnsupportedError extends Error {
  override readonly name = "UnsupportedError";
  constructor(
    readonly feature: string,
    readonly need: string,
    readonly got: string,
  ) {
    super(`${feature}: needs ${need}, this machine has ${got}`);
  }
}

/** One mistake in a rule line; all mistakes of a file are reported together. Lines and columns count from 1. */
export interface PolicyMistake {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly text: string;
}

/** Rule text that cannot be used; nothing runs with it. */
export class PolicyError extends Error {
  override readonly name = "PolicyError";
  constructor(readonly mistakes: readonly PolicyMistake[]) {
    super(mistakes.map((m) => `${m.file}:${m.line}:${m.column}: ${m.message}`).join("\n"));
  }
}

/** The user's words on the command line are off: one line, exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** hallpass cannot go on: one line that names the object and the next step, exit code 125 unless said otherwise. */
export class HallpassError extends Error {
  override readonly name = "HallpassError";
  constructor(
    message: string,
    readonly exitCode = 125,
  ) {
    super(message);
  }
}

/** What cannot happen did; a bug of ours. */
export class HallpassBug extends Error {
  override readonly name = "HallpassBug";
}
