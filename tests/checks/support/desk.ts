/** An engine with connections to fakes, asked as an application would; it watches for secrets in whatever it writes. */
import { loadConfigCode, type Config } from "../../../src/checks/config/config.ts";
import type { ConnectionInput } from "../../../src/checks/config/code.ts";
import { literal } from "../../../src/checks/config/secret.ts";
import type { Decision } from "../../../src/checks/decision.ts";
import { Engine, type Probed } from "../../../src/checks/engine.ts";
import { isLoopback } from "../../../src/checks/http/proxy.ts";
import { INTEGRATIONS } from "../../../src/checks/integrations/index.ts";
import { TestClock } from "./clock.ts";
import type { FakeServer } from "./fake-server.ts";
import { TestLog } from "./log.ts";

/** In every secret, and in what a vendor says that must not be repeated. */
export const CANARY = "CANARY";

export const SECRET = literal(`${CANARY}-token`);

export interface World {
  readonly fake: FakeServer;
  /** In code form; the last one is asked, unless `connection` names another. */
  readonly connections: readonly ConnectionInput[];
  readonly connection?: string;
}

export interface Asking {
  readonly user: string;
  readonly action: string;
  readonly resource: string;
  readonly groups?: readonly string[];
  readonly fresh?: boolean;
}

export interface DeskOptions {
  readonly decisionCacheSeconds?: number;
  readonly identityCacheSeconds?: number;
  readonly clock?: TestClock;
}

export class Desk {
  readonly log = new TestLog();
  /** The lines of the decision log, parsed. */
  readonly decisions: Record<string, unknown>[] = [];
  readonly clock: TestClock;
  readonly engine: Engine;
  /** Every question with its answer, for `uncovered`. */
  readonly asked: { action: string; decision: Decision }[] = [];

  constructor(
    private readonly world: World,
    options: DeskOptions = {},
  ) {
    const { clock = new TestClock(), ...settings } = options;
    this.clock = clock;
    world.fake.onHang = () => this.clock.advance(10 * 60_000);
    const config: Config = { ...loadConfigCode(world.connections, INTEGRATIONS), ...settings };
    const decisionLog = {
      write: (line: string) => void this.decisions.push(JSON.parse(line) as Record<string, unknown>),
      close: () => {},
    };
    const dial = (origin: string): string | undefined =>
      isLoopback(new URL(origin).hostname) ? undefined : world.fake.url;
    this.engine = new Engine(config, { clock: this.clock, log: this.log, decisionLog, env: {}, dial });
  }

  async ask(asking: Asking): Promise<Decision> {
    const last = this.world.connections.at(-1)?.id;
    const decision = await this.engine.check({ connection: this.world.connection ?? String(last), ...asking });
    this.asked.push({ action: asking.action, decision });
    return decision;
  }

  async probe(): Promise<Probed> {
    const id = this.world.connection ?? String(this.world.connections.at(-1)?.id);
    const [probed] = await this.engine.probe(id);
    if (probed === undefined) throw new Error(`no connection ${id}`);
    return probed;
  }

  /** Throws when a fake refused a request, or a secret got into a log line or a decision's text. */
  async close(): Promise<void> {
    this.engine.close();
    await this.world.fake.close();
    this.world.fake.expectClean();
    const written = JSON.stringify([this.log.lines, this.decisions, this.asked]);
    if (written.includes(CANARY)) throw new Error(`a secret or a vendor's words were written out: ${around(written)}`);
  }
}

/** Actions (families apart) that lack an allow or a deny among what desks of a test file were asked. */
export function uncovered(integration: string, desks: readonly Desk[]): string[] {
  const asked = desks.flatMap((desk) => desk.asked);
  return (INTEGRATIONS.get(integration)?.actions ?? []).flatMap(({ name }) =>
    (["allow", "deny"] as const).flatMap((wanted) => {
      const has = asked.some(({ action, decision }) => action === name && decision.decision === wanted);
      return has ? [] : [`${name}: no ${wanted}`];
    }),
  );
}

function around(text: string): string {
  const at = text.indexOf(CANARY);
  return text.slice(Math.max(0, at - 120), at + 60);
}
