/**
 * What a worker needs to decide one call after another: the caller's memory and paths, the verdict, the caller's
 * credentials, and the way to whoever has to be asked. Handlers say what a call means; this says what follows.
 */
import { cstring } from "../../ffi/bytes.ts";
import { AT_FDCWD, O_CLOEXEC, O_DIRECTORY, O_PATH } from "../../ffi/constants.ts";
import { Errno } from "../../ffi/errno.ts";
import { close } from "../../ffi/fd.ts";
import { openat } from "../../ffi/path-ops.ts";
import { Listener } from "../../ffi/seccomp.ts";
import type { Decision } from "../control/messages.ts";
import { type Category, type PlacedRule, Tier } from "../policy/rule.ts";
import { tierOfVerdict } from "../policy/verdict.ts";
import type { Operation, PendingCall, Warning } from "../session/request.ts";
import { Call } from "./call.ts";
import { Continuing } from "./continuing.ts";
import { Disguise } from "./credentials.ts";
import type { OpenHow } from "./handlers/open.ts";
import { isRestricting, Judge, type PathMatcher, stricter, verdictOf } from "./judge.ts";
import { KeptResults } from "./kept-results.ts";
import { Lookup } from "./lookup.ts";
import type { Replay } from "./messages.ts";
import type { Outbox } from "./outbox.ts";
import { OwnSockets } from "./own-sockets.ts";
import { PathBytes } from "./path-bytes.ts";
import { Place } from "./place.ts";
import { descendants, folderOf, isBelow, type Status } from "./process-status.ts";
import { readPath, UNREADABLE } from "./target-memory.ts";
import { Shared, type SupervisorSetup } from "./setup.ts";
import type { SocketAddress } from "./socket-address.ts";
import { Specials } from "./specials.ts";
import { Tasks } from "./tasks.ts";
import { warningsFor } from "./warnings.ts";

/** One thing that a call does to one path. */
export interface Target {
  readonly operation: Operation;
  readonly place: Place;
  /** Of a connection, where it goes; else the target is the place's path. */
  readonly dest?: string;
  /** Packed, of src/policy/verdict.ts. */
  readonly verdict: number;
}

/** How a call is carried out. */
export interface Deed {
  /** Something comes to exist: the caller's umask counts. */
  readonly makes?: boolean;
  /** What the kernel would say without any policy, looked at only where the policy does not allow: 0 or -errno. */
  readonly wouldFail?: () => number;
  /** A path may lead elsewhere afterwards. */
  readonly redirects?: boolean;
  /** The name that goes. */
  readonly removed?: Place;
  /** The name that comes to exist. */
  readonly named?: Place;
  /** Looks at the caller's status just before; -errno is the call's result. */
  readonly check?: (status: Status) => number;
  /** With the caller's credentials; a result as the kernel's. */
  readonly run: () => number;
}

/** What only one kind of worker can do. */
export interface Means {
  /** Nothing else waits for this thread. */
  readonly mayTakeLong: boolean;
  /** Makes an open that may wait for somebody. */
  openBlocking(s: Supervision, how: OpenHow): void;
  /** Makes a connect that may wait; the copy of the socket is `s.second.object`. */
  connectBlocking(s: Supervision, copy: number, address: SocketAddress): void;
  /** The call is about to be continued as an execve; these are the programs that it may become. */
  watchExec(s: Supervision, programs: readonly Place[]): void;
}

export class Supervision {
  readonly call: Call;
  readonly lookup: Lookup;
  readonly judge: Judge;
  readonly tasks = new Tasks();
  readonly disguise = new Disguise(this.tasks);
  readonly shared: Shared;
  readonly fence: Continuing;
  readonly specials: Specials;
  readonly sockets: OwnSockets;
  readonly kept = new KeptResults();
  /** Where this thread stands, lest it holds somebody's folder. */
  readonly rootFd = openat(AT_FDCWD, cstring("/"), O_PATH | O_DIRECTORY | O_CLOEXEC);
  /** The last call has to be decided once more, with time. */
  isTooSlow = false;
  first = new Place();
  second = new Place();
  readonly path = new PathBytes();
  readonly otherPath = new PathBytes();
  /** In an action worker: what a person allowed for the call at hand. */
  replay: Replay | undefined;

  constructor(
    readonly setup: SupervisorSetup,
    matcher: PathMatcher,
    readonly outbox: Outbox,
    readonly means: Means,
  ) {
    this.call = new Call(new Listener(setup.listenerFd));
    this.judge = new Judge(matcher);
    this.shared = new Shared(setup.shared);
    const isInside = (pid: number): boolean => this.isInside(pid);
    this.lookup = new Lookup(this.call, this.tasks, this.disguise, isInside);
    this.fence = new Continuing(setup.fenceRoots, this.shared.deadRoots, this.disguise.isRoot);
    const insidePids = (): Iterable<number> => descendants(setup.launcherPid);
    this.sockets = new OwnSockets(this.shared, insidePids);
    this.specials = new Specials({
      hasImplicit: setup.hasImplicit,
      allowsTerminal: setup.allowsTerminal,
      ptyNumber: setup.ptyNumber,
      isInside,
      insidePids,
    });
    this.lookup.isCareful = setup.hasSlowMounts;
    this.review();
  }

  /** To be called before each call is decided. */
  refresh(): void {
    if (this.judge.refresh()) this.review();
    this.lookup.rootsMayDiffer = !this.setup.hasFence || this.shared.rootsMayDiffer;
  }

  private review(): void {
    this.fence.review(this.judge);
  }

  isInside(pid: number): boolean {
    return isBelow(pid, this.setup.launcherPid);
  }

  /** Some caller gets another root folder or mount namespace; told to all workers before it does. */
  expectOtherRoots(): void {
    this.shared.rootsMayDiffer = true;
  }

  /** Closes what the last call held. */
  reset(): void {
    this.disguise.forget();
    this.first.close();
    this.second.close();
    this.replay = undefined;
  }

  /** A look at the file system with the caller's rights. */
  asCaller(look: () => number): number {
    return this.disguise.search(this.call.tid, look);
  }

  swapPlaces(): void {
    const { first, second } = this;
    this.first = second;
    this.second = first;
  }

  /** The verdict on changing what is at the place. */
  writeVerdict(place: Place, isThere = true): number {
    const verdict = isThere ? this.judge.write(place.real) : this.judge.writeName(place.real);
    return this.specials.judge(place, verdict, isThere);
  }

  /** The verdict on making (`isThere` false), removing or replacing the name. */
  nameVerdict(place: Place, isThere: boolean): number {
    return this.specials.judgeName(place, this.judge.writeName(place.real), isThere);
  }

  /** The verdict on an O_TMPFILE in the folder. */
  unnamedVerdict(place: Place, flags: number): number {
    return this.specials.judgeUnnamed(place, flags, this.judge.write(place.real));
  }

  /** Hands the caller a descriptor, and closes ours. */
  giveFd(fd: number, isCloexec: boolean): void {
    this.call.giveFd(fd, isCloexec);
    if (this.call.outcome === "gone") this.kept.keepFd(this.call, fd, isCloexec);
    else close(fd);
  }

  /** Too long for the loop: an action worker goes on with it. */
  handOver(): void {
    this.outbox.post({ type: "block", notification: this.call.copy() });
    this.call.leave();
  }

  /** A look-up would have to wait: where this thread may, it is made again without care. */
  leaveForLater(): void {
    if (this.means.mayTakeLong) this.isTooSlow = true;
    else this.handOver();
  }

  /** A request in advance (SPEC §6): the main thread answers by the errno of this execve. */
  askInAdvance(query: string): void {
    const { tid, pid, exe } = this.caller();
    if (!this.call.isValid) return void this.isGone();
    this.outbox.post({ type: "advance", notification: this.call.copy(), query, tid, pid, exe });
    this.call.leave();
  }

  /** A path argument; false if the call was answered instead. */
  readPath(index: number, into: PathBytes): boolean {
    const result = readPath(this.call, index, into);
    if (result === 0) return true;
    this.refuseUnread(result);
    return false;
  }

  /** The caller's memory could not be read: with the kernel's own error, or because it may not be looked at. */
  refuseUnread(result: number): void {
    if (result !== UNREADABLE) return this.call.result(result);
    this.report({ decision: "deny", reason: "error", op: "unreadable caller" });
    this.call.fail(Errno.EACCES);
  }

  /** Decides a call whose targets are known, and carries it out where it is allowed. */
  perform(category: Category, targets: readonly Target[], deed: Deed): void {
    if (this.permit(category, targets, deed.wouldFail)) this.carryOut(deed);
  }

  /** No rule says anything of it: a person would be asked. */
  isUndecided(target: Target): boolean {
    return verdictOf(target.verdict) === "ask" && this.judge.rule(target.verdict) === undefined;
  }

  isAllowed(target: Target): boolean {
    return verdictOf(target.verdict) === "allow";
  }

  /** Refuses without asking, by an error that programs know another way around. */
  decline(target: Target, other: Target, errno: number, deed: Deed): void {
    const failure = this.failureOf(deed.wouldFail);
    if (failure < 0) return this.call.result(failure);
    this.record("deny", "policy", target, [target, other]);
    this.call.fail(errno);
  }

  /** Carries out what needs no verdict or has it. */
  carryOut(deed: Deed): void {
    const worn = this.disguise.wear(this.call.tid, deed.makes ?? false, deed.check);
    if (worn < 0) return this.call.result(worn);
    if (!this.call.isValid) return void (this.call.outcome = "gone");
    if (deed.redirects) this.shared.nextTurn();
    const result = deed.run();
    this.disguise.takeOff();
    if (result >= 0 && deed.removed) this.specials.removed(deed.removed.real);
    if (result >= 0 && deed.named) this.specials.made(deed.named.real);
    if (this.call.outcome !== undefined) return;
    this.call.result(result);
    if (this.outcomeIsGone()) this.kept.keep(this.call, result);
  }

  private outcomeIsGone(): boolean {
    return this.call.outcome === "gone";
  }

  /** True where the call may go on; else it is answered or waits for a person. */
  permit(category: Category, targets: readonly Target[], wouldFail?: () => number): boolean {
    const worst = targets.reduce((one, other) => (stricter(one.verdict, other.verdict) === one.verdict ? one : other));
    const kind = verdictOf(worst.verdict);
    if (kind === "allow") return this.noteAllowed(targets);
    if (!this.call.isValid) return this.isGone();
    const failure = this.failureOf(wouldFail);
    if (failure < 0) {
      this.call.result(failure);
      return false;
    }
    if (kind === "deny") return this.deny(worst, targets);
    return this.wasApproved(category, targets) || this.ask(category, targets);
  }

  private isGone(): false {
    this.call.outcome = "gone";
    return false;
  }

  private failureOf(wouldFail: (() => number) | undefined): number {
    if (!wouldFail) return 0;
    const worn = this.disguise.wear(this.call.tid, false);
    if (worn < 0) return worn;
    const failure = wouldFail();
    this.disguise.takeOff();
    return Math.min(failure, 0);
  }

  private noteAllowed(targets: readonly Target[]): true {
    for (const target of targets) {
      const tier = tierOfVerdict(target.verdict);
      if (tier === Tier.implicit && !this.setup.logsImplicit) continue;
      this.record("allow", tier === Tier.implicit ? "implicit" : "policy", target, targets);
    }
    return true;
  }

  private deny(worst: Target, targets: readonly Target[]): false {
    const tier = worst.verdict < 0 ? undefined : tierOfVerdict(worst.verdict);
    const reason = tier === undefined ? "error" : tier === Tier.builtin ? "builtin" : "policy";
    this.record("deny", reason, worst, targets);
    this.call.fail(Errno.EACCES);
    return false;
  }

  /** What a person allowed is this call, and no other. */
  private wasApproved(category: Category, targets: readonly Target[]): boolean {
    const approved = this.replay?.approved;
    if (!approved || approved.category !== category) return false;
    const asked = this.question(targets);
    const isSame =
      approved.operation === asked.operation && approved.target === asked.target && approved.to === asked.to;
    if (!isSame) return false;
    for (const target of targets) if (isRestricting(target.verdict)) this.fence.guard(target.place.real);
    this.report({
      ...(category === "connect" ? { dest: asked.target } : { path: asked.target }),
      decision: "allow",
      reason: "user",
      op: asked.operation,
      ...(asked.to === undefined ? {} : { to: asked.to }),
    });
    return true;
  }

  /** Which of the targets is asked about; both where neither is allowed. */
  private question(targets: readonly Target[]): Pick<PendingCall, "operation" | "target" | "to"> & { verdict: number } {
    const asked = targets.filter((target) => verdictOf(target.verdict) === "ask");
    const [main, also] = asked;
    const to = main === targets[0] && main!.operation !== "run" ? targets[1] : also;
    return {
      operation: main!.operation,
      target: textOf(main!),
      verdict: main!.verdict,
      ...(to === undefined ? {} : { to: textOf(to) }),
    };
  }

  /** Always false: the call waits, and the loop goes on. */
  private ask(category: Category, targets: readonly Target[]): false {
    const { verdict, ...question } = this.question(targets);
    const rule = this.judge.rule(verdict);
    if (this.setup.prompt === "deny") {
      const where = category === "connect" ? { dest: question.target } : { path: question.target };
      this.report({ ...where, decision: "deny", reason: "policy", op: question.operation });
      this.call.fail(Errno.EACCES);
      return false;
    }
    const spelling = category === "connect" ? {} : this.spelling(question.target);
    const service = category === "connect" && rule?.note !== undefined ? { service: rule.note } : {};
    this.askFor({ category, ...question, ...spelling, ...service }, verdict, rule);
    return false;
  }

  /** Posts a request about the call at hand. */
  askFor(
    question: Pick<PendingCall, "category" | "operation" | "target" | "to" | "spelled" | "service">,
    verdict: number,
    rule: PlacedRule | undefined,
    warnings: readonly Warning[] = [],
  ): void {
    const pending: PendingCall = {
      ...question,
      ...this.caller(),
      syscall: this.call.name,
      warnings: [...warnings, ...warningsFor(this.setup, this.absolute(question), tierOfVerdict(verdict))],
      ...(rule?.action === "ask" ? { askRule: rule.id } : {}),
    };
    if (!this.call.isValid) return void this.isGone();
    this.outbox.post({ type: "ask", notification: this.call.copy(), call: pending });
    this.call.leave();
  }

  /** With the caller's spelling from its own folder on. */
  private absolute<T extends { readonly spelled?: string }>(question: T): T {
    const { spelled } = question;
    if (spelled === undefined || spelled.startsWith("/")) return question;
    return { ...question, spelled: `${folderOf(this.call.tid)}/${spelled}` };
  }

  private spelling(target: string): { spelled?: string } {
    const spelled = this.path.text();
    return spelled === target || spelled === "" ? {} : { spelled };
  }

  caller(): { tid: number; pid: number; exe: string } {
    const { tid } = this.call;
    const { pid, exe } = this.tasks.identify(tid);
    return { tid, pid, exe };
  }

  private record(
    decision: "allow" | "deny",
    reason: Decision["reason"],
    target: Target,
    targets: readonly Target[],
  ): void {
    const rule = this.judge.rule(target.verdict);
    const other = targets.find((one) => one !== target);
    this.report({
      ...(target.dest === undefined ? { path: target.place.real.text() } : { dest: target.dest }),
      decision,
      reason,
      op: target.operation,
      ...(other === undefined ? {} : { to: textOf(other) }),
      ...(rule === undefined || reason === "implicit"
        ? {}
        : { rule: `${rule.action} ${rule.category} ${rule.target}` }),
    });
  }

  report(decision: Omit<Decision, "time" | "pid" | "exe" | "syscall">): void {
    const { pid, exe } = this.caller();
    const { path, dest, ...rest } = decision;
    const { request, client } = this.replay ?? {};
    this.shared.awaitLog();
    this.outbox.decided({
      pid,
      exe,
      syscall: this.call.name,
      ...(path === undefined ? {} : { path }),
      ...(dest === undefined ? {} : { dest }),
      ...rest,
      ...(client === undefined ? {} : { client }),
      ...(request === undefined ? {} : { request }),
    });
  }
}

function textOf(target: Target): string {
  return target.dest ?? target.place.real.text();
}
