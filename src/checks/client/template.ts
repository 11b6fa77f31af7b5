/** Resource templates of guarded functions: `project:{project}@{branch}`, filled from the arguments of a call (CHECKS §5.2). */
import { GuardError } from "./permission-denied.ts";

const FIELD = /\{([^{}]*)\}/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export class ResourceTemplate {
  readonly fields: readonly string[];

  /** Throws TypeError when `source` is no template. */
  constructor(readonly source: string) {
    if (typeof source !== "string" || source === "")
      throw new TypeError("the resource must be a text that is not empty");
    this.fields = [...source.matchAll(FIELD)].map(([, name = ""]) => name);
    const odd = this.fields.find((name) => !NAME.test(name));
    if (odd !== undefined) throw new TypeError(`{${odd}} is not the plain name of an argument`);
    if (/[{}]/.test(source.replace(FIELD, ""))) throw new TypeError("the resource has a brace without its other half");
  }

  /** The resource for these arguments. Throws GuardError when one is missing or could make it another resource. */
  fill(args: unknown): string {
    const query = this.source.indexOf("?");
    return this.source.replace(FIELD, (_, name: string, at: number) => {
      const value = valueOf(args, name);
      return query >= 0 && at > query ? encodeURIComponent(value) : this.plain(name, value);
    });
  }

  /** A value that has the template's own separators would move the border between its parts: the check would look elsewhere than the tool. */
  private plain(name: string, value: string): string {
    const literal = this.source.replace(FIELD, "");
    const odd = ["?", "@", "#"].find((mark) => value.includes(mark) && (mark === "?" || literal.includes(mark)));
    if (odd !== undefined)
      throw new GuardError(`the argument ${name} has a ${odd}, which cannot stand in ${this.source}`);
    return value;
  }
}

function valueOf(args: unknown, name: string): string {
  const has = typeof args === "object" && args !== null && Object.hasOwn(args, name);
  const value = has ? (args as Record<string, unknown>)[name] : undefined;
  if (typeof value === "string" && value !== "" && value.isWellFormed()) return value;
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  throw new GuardError(`the resource needs the argument ${name}, a text or a whole number`);
}
