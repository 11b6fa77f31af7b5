/**
 * What a worker says to the main thread. Decisions go in batches: a message costs more than most calls, and nobody waits
 * for them; whatever somebody does wait for takes along what came before it.
 */
import type { Decision } from "../control/messages.ts";
import type { WorkerMessage } from "./messages.ts";

type Decided = Omit<Decision, "time">;

const BATCH = 64;
/** Milliseconds that a decision may be late. */
const LATEST = 10;

export class Outbox {
  private decisions: Decided[] = [];
  private since = 0;

  /** `batch` 1: a decision is told before its call is answered, so that it is there before the caller's end is. */
  constructor(
    private readonly send: (message: WorkerMessage) => void,
    private readonly batch = BATCH,
  ) {}

  /** Milliseconds until `flush` is due; -1: nothing waits. */
  get due(): number {
    if (this.decisions.length === 0) return -1;
    return Math.max(0, Math.ceil(this.since + LATEST - performance.now()));
  }

  decided(decision: Decided): void {
    if (this.decisions.length === 0) this.since = performance.now();
    this.decisions.push(decision);
    if (this.decisions.length >= this.batch) this.flush();
  }

  post(message: WorkerMessage): void {
    this.flush();
    this.send(message);
  }

  flush(): void {
    if (this.decisions.length === 0) return;
    const { decisions } = this;
    this.decisions = [];
    this.send({ type: "decided", decisions });
  }
}
