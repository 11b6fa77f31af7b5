/** Secrets by reference: read when used, never printed (CHECKS §2.3). */
import { readFile } from "node:fs/promises";
import { stop } from "../codes.ts";

const REDACTED = "[secret]";

/** Where a secret comes from. Made by `env`, `file` and `literal`; the value is read on every use. */
export class Secret {
  readonly #read: () => Promise<string>;

  constructor(read: () => Promise<string>) {
    this.#read = read;
  }

  /** The value. Throws `credential_rejected` when it is unset, empty or cannot be read. */
  async read(): Promise<string> {
    return await this.#read();
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): never {
    throw new TypeError("a secret cannot be written out");
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return REDACTED;
  }
}

/** The environment variable `name`, read on every use. Throws a TypeError on a name no variable can have. */
export function env(name: string): Secret {
  if (!isVariable(name)) throw new TypeError("env: needs the name of an environment variable");
  return new Secret(async () => nonEmpty(process.env[name] ?? ""));
}

/** The file at `path`, read anew on every use so that a rotated secret is taken; trailing white space is cut. */
export function file(path: string): Secret {
  if (path === "") throw new TypeError("file: needs a path");
  return new Secret(async () => {
    const text = await readFile(path, "utf8").catch(() => "");
    return nonEmpty(text.trimEnd());
  });
}

/** A value in code; a configuration file cannot hold one. */
export function literal(value: string): Secret {
  return new Secret(async () => nonEmpty(value));
}

/** `env:NAME` or `file:/path`; undefined for anything else (a value in the open, say). */
export function secretFrom(reference: string): Secret | undefined {
  if (reference.startsWith("env:") && isVariable(reference.slice(4))) return env(reference.slice(4));
  if (reference.startsWith("file:/")) return file(reference.slice(5));
  return undefined;
}

function isVariable(name: string): boolean {
  return name !== "" && !/[ \t=\0]/.test(name);
}

function nonEmpty(value: string): string {
  if (value === "") throw stop("credential_rejected", "hallpass's credential is not set or could not be read");
  return value;
}
