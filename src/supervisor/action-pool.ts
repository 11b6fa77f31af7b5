/** The action workers of a session: started when there is something for them, a few at most. */
import { workerProgram } from "../tree.ts";
import type { ToActionWorker } from "./action-worker.ts";
import type { Replay, WorkerMessage } from "./messages.ts";
import type { SupervisorSetup } from "./setup.ts";

const MOST = 8;

interface Slot {
  readonly worker: Worker;
  /** Replays that have no outcome yet. */
  busy: number;
}

export class ActionPool {
  private readonly slots: Slot[] = [];

  constructor(
    private readonly setup: SupervisorSetup,
    private readonly hear: (message: WorkerMessage) => void,
    private readonly failed: (error: string) => void,
  ) {}

  /** So that the first call that needs one does not wait for its start. */
  warm(): void {
    if (this.slots.length === 0) this.start();
  }

  run(replay: Replay): void {
    const slot = this.idleSlot();
    slot.busy++;
    this.tell(slot, replay);
  }

  stop(): void {
    for (const { worker } of this.slots) worker.terminate();
    this.slots.length = 0;
  }

  private idleSlot(): Slot {
    const idlest = this.slots.toSorted((one, other) => one.busy - other.busy)[0];
    if (idlest && (idlest.busy === 0 || this.slots.length >= MOST)) return idlest;
    return this.start();
  }

  private start(): Slot {
    const slot: Slot = { worker: new Worker(workerProgram("supervisor/action-worker")), busy: 0 };
    slot.worker.addEventListener("message", ({ data }: MessageEvent<WorkerMessage>) => {
      if (data.type === "done") slot.busy--;
      this.hear(data);
    });
    slot.worker.addEventListener("error", (event) => this.failed(event.message));
    slot.worker.unref();
    this.slots.push(slot);
    this.tell(slot, { type: "setup", setup: this.setup });
    return slot;
  }

  private tell(slot: Slot, message: ToActionWorker): void {
    slot.worker.postMessage(message);
  }
}
