/** Opens that wait for another process: made on threads of their own, given up when their caller dies or gets a signal. */
import { BlockingCall } from "../../ffi/blocking.ts";
import { AT_FDCWD, O_CLOEXEC, O_CREAT, O_EXCL, O_NOCTTY, O_NOFOLLOW } from "../../ffi/constants.ts";
import { Errno } from "../../ffi/errno.ts";
import { close } from "../../ffi/fd.ts";
import { Listener } from "../../ffi/seccomp.ts";
import { Call } from "./call.ts";
import type { OpenHow } from "./handlers/open.ts";
import { hasDeliverableSignal } from "./pending.ts";
import { readStatus } from "./process-status.ts";
import type { SocketAddress } from "./socket-address.ts";
import type { Supervision } from "./supervision.ts";

interface Job {
  readonly call: BlockingCall;
  readonly notification: Uint8Array;
  readonly tid: number;
  /** What the call works on, held until it ends. */
  readonly held: readonly number[];
  /** A result of an open is handed over as a descriptor. */
  readonly gives: "fd" | "fd-cloexec" | "value";
  /** What the caller gets instead of EINTR: a signal came, or it is dead. */
  isInterrupted: boolean;
}

const POLL_MS = 4;
/** Looks at the callers every so many polls. */
const LOOK_EVERY = 5;

export class Blocking {
  private jobs: Job[] = [];
  private timer: ReturnType<typeof setInterval> | undefined;
  private polls = 0;
  private readonly answer: Call;

  constructor(listenerFd: number) {
    this.answer = new Call(new Listener(listenerFd));
  }

  /** The place of the call is `s.first`; what it holds is taken over. */
  open(s: Supervision, how: OpenHow): void {
    const worn = s.disguise.wear(s.call.tid, false);
    if (worn < 0) return s.call.result(worn);
    const { first } = s;
    const flags = (how.flags & ~(O_CREAT | O_EXCL)) | O_CLOEXEC | O_NOCTTY;
    const call =
      first.object >= 0
        ? BlockingCall.open(AT_FDCWD, s.lookup.own.of(first.object), flags & ~O_NOFOLLOW, 0)
        : BlockingCall.open(first.parent, first.name, flags | O_NOFOLLOW, 0);
    s.disguise.takeOff();
    if (typeof call === "number") return s.call.result(call);
    const held = [first.object >= 0 ? first.object : first.parent];
    if (first.object >= 0) first.object = -1;
    else first.parent = -1;
    this.wait(s, call, held, (how.flags & O_CLOEXEC) !== 0 ? "fd-cloexec" : "fd");
  }

  /** `copy` and the socket file, where there is one, are taken over. */
  connect(s: Supervision, copy: number, address: SocketAddress): void {
    const call = BlockingCall.connect(copy, address.bytes, address.length);
    if (typeof call === "number") return s.call.result(call);
    const held = s.first.object < 0 ? [copy] : [copy, s.first.object];
    s.first.object = -1;
    s.second.object = -1;
    this.wait(s, call, held, "value");
  }

  private wait(s: Supervision, call: BlockingCall, held: readonly number[], gives: Job["gives"]): void {
    this.jobs.push({ call, notification: s.call.copy(), tid: s.call.tid, held, gives, isInterrupted: false });
    s.call.leave();
    this.timer ??= setInterval(() => this.poll(), POLL_MS);
  }

  private poll(): void {
    const looks = ++this.polls % LOOK_EVERY === 0;
    this.jobs = this.jobs.filter((job) => {
      const result = job.call.result();
      if (result !== undefined) this.finish(job, result);
      else if (looks) this.look(job);
      return result === undefined;
    });
    if (this.jobs.length > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private finish(job: Job, result: number): void {
    for (const fd of job.held) close(fd);
    const { answer } = this;
    answer.load(job.notification);
    if (result < 0) return answer.result(job.isInterrupted ? -Errno.ERESTARTSYS : result);
    if (job.gives === "value") return answer.result(result);
    answer.giveFd(result, job.gives === "fd-cloexec");
    close(result);
  }

  private look(job: Job): void {
    this.answer.load(job.notification);
    const status = this.answer.isValid ? readStatus(job.tid) : undefined;
    if (status && !hasDeliverableSignal(status, job.tid)) return;
    job.isInterrupted = true;
    job.call.interrupt();
  }
}
