/** The supervision of one session as the main thread sees it: start, requests that come, answers that go. */
import { close } from "../../ffi/fd.ts";
import { landlockAbi } from "../../ffi/landlock.ts";
import { setDumpable } from "../../ffi/prctl.ts";
import { Listener } from "../../ffi/seccomp.ts";
import { Errno } from "../../ffi/errno.ts";
import type { PolicyChannel } from "../../policy-wasm/host.ts";
import type { Decision } from "../control/messages.ts";
import { HallpassError } from "../errors.ts";
import { workerProgram } from "../tree.ts";
import type { Category } from "../policy/rule.ts";
import type { PendingCall, ProcessClaim } from "../session/request.ts";
import { ActionPool } from "./action-pool.ts";
import { idOf } from "./call.ts";
import { buildFence, canScopeSignals, type FenceRoot, OLDEST_FENCE_ABI } from "./fence.ts";
import { chooseFenceRoots, TERMINAL } from "./fence-roots.ts";
import { compileFilter } from "./filter.ts";
import { Judge } from "./judge.ts";
import { launch, type Launched, type LaunchOptions } from "./launch.ts";
import { matcherFor } from "./matcher.ts";
import type { WorkerMessage } from "./messages.ts";
import { Pending } from "./pending.ts";
import { claimsOf } from "./process-status.ts";
import { hasSlowMounts } from "./slow-mounts.ts";
import { makeShared, Shared, type SupervisorSetup } from "./setup.ts";

export interface SupervisorEvents {
  /** A call waits for a person until `replay` or `refuse`. */
  asked(id: string, call: PendingCall, by: readonly ProcessClaim[]): void;
  /** A request in advance (SPEC §6): `refuse` with the errno that is its reply. */
  advance(
    id: string,
    query: string,
    caller: { readonly tid: number; readonly pid: number; readonly exe: string },
  ): void;
  /** The caller of a waiting call died. */
  gone(id: string): void;
  /** A signal took the caller of a waiting call away; the same call may come again under another id. */
  interrupted(id: string): void;
  decided(decision: Omit<Decision, "time">): void;
  /** A worker failed: nothing can be decided any more, and the session has to end. */
  failed(error: Error): void;
  /** The last process of the sandbox has ended. */
  ended(): void;
}

export interface SupervisorOptions {
  /** What the launcher needs beside the fence and the filter. */
  readonly launch: Omit<LaunchOptions, "filter" | "ruleset" | "scopeSignals">;
  readonly channel: PolicyChannel;
  /** Absolute real paths, path text; `project` empty where nothing is implicit. */
  readonly project: string;
  readonly tmpdir: string;
  readonly home: string;
  readonly mediate: ReadonlySet<Category>;
  readonly fence: "auto" | "on" | "off";
  /** `deny`: nobody is asked, the worker itself denies. */
  readonly prompt: "ask" | "deny";
  readonly logsImplicit: boolean;
  readonly hasImplicit: boolean;
  /** The session's own terminal is writable (--allow-tty); as `hasImplicit` where absent. */
  readonly allowsTerminal?: boolean;
  /** N of the session's /dev/pts/N, or -1. */
  readonly ptyNumber: number;
  /** An older Landlock ABI, for tests. */
  readonly landlockAbi?: number;
  readonly events: SupervisorEvents;
}

/** A program that ends sooner needs no action worker as a rule. */
const WARM_AFTER_MS = 250;

export class Supervisor {
  private readonly pending: Pending;
  private readonly actions: ActionPool;
  private isClosed = false;

  private constructor(
    readonly launched: Launched,
    private readonly setup: SupervisorSetup,
    private readonly events: SupervisorEvents,
    private readonly roots: readonly FenceRoot[],
  ) {
    this.pending = new Pending(new Listener(setup.listenerFd), events);
    this.actions = new ActionPool(
      setup,
      (message) => this.hear(message),
      (error) => this.fail(error),
    );
  }

  /** Builds fence and filter, starts CMD and decides its calls from then on. The rules must be published already. */
  static async start(options: SupervisorOptions): Promise<Supervisor> {
    setDumpable(false);
    const abi = options.landlockAbi ?? landlockAbi();
    if (options.fence === "on" && abi < OLDEST_FENCE_ABI) {
      throw new HallpassError("--fence=on: this kernel has no Landlock (ABI 2); run `hallpass doctor`");
    }
    const hasFence = options.fence !== "off" && abi >= OLDEST_FENCE_ABI;
    const roots = hasFence ? rootsFor(options) : [];
    const launched = await launchWith(options, hasFence ? roots : undefined, abi);
    const supervisor = new Supervisor(launched, setupFor(options, launched, hasFence, roots), options.events, roots);
    supervisor.listen();
    return supervisor;
  }

  get hasFence(): boolean {
    return this.setup.hasFence;
  }

  /** How many calls wait for a person. */
  get waiting(): number {
    return this.pending.size;
  }

  /** Decides a waiting call anew; `approved`: what a person allowed for this call alone. */
  replay(id: string, approved?: PendingCall, request?: number, client?: string): void {
    const call = this.pending.take(id);
    if (!call) return;
    this.actions.run({
      type: "replay",
      notification: call.notification,
      ...(approved === undefined ? {} : { approved }),
      ...(request === undefined ? {} : { request }),
      ...(client === undefined ? {} : { client }),
    });
  }

  refuse(id: string, errno: number): void {
    this.pending.refuse(id, errno);
  }

  /** The log cannot keep up: decisions that are logged wait until it can. */
  set logIsBehind(value: boolean) {
    new Shared(this.setup.shared).logIsBehind = value;
  }

  /** Nothing more is asked; whatever waits is refused. The processes themselves are the launcher's affair. */
  close(): void {
    this.isClosed = true;
    this.pending.refuseAll(Errno.EACCES);
    this.pending.stop();
    this.actions.stop();
    for (const { fd } of this.roots) close(fd);
  }

  private listen(): void {
    const worker = warmed ?? startWorker();
    warmed = undefined;
    worker.addEventListener("message", ({ data }: MessageEvent<WorkerMessage>) => this.hear(data));
    worker.addEventListener("error", (event) => this.fail(event.message));
    worker.unref();
    worker.postMessage(this.setup);
    setTimeout(() => !this.isClosed && this.actions.warm(), WARM_AFTER_MS).unref();
  }

  private hear(message: WorkerMessage): void {
    switch (message.type) {
      case "ask":
        return this.asked(message.notification, message.call);
      case "advance":
        return this.advance(message);
      case "decided":
        for (const decision of message.decisions) this.events.decided(decision);
        return;
      case "block":
        return this.actions.run({ type: "replay", notification: message.notification });
      case "ended":
        return this.events.ended();
      case "done":
      case "ready":
        return;
    }
  }

  private asked(notification: Uint8Array, call: PendingCall): void {
    const id = idOf(new Uint32Array(notification.slice().buffer));
    this.pending.add({ id, notification, tid: call.tid });
    if (this.isClosed) return this.refuse(id, Errno.EACCES);
    this.events.asked(id, call, claimsOf(call.pid, this.setup.launcherPid));
  }

  private advance({ notification, query, ...caller }: Extract<WorkerMessage, { type: "advance" }>): void {
    const id = idOf(new Uint32Array(notification.slice().buffer));
    this.pending.add({ id, notification, tid: caller.tid });
    if (this.isClosed) return this.refuse(id, Errno.EACCES);
    this.events.advance(id, query, { tid: caller.tid, pid: caller.pid, exe: caller.exe });
  }

  private fail(error: string): void {
    if (!this.isClosed) this.events.failed(new Error(`a supervisor's worker failed: ${error}`));
  }
}

/** A worker that has been started ahead: it comes up on another CPU while the rules are read. */
let warmed: Worker | undefined;

/** To be called as early as can be. */
export function warmUp(): void {
  warmed ??= startWorker();
}

function startWorker(): Worker {
  const worker = new Worker(workerProgram("supervisor/worker"));
  worker.unref();
  return worker;
}

function rootsFor(options: SupervisorOptions): FenceRoot[] {
  const judge = new Judge(matcherFor(options.channel.shared));
  const folders = options.hasImplicit ? [options.project, options.tmpdir] : [];
  return chooseFenceRoots(
    judge,
    folders.filter((folder) => folder !== ""),
    (options.allowsTerminal ?? options.hasImplicit) ? terminalsOf(options) : [],
  );
}

/** Never another pty: through one that is only read, the real terminal's settings could be changed. */
function terminalsOf({ ptyNumber }: SupervisorOptions): string[] {
  return ptyNumber < 0 ? [TERMINAL] : [TERMINAL, `/dev/pts/${ptyNumber}`];
}

async function launchWith(
  options: SupervisorOptions,
  roots: readonly FenceRoot[] | undefined,
  abi: number,
): Promise<Launched> {
  const { mediate } = options;
  const scopeSignals = roots !== undefined && canScopeSignals(abi);
  const fence = { roots: roots ?? [], connect: mediate.has("connect"), abstractSockets: false, abi };
  const ruleset = roots ? buildFence(fence) : undefined;
  const filter = compileFilter({ mediate, services: true, signals: !scopeSignals });
  try {
    // A core goes into the working directory, wherever that is, and only a fence can stop it.
    const forbidsCores = ruleset === undefined && mediate.has("write");
    const fenced = { filter, scopeSignals, forbidsCores, ...(ruleset === undefined ? {} : { ruleset }) };
    return await launch({ ...options.launch, ...fenced });
  } finally {
    if (ruleset !== undefined) close(ruleset);
  }
}

function setupFor(
  options: SupervisorOptions,
  launched: Launched,
  hasFence: boolean,
  roots: readonly FenceRoot[],
): SupervisorSetup {
  return {
    listenerFd: launched.listenerFd,
    policy: options.channel.shared,
    launcherPid: launched.launcherPid,
    mediate: [...options.mediate],
    hasFence,
    fenceRoots: roots.map(({ path, fd, isFolder }) => ({ path, fd, isFolder })),
    shared: makeShared(roots.length),
    project: options.project,
    tmpdir: options.tmpdir,
    home: options.home,
    prompt: options.prompt,
    logsImplicit: options.logsImplicit,
    hasImplicit: options.hasImplicit,
    allowsTerminal: options.allowsTerminal ?? options.hasImplicit,
    ptyNumber: options.ptyNumber,
    hasSlowMounts: hasSlowMounts(),
  };
}
