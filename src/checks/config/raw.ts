/** A configuration as written, before its meaning is looked at: fields with the place each stands at. */
import type { Secret } from "./secret.ts";

export interface At {
  readonly file: string;
  /** From 1; in code the number of the connection. */
  readonly line: number;
}

export interface Field {
  readonly key: string;
  readonly value: string | Secret;
  readonly at: At;
}

/** The fields of one mapping. */
export interface Fields {
  readonly fields: readonly Field[];
  readonly at: At;
}

export interface RawConfig {
  readonly top: Fields;
  readonly connections: readonly Fields[];
}

export interface Problem {
  readonly at: At;
  readonly message: string;
}

/** All that is wrong with a configuration, found in one pass; nothing runs with it. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  constructor(readonly problems: readonly Problem[]) {
    super(problems.map(({ at, message }) => `${at.file}:${at.line}: ${message}`).join("\n"));
  }
}

/** Collects problems; reading goes on so that all are reported together. */
export class Problems {
  private readonly found: Problem[] = [];

  add(at: At, message: string): void {
    this.found.push({ at, message });
  }

  get count(): number {
    return this.found.length;
  }

  /** Throws ConfigError when there are any, in the order of their lines. */
  throwAny(): void {
    if (this.found.length > 0) throw new ConfigError(this.found.toSorted((a, b) => a.at.line - b.at.line));
  }
}
