/** A running session: feeds the reducer, carries its effects out through ports, and serves the clients that attach. */
import type { ClientAction, Decision, SessionEvent, SessionInfo } from "../control/messages.ts";
import type { PlacedRule } from "../policy/rule.ts";
import type { Effect, FileChange, Sender, SessionInput } from "./event.ts";
import type { Judge } from "./judge.ts";
import { nextTick, reduce } from "./reduce.ts";
import type { PendingCall } from "./request.ts";
import { createState, type CallId, type SessionConfig, type SessionState } from "./state.ts";

/** What a session makes happen in the world. */
export interface SessionPorts {
  /** Of the protocol that `welcome` speaks. */
  readonly protocolVersion: number;
  readonly judge: Judge;
  now(): number;
  /** Calls back once after that time; the function that comes back takes it back. */
  schedule(milliseconds: number, callback: () => void): () => void;
  replay(id: CallId, approved: PendingCall | undefined, request: number | undefined, client: string | undefined): void;
  refuse(id: CallId, errno: number): void;
  publish(rules: readonly PlacedRule[]): void;
  /** Changes a rule file; what comes back says why it could not be changed. */
  file(change: FileChange): Promise<string | undefined>;
  log(decision: Decision): void;
  run(
    action: Extract<Effect, { type: "run" }>["action"],
  ): Promise<{ readonly error?: string; readonly result?: unknown }>;
}

export interface Attached {
  act(action: ClientAction): void;
  detach(): void;
}

const LONGEST_TIMER = 2 ** 31 - 1;

export class Session {
  readonly state: SessionState;
  private readonly clients = new Set<(event: SessionEvent) => void>();
  private readonly inputs: SessionInput[] = [];
  private running = false;
  private cancelTick: (() => void) | undefined;

  constructor(
    config: SessionConfig,
    info: SessionInfo,
    rules: readonly PlacedRule[],
    private readonly ports: SessionPorts,
  ) {
    this.state = createState(config, info, rules);
    this.planTick();
  }

  /** Takes an input; one that an effect of another brings about is taken after it. */
  take(input: SessionInput): void {
    this.inputs.push(input);
    if (this.running) return;
    this.running = true;
    try {
      for (let next = this.inputs.shift(); next; next = this.inputs.shift()) this.step(next);
    } finally {
      this.running = false;
    }
  }

  private step(input: SessionInput): void {
    for (const effect of reduce(this.state, this.ports.judge, input, this.ports.now())) this.carryOut(effect);
    if (input.type !== "decided") this.planTick();
  }

  /** A client comes: it gets `welcome`, then what happens, until it goes. */
  attach(label: string, deliver: (event: SessionEvent) => void): Attached {
    const sender: Sender = { label, reply: deliver };
    this.clients.add(deliver);
    deliver(this.welcome());
    return {
      act: (action) => this.take({ type: "action", action, sender }),
      detach: () => void this.clients.delete(deliver),
    };
  }

  /** What a client gets first: everything as it is now. */
  welcome(): SessionEvent {
    const { info, requests, rules, recent } = this.state;
    return {
      type: "welcome",
      version: this.ports.protocolVersion,
      session: info,
      requests: [...requests.values()].map((pending) => pending.request),
      rules,
      recent: [...recent],
    };
  }

  /** Everybody is told that the session is over. */
  close(reason: string): void {
    this.cancelTick?.();
    this.broadcast({ type: "bye", reason });
    this.clients.clear();
  }

  private broadcast(event: SessionEvent): void {
    for (const deliver of this.clients) deliver(event);
  }

  private carryOut(effect: Effect): void {
    switch (effect.type) {
      case "replay":
        return this.ports.replay(effect.id, effect.approved, effect.request, effect.client);
      case "refuse":
        return this.ports.refuse(effect.id, effect.errno);
      case "publish":
        return this.ports.publish(effect.rules);
      case "file":
        return void this.changeFile(effect.change);
      case "log":
        return this.ports.log(effect.decision);
      case "emit":
        return this.broadcast(effect.event);
      case "reply":
        return effect.sender.reply(effect.event);
      case "run":
        return void this.run(effect);
    }
  }

  private async changeFile(change: FileChange): Promise<void> {
    const problem = await this.ports.file(change);
    if (problem === undefined) return;
    this.take({
      type: "info",
      info: { ...this.state.info, notice: `the rule is kept for this session only: ${problem}` },
    });
  }

  private async run({ action, sender }: Extract<Effect, { type: "run" }>): Promise<void> {
    const outcome = await this.ports.run(action);
    if (action.ref !== undefined) sender.reply({ type: "reply", ref: action.ref, ...outcome });
  }

  private planTick(): void {
    this.cancelTick?.();
    const due = nextTick(this.state);
    if (due === undefined) return void (this.cancelTick = undefined);
    const wait = Math.min(LONGEST_TIMER, Math.max(0, due - this.ports.now()));
    this.cancelTick = this.ports.schedule(wait, () => this.take({ type: "tick" }));
  }
}
