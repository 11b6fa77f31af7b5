/** A function that runs only after its check said allow (CHECKS §5.2). */
import type { Decision } from "../decision.ts";
import type { Logger } from "../logger.ts";
import type { Question } from "../question.ts";
import { logWrite, type Ending } from "../write-line.ts";
import { groupsOf, questionOf } from "./misuse.ts";
import { GuardError, PermissionDenied } from "./permission-denied.ts";
import { ResourceTemplate } from "./template.ts";

/** An AsyncLocalStorage, or what looks like one. */
export interface ContextVariable<T> {
  getStore(): T | undefined;
  readonly name?: string | undefined;
}

/** A value, a function that finds it out, or a context variable; looked up on every call, never among the call's arguments. */
export type Source<T> = T | (() => T | Promise<T>) | ContextVariable<T>;

export interface GuardOptions<D = never> {
  /** The email of the person the agent acts for. */
  readonly user: Source<string>;
  readonly groups?: Source<readonly string[]>;
  /** What a refused call gives back, in the stead of throwing PermissionDenied. */
  readonly deny?: (refusal: PermissionDenied) => D;
  readonly fresh?: boolean;
}

/** The part of a client that guarding needs. */
export interface Checks {
  readonly log: Logger;
  readonly now: () => number;
  ask(question: Question): Promise<Decision>;
}

// Any function's arguments; `unknown[]` would refuse those with types of their own.
// oxlint-disable-next-line typescript/no-explicit-any
type AnyFunction = (...args: any[]) => unknown;
export type Guarded<F extends AnyFunction, D> = (
  ...args: Parameters<F>
) => Promise<Awaited<ReturnType<F>> | Awaited<D>>;
export type Wrap<D> = <F extends AnyFunction>(body: F) => Guarded<F, D>;

/** Wraps functions whose first argument is an object with the template's fields. Throws TypeError when a part is off. */
export function guard<D = never>(
  checks: Checks,
  connection: string,
  action: string,
  resource: string,
  options: GuardOptions<D>,
): Wrap<D> {
  if ([connection, action].some((part) => typeof part !== "string" || part === ""))
    throw new TypeError("connection and action must be texts that are not empty");
  if (options?.user === undefined) throw new TypeError("user is required: an email, a function or a context variable");
  const one = new Guard(checks, connection, action, new ResourceTemplate(resource), options);
  return <F extends AnyFunction>(body: F): Guarded<F, D> => {
    if (typeof body !== "function") throw new TypeError("only a function can be guarded");
    const wrapped = async function (
      this: unknown,
      ...args: Parameters<F>
    ): Promise<Awaited<ReturnType<F>> | Awaited<D>> {
      return (await one.call(args, async () => await body.apply(this, args))) as Awaited<ReturnType<F>> | Awaited<D>;
    };
    Object.defineProperty(wrapped, "name", { value: body.name, configurable: true });
    Object.defineProperty(wrapped, "length", { value: body.length, configurable: true });
    return wrapped;
  };
}

class Guard<D> {
  constructor(
    private readonly checks: Checks,
    private readonly connection: string,
    private readonly action: string,
    private readonly template: ResourceTemplate,
    private readonly options: GuardOptions<D>,
  ) {}

  async call<R>(args: readonly unknown[], body: () => Promise<R>): Promise<R | Awaited<D>> {
    const resource = this.template.fill(args[0]);
    const question = await this.question(resource);
    const checkedAt = this.checks.now();
    const decision = await this.checks.ask(question);
    if (!decision.allowed) return await this.refuse(new PermissionDenied(question, decision));
    if (this.template.fill(args[0]) !== resource)
      throw new GuardError("the arguments changed while they were checked; the call did not run");
    return await this.run(body, (ending) => logWrite(this.checks.log, question, decision, ending, checkedAt));
  }

  private async question(resource: string): Promise<Question> {
    const { user, groups, fresh = false } = this.options;
    const email = await resolve(user, "user");
    if (typeof email !== "string" || email === "") throw new GuardError("the user is not a text, or is empty");
    const named = groups === undefined ? {} : { groups: listOf(await resolve(groups, "groups")) };
    return questionOf(email, this.connection, this.action, resource, { ...named, fresh });
  }

  private async refuse(refusal: PermissionDenied): Promise<Awaited<D>> {
    if (this.options.deny === undefined) throw refusal;
    return await this.options.deny(refusal);
  }

  private async run<R>(body: () => Promise<R>, log: (ending: Ending) => void): Promise<R> {
    try {
      const result = await body();
      log({ how: "ran" });
      return result;
    } catch (error) {
      log({ how: "raised", error: error instanceof Error ? error.name : typeof error });
      throw error;
    }
  }
}

async function resolve(source: unknown, what: string): Promise<unknown> {
  if (typeof source === "function") return await (source as () => unknown)();
  if (typeof source !== "object" || source === null || !("getStore" in source)) return source;
  const { name } = source as ContextVariable<unknown>;
  const value = (source as ContextVariable<unknown>).getStore();
  if (value === undefined) throw new GuardError(`the context variable ${name || `for the ${what}`} is not set`);
  return value;
}

function listOf(value: unknown): readonly string[] {
  try {
    return groupsOf(value);
  } catch (error) {
    throw new GuardError((error as Error).message);
  }
}
