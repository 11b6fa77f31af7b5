/** The library's client: the same methods for checks made in this process and for those a server makes (CHECKS §5.1). */
import { systemClock } from "../clock.ts";
import type { ConnectionInput } from "../config/code.ts";
import { loadConfigCode, loadConfigFile } from "../config/config.ts";
import type { Decision } from "../decision.ts";
import { Engine, type Probed } from "../engine.ts";
import { INTEGRATIONS } from "../integrations/index.ts";
import { silent, type Logger } from "../logger.ts";
import type { Question } from "../question.ts";
import { guard, type GuardOptions, type Wrap } from "./guarded.ts";
import { questionOf, type AskOptions } from "./misuse.ts";
import { PermissionDenied } from "./permission-denied.ts";
import { RemoteServer, type RemoteOptions } from "./remote.ts";

export interface HallpassOptions {
  /** Default: 30, or what the file says; 0 is off. */
  readonly decisionCacheSeconds?: number;
  /** Default: 900, or what the file says; 0 is off. */
  readonly identityCacheSeconds?: number;
  /** A path, `stderr`, `stdout` or `none`. Default: `none`, or what the file says. */
  readonly decisionLog?: string;
  readonly log?: Logger;
}

type Args = [
  user: string,
  connection: string,
  action: string,
  resource: string,
  options?: AskOptions | readonly string[],
  fresh?: boolean,
];

/** Who may do what, over there. Made by `fromConfig`, `connections` or `remote`. */
export class Hallpass {
  private constructor(
    private readonly backend: Engine | RemoteServer,
    readonly log: Logger,
  ) {}

  /** Checks made in this process, with the connections of a configuration file. Throws ConfigError with every problem. */
  static fromConfig(path: string, options: HallpassOptions = {}): Hallpass {
    return local(loadConfigFile(path, INTEGRATIONS), options);
  }

  /** Checks made in this process, with connections given as objects with the keys of the file. Throws ConfigError. */
  static connect(connections: readonly ConnectionInput[], options: HallpassOptions = {}): Hallpass {
    return local(loadConfigCode(connections, INTEGRATIONS), options);
  }

  /** Checks made by a hallpass server. Throws a TypeError for an address or a key that cannot be used. */
  static remote({ log = silent, ...options }: RemoteOptions & { readonly log?: Logger } = {}): Hallpass {
    return new Hallpass(new RemoteServer(options), log);
  }

  /** @internal */
  static over(backend: Engine | RemoteServer, log: Logger): Hallpass {
    return new Hallpass(backend, log);
  }

  /** True where checks are made in this process. */
  get local(): boolean {
    return this.backend instanceof Engine;
  }

  /** The answer. A lookup that fails is an unknown; only misuse (a user that is no string, say) is a TypeError. */
  async check(...args: Args): Promise<Decision> {
    return await this.ask(questionOf(...args));
  }

  async allowed(...args: Args): Promise<boolean> {
    return (await this.check(...args)).allowed;
  }

  /** The answer when it is allow. Throws PermissionDenied for any other. */
  async require(...args: Args): Promise<Decision> {
    const question = questionOf(...args);
    const decision = await this.ask(question);
    if (!decision.allowed) throw new PermissionDenied(question, decision);
    return decision;
  }

  /** Wraps functions so that they run only when the person may do this on the resource that their arguments name. */
  guarded<D = never>(connection: string, action: string, resource: string, options: GuardOptions<D>): Wrap<D> {
    const checks = { log: this.log, now: () => systemClock.now(), ask: async (q: Question) => await this.ask(q) };
    return guard(checks, connection, action, resource, options);
  }

  /** Asks each system with our own credential. Only where checks are made in this process. */
  async probe(id?: string): Promise<Probed[]> {
    return await this.engine().probe(id);
  }

  /** The ids of the connections. Only where checks are made in this process. */
  connections(): readonly string[] {
    return this.engine().connections;
  }

  /** Ends idle connections and closes the decision log. */
  close(): void {
    this.backend.close();
  }

  private async ask(question: Question): Promise<Decision> {
    return this.backend instanceof Engine ? await this.backend.check(question) : await this.backend.ask(question);
  }

  private engine(): Engine {
    if (this.backend instanceof Engine) return this.backend;
    throw new TypeError("a remote client knows no connections; ask where the server runs");
  }
}

/** `guarded(client, …)`, for who prefers a function to the method. */
export function guarded<D = never>(
  client: Hallpass,
  connection: string,
  action: string,
  resource: string,
  options: GuardOptions<D>,
): Wrap<D> {
  return client.guarded(connection, action, resource, options);
}

function local(config: ReturnType<typeof loadConfigFile>, { log = silent, ...settings }: HallpassOptions): Hallpass {
  for (const name of ["decisionCacheSeconds", "identityCacheSeconds"] as const) {
    const value = settings[name];
    const most = name === "decisionCacheSeconds" ? 3_600 : 86_400;
    if (value !== undefined && !(Number.isInteger(value) && value >= 0 && value <= most))
      throw new TypeError(`${name} must be a whole number from 0 to ${most}`);
  }
  return Hallpass.over(new Engine({ ...config, ...settings }, { log }), log);
}
