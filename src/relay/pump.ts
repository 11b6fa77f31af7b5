/** The relay's loop: one thread waits for the terminal, the program's pty and the main thread, and moves what comes. */
import { POLLERR, POLLHUP, POLLIN, POLLOUT } from "../../ffi/constants.ts";
import { Errno } from "../../ffi/errno.ts";
import { poll, read } from "../../ffi/fd.ts";
import { Outgoing } from "./outgoing.ts";

/** What happens to the bytes. A view is valid until the handler returns. */
export interface Handler {
  output(bytes: Uint8Array): void;
  input(bytes: Uint8Array): void;
  /** Something from the main thread; false ends the loop. */
  wake(): boolean;
  /** The terminal was closed. */
  hangup(): void;
  /** Called after each round; milliseconds until it wants to be called again, or -1. */
  tick(now: number): number;
}

/** The most that is taken from the program before the terminal is written, and the pty gives 4 KiB a read. */
const OUTPUT_BYTES = 64 * 1024;
const INPUT_BYTES = 16 * 1024;
/** A terminal or program that takes nothing stops its other side at this. */
const MAX_WAITING = 256 * 1024;

const DRAIN_MS = 2_000;

const TERMINAL = 0;
const MASTER = 1;
const WAKE = 2;

export class Pump {
  readonly toTerminal: Outgoing;
  readonly toProgram: Outgoing;
  readonly #wake: number;
  readonly #output = new Uint8Array(OUTPUT_BYTES);
  readonly #input = new Uint8Array(INPUT_BYTES);
  /** struct pollfd: fd, then events and revents in one word. */
  readonly #pollfds = new Int32Array(6);
  readonly #pollBytes = new Uint8Array(this.#pollfds.buffer);
  readonly #wakeCount = new Uint8Array(8);
  /** The terminal is not ours to read or write for now. */
  isSuspended = false;
  /** The handler can take no more output for now. */
  isHeld = false;

  constructor(terminal: number, master: number, wake: number) {
    this.toTerminal = new Outgoing(terminal);
    this.toProgram = new Outgoing(master);
    this.#wake = wake;
  }

  run(handler: Handler): void {
    for (;;) {
      const wait = handler.tick(performance.now());
      this.#arm();
      const ready = poll(this.#pollBytes, 3, wait < 0 ? -1 : Math.ceil(wait));
      if (ready < 0 && ready !== -Errno.EINTR) throw new Error(`poll: errno ${-ready}`);
      if (ready > 0 && !this.#serve(handler)) return;
    }
  }

  #arm(): void {
    const isTerminalOurs = !this.isSuspended && !this.toTerminal.isGone;
    const readsTerminal = this.toProgram.waitingBytes < MAX_WAITING;
    // Suspended, hallpass is in the background: what it wrote now would come in between the shell's own.
    const readsMaster =
      !this.isHeld && !this.isSuspended && this.toTerminal.waitingBytes < MAX_WAITING && !this.toProgram.isGone;
    const writesMaster = this.toProgram.waitingBytes > 0 && !this.toProgram.isGone;
    this.#set(
      TERMINAL,
      isTerminalOurs ? this.toTerminal.fd : -1,
      (readsTerminal ? POLLIN : 0) | (this.toTerminal.waitingBytes > 0 ? POLLOUT : 0),
    );
    this.#set(
      MASTER,
      readsMaster || writesMaster ? this.toProgram.fd : -1,
      (readsMaster ? POLLIN : 0) | (writesMaster ? POLLOUT : 0),
    );
    this.#set(WAKE, this.#wake, POLLIN);
  }

  #set(index: number, fd: number, events: number): void {
    this.#pollfds[index * 2] = fd;
    this.#pollfds[index * 2 + 1] = events;
  }

  #returned(index: number): number {
    return this.#pollfds[index * 2 + 1]! >>> 16;
  }

  #serve(handler: Handler): boolean {
    const terminal = this.#returned(TERMINAL);
    const master = this.#returned(MASTER);
    if (this.#returned(WAKE) !== 0) {
      read(this.#wake, this.#wakeCount);
      if (!handler.wake()) return false;
    }
    if ((terminal & POLLOUT) !== 0) this.toTerminal.flush();
    if ((master & POLLOUT) !== 0) this.toProgram.flush();
    // Keys first: a Ctrl-C must not wait for what a flood leaves behind.
    if ((terminal & (POLLIN | POLLHUP | POLLERR)) !== 0) this.#readTerminal(handler);
    if ((master & (POLLIN | POLLHUP | POLLERR)) !== 0) this.#readMaster(handler);
    return true;
  }

  #readTerminal(handler: Handler): void {
    const length = read(this.toTerminal.fd, this.#input);
    if (length > 0) handler.input(this.#input.subarray(0, length));
    else if (length !== -Errno.EAGAIN) {
      this.toTerminal.isGone = true;
      this.toTerminal.drop();
      // The main thread closes the pty: its number may soon be another file's.
      this.toProgram.isGone = true;
      this.toProgram.drop();
      handler.hangup();
    }
  }

  #readMaster(handler: Handler): void {
    const length = this.#fill();
    if (length > 0) handler.output(this.#output.subarray(0, length));
    else if (length !== -Errno.EAGAIN) this.toProgram.isGone = true;
  }

  /** Reads until the pty is empty or the buffer full. */
  #fill(): number {
    let at = 0;
    while (at < OUTPUT_BYTES) {
      const length = read(this.toProgram.fd, this.#output, at);
      if (length <= 0) return at === 0 ? length : at;
      at += length;
    }
    return at;
  }

  /** What the program wrote until now: the kernel gives EAGAIN only when nothing is on the way. */
  drain(handler: Handler): void {
    const end = performance.now() + DRAIN_MS;
    // Somebody who was left behind may write for ever.
    while (performance.now() < end && !this.toProgram.isGone) {
      const length = this.#fill();
      if (length <= 0) return;
      handler.output(this.#output.subarray(0, length));
      this.emptyToTerminal();
    }
  }

  /** Waits until the terminal has taken all, or gives up on one that takes nothing for five seconds. */
  emptyToTerminal(): void {
    while (this.toTerminal.waitingBytes > 0) {
      this.#set(TERMINAL, this.toTerminal.fd, POLLOUT);
      if (poll(this.#pollBytes, 1, 5_000) <= 0) this.toTerminal.drop();
      else this.toTerminal.flush();
    }
  }
}
