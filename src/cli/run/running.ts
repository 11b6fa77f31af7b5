/** A session that runs: its parts tied together, from CMD's start to the last thing that is said about it. */
import { connectInProcess } from "../../control/in-process.ts";
import { openSessionFolder, sessionPids, socketPath } from "../../control/folder.ts";
import { PROTOCOL_VERSION, type SessionInfo } from "../../control/messages.ts";
import { inspectPeer } from "../../control/peer.ts";
import { peerCalls } from "../../control/peer-calls.ts";
import { type ControlServer, serveControl } from "../../control/server.ts";
import type { LogState } from "../../audit/log.ts";
import { HallpassError } from "../../errors.ts";
import { type Category, type PlacedRule, Tier } from "../../policy/index.ts";
import type { PolicyChannel } from "../../../policy-wasm/host.ts";
import { Signal } from "../../../ffi/signal.ts";
import type { PendingCall, ProcessClaim } from "../../session/request.ts";
import { Session, type SessionPorts } from "../../session/session.ts";
import { dropStreams, type Ended, LAUNCHER } from "../../supervisor/launch.ts";
import { claimsOf } from "../../supervisor/process-status.ts";
import { Supervisor } from "../../supervisor/supervisor.ts";
import type { RelayHooks, Run } from "../run.ts";
import { readAdvance } from "./advance.ts";
import { LiveJudge } from "./live-judge.ts";
import { mediatedBy } from "./mediated.ts";
import { processRows, stopProcess } from "./processes.ts";
import { RuleFiles } from "./rule-files.ts";
import type { RunLog } from "./run-log.ts";
import type { Setting } from "./setting.ts";
import { SignalRelay } from "./signals.ts";

type Caller = Pick<PendingCall, "tid" | "pid" | "exe">;
type RunAction = Parameters<SessionPorts["run"]>[0];

/** What is over before does not need its rule files watched. */
const WATCH_AFTER = 100;

/** How long a word to the user stays in the place of the bar. */
const NOTICE_FOR = 5000;

/** How long a session that shall stop may take before it is killed. */
const STOP_PATIENCE = 2000;

export class Running {
  readonly session: Session;
  private readonly judge: LiveJudge;
  private readonly startTables: Uint8Array;
  private readonly server: ControlServer;
  private readonly files: RuleFiles;
  private readonly ended = Promise.withResolvers<Ended>();
  private readonly gone = Promise.withResolvers<void>();
  /** The worker has seen the last process go, and has told all that it decided. */
  private readonly told = Promise.withResolvers<void>();
  /** Somebody said that what CMD left need not be supervised. */
  private readonly dismissed = Promise.withResolvers<void>();
  private wantsEnd = false;
  private isTerminalBack = false;
  private readonly lastWords: string[] = [];
  private mediate: ReadonlySet<Category> = new Set();
  private logProblem: string | undefined;
  private readonly failed = Promise.withResolvers<never>();
  private supervisor: Supervisor | undefined;

  constructor(
    private readonly run: Run,
    private readonly setting: Setting,
    private readonly channel: PolicyChannel,
    private readonly log: RunLog | undefined,
  ) {
    this.judge = new LiveJudge(setting.settleContext, setting.wider);
    if (setting.tables) this.judge.know(setting.rules, setting.tables);
    this.startTables = this.judge.tables(setting.rules);
    this.channel.publish(this.startTables);
    this.session = this.makeSession();
    this.files = this.openRuleFiles();
    this.server = this.serve();
    log?.listen((state) => this.hearLog(state));
    this.failed.promise.catch(() => undefined);
    this.listenToRelay(run.hooks);
  }

  /** A slow log makes decisions wait; a full one makes what would be logged fail. */
  private hearLog({ isBehind, full }: LogState): void {
    if (this.supervisor) this.supervisor.logIsBehind = isBehind;
    if (full === this.logProblem) return;
    this.logProblem = full;
    this.session.take({ type: "log-full", full: full !== undefined, ...(full === undefined ? {} : { problem: full }) });
    this.publish(this.session.state.rules);
    if (full !== undefined) this.show(full);
  }

  private publish(rules: readonly PlacedRule[]): void {
    const { options } = this.run;
    const logsImplicit = options.logAll || !options.implicit;
    const inForce = this.logProblem === undefined ? rules : withoutLogged(rules, logsImplicit);
    this.channel.publish(this.judge.tables(inForce));
  }

  private makeSession(): Session {
    const { options, prompt } = this.run;
    const config = {
      prompt: prompt.mode,
      save: options.save,
      ...(options.timeout === undefined ? {} : { timeout: options.timeout }),
    };
    return new Session(config, this.info(), this.setting.rules, {
      protocolVersion: PROTOCOL_VERSION,
      judge: this.judge,
      now: () => Date.now(),
      schedule: (milliseconds, callback) => {
        const timer = setTimeout(callback, milliseconds);
        timer.unref();
        return () => clearTimeout(timer);
      },
      replay: (id, approved, request, client) => this.supervisor?.replay(id, approved, request, client),
      refuse: (id, errno) => this.supervisor?.refuse(id, errno),
      publish: (rules) => this.publish(rules),
      file: (change) => this.files.change(change),
      log: (decision) => this.log?.log.append(decision),
      run: async (action) => this.perform(action),
    });
  }

  private info(): SessionInfo {
    const { options, prompt, argv } = this.run;
    return {
      pid: process.pid,
      command: argv,
      project: this.setting.project,
      started: Date.now(),
      mode: options.mode,
      prompt: prompt.mode,
      mediate: [...options.mediate],
    };
  }

  private openRuleFiles(): RuleFiles {
    const { home, cwd } = this.run.context;
    return new RuleFiles(
      `${home}/.config/hallpass`,
      this.setting.project,
      { home, cwd },
      {
        filed: (scope, rules) => this.session.take({ type: "filed", scope, rules }),
        broken: (problem) => this.tellUser(problem),
      },
    );
  }

  /** What the user must know reaches every client. */
  private tellUser(notice: string): void {
    this.session.take({ type: "info", info: { ...this.session.state.info, notice } });
    this.show(notice);
  }

  /** In the place of the bar for a moment, or on stderr where the program does not draw. */
  private show(line: string): void {
    const { relay } = this.run;
    if (!relay) return this.say(line);
    relay.notice({ lines: [line] });
    setTimeout(() => relay.notice(undefined), NOTICE_FOR).unref();
  }

  private listenToRelay(hooks: RelayHooks): void {
    hooks.onWeb = () =>
      this.show(`the web interface is not built yet; another terminal can answer: hallpass answer ${process.pid}`);
    hooks.onFullScreen = () =>
      this.show(`the full screen is not built yet; another terminal can answer: hallpass answer ${process.pid}`);
    hooks.onFailure = (error) => this.failed.reject(new HallpassError(`the terminal's relay failed: ${error.message}`));
  }

  private serve(): ControlServer {
    const { context } = this.run;
    const folder = openSessionFolder(context);
    const around = { uid: context.uid, launcher: LAUNCHER, sessions: () => [process.pid, ...sessionPids(folder)] };
    return serveControl(this.session, socketPath(folder, process.pid), (fd) => inspectPeer(fd, peerCalls, around));
  }

  /** Starts CMD; the exit code once everything is over. */
  async toTheEnd(): Promise<number> {
    const { relay, start } = this.run;
    try {
      await this.files.start();
      this.decideMediation();
      if (relay) relay.start();
      this.supervisor = await this.startSupervisor();
      dropStreams([0, 1, ...start.descriptors]);
      const signals = new SignalRelay((signal) => this.supervisor?.launched.signal(signal, true), start.ignored);
      if (relay) relay.attach(connectInProcess(this.session, "bar"));
      setTimeout(() => void this.files.watch(), WATCH_AFTER).unref();
      const ended = await Promise.race([this.ended.promise, this.failed.promise]);
      await this.leave(ended, signals);
      return ended.status;
    } catch (error) {
      // Nobody can decide any more: nothing may run on.
      this.supervisor?.launched.kill();
      throw error;
    } finally {
      await this.closeAll();
    }
  }

  /** What is stopped by the kernel cannot be changed later: all rules of the start are looked at. */
  private decideMediation(): void {
    const { info, rules } = this.session.state;
    this.mediate = mediatedBy(rules, this.run.options.mediate);
    // Better nothing than a rule that promises what no handler keeps.
    if (this.mediate.has("read"))
      throw new HallpassError("--secrets, and rules that ask about or deny reading, are not built yet");
    this.session.take({ type: "info", info: { ...info, mediate: [...this.mediate] } });
  }

  private startSupervisor(): Promise<Supervisor> {
    const { options, context, prompt, relay, start, program, argv } = this.run;
    return Supervisor.start({
      launch: {
        start,
        program: program.path,
        arguments: argv,
        environment: this.environment(),
        stdio: relay?.stdio ?? [0, 1, 2],
        descriptors: start.descriptors,
        ...(relay ? { pty: relay.pty.slave, rescue: relay.rescue } : {}),
        onStopped: (signal) => void this.stopped(signal),
        onEnded: (ended) => this.ended.resolve(ended),
        onGone: () => this.gone.resolve(),
        onLost: () =>
          this.failed.reject(new HallpassError("the launcher was killed: everything in the sandbox has been ended")),
      },
      channel: this.channel,
      project: this.setting.hasProject ? this.setting.project : "",
      tmpdir: this.setting.tmpdir,
      home: context.home,
      mediate: this.mediate,
      fence: options.fence,
      prompt: prompt.mode === "deny" ? "deny" : "ask",
      logsImplicit: options.logAll || !options.implicit,
      hasImplicit: options.implicit,
      allowsTerminal: options.implicit || options.allowTty,
      ptyNumber: relay?.pty.number ?? -1,
      events: {
        asked: (id, call, by) => this.session.take({ type: "asked", id, call, by }),
        advance: (id, query, caller) => this.advance(id, query, caller),
        gone: (id) => this.session.take({ type: "gone", id }),
        interrupted: (id) => this.session.take({ type: "interrupted", id }),
        decided: (decision) => this.session.take({ type: "decided", decision }),
        failed: (error) => this.failed.reject(new HallpassError(error.message)),
        ended: () => {
          this.told.resolve();
          this.gone.resolve();
        },
      },
    });
  }

  private advance(id: string, query: string, caller: Caller): void {
    const read = readAdvance(query, this.mediate, this.setting.settleContext());
    if (typeof read === "number") return this.supervisor?.refuse(id, read);
    const call: PendingCall = { ...read.call, ...caller, syscall: "execve", warnings: [] };
    this.session.take({ type: "advance", id, advance: read.advance, call, by: this.claims(caller.pid) });
  }

  private claims(pid: number): ProcessClaim[] {
    return this.supervisor ? claimsOf(pid, this.supervisor.launched.launcherPid) : [];
  }

  /** As it was given, save the session's own TMPDIR. */
  private environment(): string[] {
    const own = `TMPDIR=${this.setting.tmpdir}`;
    const { environment } = this.run.start;
    const at = environment.findIndex((one) => one.startsWith("TMPDIR="));
    return at < 0 ? [...environment, own] : environment.with(at, own);
  }

  private async stopped(signal: number): Promise<void> {
    const { relay } = this.run;
    if (relay) await relay.stopWithCommand(signal);
    else process.kill(0, signal);
    this.supervisor?.launched.continue();
  }

  /** What clients ask of the running program. */
  private perform(action: RunAction): { readonly error?: string; readonly result?: unknown } {
    const root = this.supervisor?.launched.launcherPid;
    if (root === undefined) return { error: "the session is only starting" };
    if (action.type === "processes") return { result: processRows(root, this.session.state.deeds) };
    if (action.type === "stop") return action.pid === undefined ? this.stopSession() : stopProcess(action.pid, root);
    if (!this.session.state.info.ended) return { error: "the program still runs; stop the session instead" };
    this.dismissed.resolve();
    return {};
  }

  private stopSession(): { readonly error?: string } {
    this.wantsEnd = true;
    this.supervisor?.launched.signal(Signal.SIGTERM, true);
    setTimeout(() => this.supervisor?.launched.kill(), STOP_PATIENCE).unref();
    return {};
  }

  /** CMD has ended: what it left is waited for, ended, or left alone without rights. */
  private async leave(ended: Ended, signals: SignalRelay): Promise<void> {
    const { options, argv } = this.run;
    if (ended.failure !== undefined) this.say(ended.failure);
    this.wantsEnd ||= signals.wantsEnd;
    if (ended.left > 0 && this.wantsEnd) this.supervisor?.launched.kill();
    else if (ended.left > 0 && options.wait) await this.waitForRest(ended);
    else if (ended.left > 0) this.say(leftLine(ended.left));
    if (ended.failure === undefined) await this.hearRest(ended.left);
    this.session.take({ type: "end", left: ended.left });
    this.session.close(`${argv[0]} has ended`);
    signals.stop();
  }

  /** The launcher's word can overtake the worker's: decisions come in batches, and the log has to have all of them. */
  private async hearRest(left: number): Promise<void> {
    await Promise.race([this.told.promise, Bun.sleep(left === 0 ? LATE_WORD : LATE_BATCH)]);
  }

  private async waitForRest({ status, left }: Ended): Promise<void> {
    this.session.take({ type: "info", info: { ...this.session.state.info, ended: { status, left } } });
    await Promise.race([this.gone.promise, this.dismissed.promise, this.failed.promise]);
  }

  /** On stderr; while the relay has the terminal, once it has given it back. */
  private say(line: string): void {
    if (this.run.relay && !this.isTerminalBack) this.lastWords.push(line);
    else process.stderr.write(`hallpass: ${line}\n`);
  }

  private async giveTerminalBack(): Promise<void> {
    await this.run.relay?.finish();
    this.isTerminalBack = true;
    for (const line of this.lastWords.splice(0)) this.say(line);
  }

  private async closeAll(): Promise<void> {
    this.server.close();
    if (this.supervisor) this.setting.keep(this.startTables);
    await this.files.stop();
    await this.giveTerminalBack();
    this.supervisor?.close();
    this.supervisor?.launched.release();
    const lost = await this.log?.log.close();
    if (lost) this.say(`${lost} decisions could not be written to the log ${this.log?.path}`);
  }
}

/** Milliseconds for the worker to see that the last process is gone, and for a batch of outbox.ts to come. */
const LATE_WORD = 1000;
const LATE_BATCH = 50;

/** The rules as they are while the log is full: an allowance whose use would be logged is none. */
function withoutLogged(rules: readonly PlacedRule[], logsImplicit: boolean): PlacedRule[] {
  return rules.map((rule) => {
    const isLogged = rule.action === "allow" && (rule.tier !== Tier.implicit || logsImplicit);
    return isLogged ? { ...rule, action: "deny", tier: Tier.deny } : rule;
  });
}

function leftLine(left: number): string {
  const runs = left === 1 ? "1 process still runs" : `${left} processes still run`;
  return `${runs}, and what would need an answer is refused to it from now on; --wait=all keeps supervising`;
}
