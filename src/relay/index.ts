/**
 * The relay as the main thread has it: hallpass's terminal, the pseudo-terminal that CMD gets in its place, the thread
 * that moves the bytes, and the bar as one more client of the session.
 *
 *   const relay = Relay.open({ hasBar: true });          // undefined: no terminal, CMD gets ours as they are
 *   relay.start();                                       // raw from here on
 *   launch({ pty: relay.pty.slave, stdio: relay.stdio, rescue: relay.rescue, onStopped: () => relay.suspend(…), … });
 *   relay.attach(connection);                            // requests come up as the bar
 *   await relay.finish();                                // after CMD's end: its last output, then the terminal as it was
 */
import { Worker } from "node:worker_threads";
import { close, eventfd, memfd, wakeEventfd } from "../../ffi/fd.ts";
import { kill, Signal } from "../../ffi/signal.ts";
import type { SessionConnection, SessionEvent } from "../control/messages.ts";
import { workerProgram } from "../tree.ts";
import type { Request } from "../session/request.ts";
import type { FromRelay, Notice, RelayInit, ToRelay } from "./messages.ts";
import { Pty } from "./pty.ts";
import { readWindowSize, RealTerminal } from "./terminal.ts";
import { terminalKind } from "./terminal-kind.ts";
import { Testament } from "./testament.ts";

export interface RelayOptions {
  /** `--prompt=terminal`; without it bytes go through and nothing is ever drawn. */
  readonly hasBar: boolean;
  /** Ctrl-]. */
  readonly onFullScreen?: () => void;
  /** `[w]`: the web interface for this request; what it has to say comes back by `notice`. */
  readonly onWeb?: (request: number) => void;
  /** The terminal was closed. CMD's is gone then too: it has had its SIGHUP. */
  readonly onHangup?: () => void;
  /** The relay's thread has failed; the terminal has been given back. */
  readonly onFailure?: (error: Error) => void;
}

/** How long the thread may take to pass on what is left. */
const FINISH_MS = 10_000;

export class Relay {
  readonly pty: Pty;
  /** For CMD's 0, 1 and 2: the pty where ours is the terminal, else ours. */
  readonly stdio: readonly [number, number, number];
  readonly #terminal: RealTerminal;
  readonly #options: RelayOptions;
  readonly #wake = eventfd();
  readonly #testament: number;
  readonly #worker: Worker;
  #port: MessagePort | undefined;
  #requests = new Map<number, Request>();
  #connection: SessionConnection | undefined;
  #answers = new Map<number, number>();
  #nextRef = 1;
  #suspended: (() => void) | undefined;
  #finished: (() => void) | undefined;
  #isOver = false;
  readonly #onResize = (): void => this.#post({ type: "resized" });
  readonly #onExit = (): void => this.restoreNow();

  private constructor(terminal: RealTerminal, options: RelayOptions) {
    this.#terminal = terminal;
    this.#options = options;
    this.pty = Pty.open(terminal.saved, readWindowSize(terminal.fd));
    this.#testament = memfd("hallpass-terminal");
    const fd = (own: 0 | 1 | 2): number => (terminal.is(own) ? this.pty.slave : own);
    this.stdio = [fd(0), fd(1), fd(2)];
    this.#worker = this.#startThread();
  }

  /** Undefined where there is no terminal (SPEC §1). Nothing about the terminal changes before `start`. */
  static open(options: RelayOptions): Relay | undefined {
    const terminal = RealTerminal.open();
    return terminal === undefined ? undefined : new Relay(terminal, options);
  }

  /** For the launcher, should hallpass be lost. */
  get rescue(): { readonly fd: number; readonly termios: Uint8Array; readonly testament: number } {
    return { fd: this.#terminal.fd, termios: this.#terminal.saved, testament: this.#testament };
  }

  /** Makes the terminal raw and starts the thread, which nobody needs to wait for: what comes meanwhile is kept by the kernel. */
  start(): void {
    this.#terminal.makeRaw();
    process.on("exit", this.#onExit);
    process.on("SIGWINCH", this.#onResize);
    this.#post({ type: "resume" });
  }

  /** The thread comes up while the main thread makes the session; until `start` it touches nothing. */
  #startThread(): Worker {
    const { port1, port2 } = new MessageChannel();
    const init: RelayInit = {
      terminal: this.#terminal.fd,
      master: this.pty.master,
      wake: this.#wake,
      testament: this.#testament,
      termios: this.#terminal.saved,
      kind: terminalKind(process.env),
      hasBar: this.#options.hasBar,
    };
    this.#port = port1;
    const worker = new Worker(workerProgram("relay/worker"), {
      workerData: { init, port: port2 },
      transferList: [port2],
    });
    worker.on("message", (message: FromRelay) => this.#hear(message));
    worker.on("error", (error) => this.#fail(error instanceof Error ? error : new Error(String(error))));
    return worker;
  }

  #fail(error: Error): void {
    this.#isOver = true;
    this.restoreNow();
    this.#finished?.();
    this.#suspended?.();
    this.#options.onFailure?.(error);
  }

  #post(message: ToRelay): void {
    if (this.#isOver || this.#port === undefined) return;
    this.#port.postMessage(message);
    wakeEventfd(this.#wake);
  }

  #hear(message: FromRelay): void {
    if (message.type === "answer") this.#answer(message.answer);
    else if (message.type === "web") this.#options.onWeb?.(message.request);
    else if (message.type === "full-screen") this.#options.onFullScreen?.();
    else if (message.type === "hangup") this.#hangup();
    else if (message.type === "suspended") this.#suspended?.();
    else this.#finished?.();
  }

  /** The bar becomes a client of the session. */
  attach(connection: SessionConnection): void {
    this.#connection = connection;
    connection.subscribe((event) => this.#take(event));
  }

  #take(event: SessionEvent): void {
    if (event.type === "welcome") {
      this.#requests = new Map(event.requests.map((request) => [request.id, request]));
    } else if (event.type === "request" || event.type === "changed") {
      this.#requests.set(event.request.id, event.request);
    } else if (event.type === "resolved") this.#requests.delete(event.request);
    else if (event.type === "reply") return this.#replied(event.ref, event.error);
    else return;
    this.#post({ type: "requests", requests: [...this.#requests.values()] });
  }

  #answer(answer: Extract<FromRelay, { type: "answer" }>["answer"]): void {
    const ref = this.#nextRef++;
    this.#answers.set(ref, answer.request);
    this.#connection?.send({ type: "answer", answer, ref });
  }

  #replied(ref: number, error: string | undefined): void {
    const request = this.#answers.get(ref);
    this.#answers.delete(ref);
    if (error === undefined || request === undefined || !this.#requests.has(request)) return;
    this.#post({ type: "unanswered", request });
  }

  /** Takes the bar's place until it is taken away with undefined. */
  notice(notice: Notice | undefined): void {
    this.#post({ type: "notice", notice });
  }

  #hangup(): void {
    // As closing a window does: whoever is left on the pty hears SIGHUP and reads an end.
    this.pty.close();
    this.#options.onHangup?.();
  }

  /** Gives the terminal back as it was found, the bar gone and its place as the program left it. */
  async suspend(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#suspended = resolve;
    this.#post({ type: "suspend" });
    await promise;
    this.#suspended = undefined;
    this.#terminal.restore();
  }

  resume(): void {
    this.#terminal.makeRaw();
    this.#post({ type: "resume" });
  }

  /** CMD has stopped: hallpass does as any stopped job, and takes the terminal again when it is continued. */
  async stopWithCommand(signal: number = Signal.SIGTSTP): Promise<void> {
    await this.suspend();
    kill(0, signal === Signal.SIGSTOP ? Signal.SIGTSTP : signal);
    this.resume();
  }

  /** After CMD's end: passes on what it wrote to the last byte, then gives the terminal back. */
  async finish(): Promise<void> {
    if (!this.#isOver) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#finished = resolve;
      this.#post({ type: "finish" });
      const timer = setTimeout(resolve, FINISH_MS);
      await promise;
      clearTimeout(timer);
    }
    this.#isOver = true;
    this.restoreNow();
    process.off("exit", this.#onExit);
    process.off("SIGWINCH", this.#onResize);
    this.#port?.close();
    this.#connection?.close();
    this.#worker.unref();
  }

  /** For an exit that cannot wait: what the testament says, and the modes as they were. Does nothing a second time. */
  restoreNow(): void {
    if (!this.#terminal.isRaw) return;
    this.#terminal.write(Testament.read(this.#testament));
    this.#terminal.restore();
  }

  /** The descriptors; only after `finish`. */
  close(): void {
    this.pty.close();
    close(this.#wake);
    close(this.#testament);
    this.#terminal.close();
  }
}
