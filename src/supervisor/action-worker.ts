/** An action worker: decides calls anew that a person allowed, and makes what may take long or wait for somebody. */
import { setDumpable } from "../../ffi/prctl.ts";
import { Blocking } from "./blocking.ts";
import { dispatch } from "./dispatch.ts";
import { ExecWatch } from "./exec-watch.ts";
import { matcherFor } from "./matcher.ts";
import type { Replay } from "./messages.ts";
import { Outbox } from "./outbox.ts";
import type { SupervisorSetup } from "./setup.ts";
import { Supervision } from "./supervision.ts";

declare const self: Worker;

export type ToActionWorker = { readonly type: "setup"; readonly setup: SupervisorSetup } | Replay;

let supervision: Supervision | undefined;
let isAskedAgain = false;
/** Where the call at hand is an execve that goes on. */
let started: ExecWatch | undefined;

const outbox = new Outbox((message) => {
  if (message.type === "ask") isAskedAgain = true;
  self.postMessage(message);
}, 1);

function prepare(setup: SupervisorSetup): void {
  setDumpable(false);
  const blocking = new Blocking(setup.listenerFd);
  const watch = new ExecWatch(outbox);
  supervision = new Supervision(setup, matcherFor(setup.policy), outbox, {
    mayTakeLong: true,
    openBlocking: (s, how) => blocking.open(s, how),
    connectBlocking: (s, copy, address) => blocking.connect(s, copy, address),
    watchExec: (s, programs) => {
      watch.add(s.call.tid, programs);
      started = watch;
    },
  });
  outbox.post({ type: "ready" });
}

function checkLater(watch: ExecWatch): void {
  if (watch.due < 0) return;
  setTimeout(() => {
    watch.check();
    outbox.flush();
    checkLater(watch);
  }, watch.due);
}

/** Others are held up only by what does not wait itself. */
function decide(s: Supervision, message: Replay): void {
  s.lookup.isCareful = s.setup.hasSlowMounts;
  s.isTooSlow = false;
  s.shared.lock();
  dispatch(s);
  s.shared.unlock();
  if (!s.isTooSlow) return;
  s.lookup.isCareful = false;
  s.replay = message;
  dispatch(s);
}

function replay(s: Supervision, message: Replay): void {
  s.refresh();
  s.call.load(message.notification);
  const { id } = s.call;
  isAskedAgain = false;
  s.replay = message;
  decide(s, message);
  if (started) {
    started.settle();
    checkLater(started);
    started = undefined;
  }
  const outcome = isAskedAgain ? "asked-again" : s.call.outcome === "sent" ? "sent" : "gone";
  outbox.post({ type: "done", id, outcome });
}

self.addEventListener("message", ({ data }: MessageEvent<ToActionWorker>) => {
  if (data.type === "setup") prepare(data.setup);
  else if (supervision) replay(supervision, data);
});
