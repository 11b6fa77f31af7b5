/** The listener worker: receives, decides, answers; never waits for anything but the next call. */
import { setDumpable } from "../../ffi/prctl.ts";
import { WAIT_ENDED, WAIT_NOTIFICATION } from "../../ffi/seccomp.ts";
import { Errno } from "../../ffi/errno.ts";
import { dispatch } from "./dispatch.ts";
import { ExecWatch } from "./exec-watch.ts";
import { matcherFor } from "./matcher.ts";
import { Outbox } from "./outbox.ts";
import type { SupervisorSetup } from "./setup.ts";
import { Supervision } from "./supervision.ts";

declare const self: Worker;

function supervise(setup: SupervisorSetup): void {
  setDumpable(false);
  const outbox = new Outbox((message) => self.postMessage(message));
  const watch = new ExecWatch(outbox);
  const s = new Supervision(setup, matcherFor(setup.policy), outbox, {
    mayTakeLong: false,
    openBlocking: (one) => one.handOver(),
    connectBlocking: (one) => one.handOver(),
    watchExec: (one, programs) => watch.add(one.call.tid, programs),
  });
  s.call.listener.setSyncWakeUp();
  outbox.post({ type: "ready" });
  while (receive(s, watch)) {
    s.refresh();
    if (watch.hasEnded(s.call.tid)) {
      s.call.fail(Errno.EACCES);
      continue;
    }
    if (s.kept.answer(s.call)) continue;
    s.shared.lock();
    dispatch(s);
    s.shared.unlock();
  }
  outbox.post({ type: "ended" });
}

/** False when the last task of the sandbox has ended. */
function receive(s: Supervision, watch: ExecWatch): boolean {
  for (;;) {
    watch.check();
    if (s.outbox.due === 0) s.outbox.flush();
    const due = sooner(watch.due, s.outbox.due);
    if (due >= 0 && (s.call.listener.wait(-1, due) & (WAIT_NOTIFICATION | WAIT_ENDED)) === 0) continue;
    const received = s.call.receive();
    if (received === 0) return true;
    // The caller died before we got it, or it was the last one.
    if (received !== -Errno.ENOENT) return false;
    if ((s.call.listener.wait(-1, 0) & WAIT_ENDED) !== 0) return false;
  }
}

/** Of two times to wait, of which -1 means for ever. */
function sooner(one: number, other: number): number {
  return one < 0 || (other >= 0 && other < one) ? other : one;
}

self.addEventListener("message", (event: MessageEvent<SupervisorSetup>) => supervise(event.data));
