/**
 * Calls that wait for a person. A waiting caller must stay interruptible: its deliverable signals and its death are
 * looked for from time to time, and the call is then given back so that the kernel can restart or end it.
 */
import { Errno } from "../../ffi/errno.ts";
import { type Listener, NOTIF } from "../../ffi/seccomp.ts";
import { readStatus, type Status } from "./process-status.ts";

export interface WaitingCall {
  readonly id: string;
  readonly notification: Uint8Array;
  readonly tid: number;
}

interface Entry extends WaitingCall {
  readonly idLow: number;
  readonly idHigh: number;
}

export interface PendingEvents {
  /** The caller is dead. */
  gone(id: string): void;
  /** A signal took the caller away; the same call may come again. */
  interrupted(id: string): void;
}

const INTERVAL_MS = 50;
/** Callers looked at in one go; more take several. */
const BATCH = 100;

export class Pending {
  private readonly calls = new Map<string, Entry>();
  private queue: Entry[] = [];
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(
    private readonly listener: Listener,
    private readonly events: PendingEvents,
  ) {}

  get size(): number {
    return this.calls.size;
  }

  add(call: WaitingCall): void {
    const words = new Uint32Array(call.notification.slice().buffer);
    this.calls.set(call.id, { ...call, idLow: words[NOTIF.idLow]!, idHigh: words[NOTIF.idHigh]! });
    this.timer ??= setInterval(() => this.look(), INTERVAL_MS);
  }

  /** Takes the call out: somebody else answers it now. undefined if it does not wait any more. */
  take(id: string): WaitingCall | undefined {
    const call = this.calls.get(id);
    this.calls.delete(id);
    if (this.calls.size === 0) this.stop();
    return call;
  }

  /** False if the caller is gone. */
  refuse(id: string, errno: number): boolean {
    const call = this.calls.get(id);
    this.take(id);
    return call !== undefined && this.listener.sendError(call.idLow, call.idHigh, errno) >= 0;
  }

  /** Refuses all; for the end of a session. */
  refuseAll(errno: number): void {
    for (const id of this.calls.keys()) this.refuse(id, errno);
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private look(): void {
    if (this.queue.length === 0) this.queue = [...this.calls.values()];
    for (const call of this.queue.splice(0, BATCH)) if (this.calls.has(call.id)) this.lookAt(call);
  }

  private lookAt(call: Entry): void {
    if (this.listener.idValid(call.idLow, call.idHigh) < 0) {
      this.take(call.id);
      return this.events.gone(call.id);
    }
    const status = readStatus(call.tid);
    if (!status || !hasDeliverableSignal(status, call.tid)) return;
    // The id is asked for once more by the kernel itself when the answer is sent.
    this.take(call.id);
    const sent = this.listener.sendError(call.idLow, call.idHigh, Errno.ERESTARTSYS);
    if (sent < 0) this.events.gone(call.id);
    else this.events.interrupted(call.id);
  }
}

/**
 * Whether the kernel would restart this thread's call now. Without a signal the number 512 would leak to the program, so
 * a signal to the whole process counts only for the thread that the kernel hands it to first.
 */
export function hasDeliverableSignal(status: Status, tid: number): boolean {
  return status.deliverableToThread !== 0n || (status.tgid === tid && status.deliverable !== 0n);
}
