/** The relay's thread: output to the terminal, keys to the program or the bar, word from and to the main thread. */
import { tcgets, TERMIOS_BYTES } from "../../ffi/terminal.ts";
import { drawRows, themeFor } from "./bar/draw.ts";
import { layOut } from "./bar/layout.ts";
import { EMPTY, GUARD_MS, press, shownRequest, unanswered, withRequests, type BarState } from "./bar/state.ts";
import { InputReader, type Token } from "./input/reader.ts";
import type { FromRelay, RelayInit, ToRelay } from "./messages.ts";
import type { Handler, Pump } from "./pump.ts";
import type { Line } from "./screen/line.ts";
import { Stage } from "./stage.ts";
import { readWindowSize, setWindowSize } from "./terminal.ts";
import { resetFor, type Testament } from "./testament.ts";
import type { Request } from "../session/request.ts";

/** How long an ESC may wait for the rest of its sequence: long where an Esc would answer, short where it is a key of the program's. */
const ESCAPE_MS = 50;
const BAR_ESCAPE_MS = 400;
/** An Esc that answered may still prove to have been the head of something. */
const LATE_TAIL_MS = 1_000;
/** Two Ctrl-] within this are one for the program. */
const TWICE_MS = 300;

const ISIG = 1;

export class Conductor implements Handler {
  readonly #pump: Pump;
  readonly #init: RelayInit;
  readonly #post: (message: FromRelay) => void;
  readonly #receive: () => ToRelay | undefined;
  readonly #testament: Testament;
  readonly #stage: Stage;
  readonly #reader = new InputReader();
  readonly #theme = themeFor(process.env);
  #bar: BarState = EMPTY;
  #all: readonly Request[] = [];
  /** Bytes of the unfinished token that the program has already. */
  #passed = 0;
  #pasteGoesOn = false;
  #inputAt = 0;
  #escapedAt = -Infinity;
  #bracketAt = -Infinity;
  #wakeAt = Infinity;
  #modesSeen = -1;
  #isRunning = true;

  constructor(
    pump: Pump,
    init: RelayInit,
    testament: Testament,
    post: (message: FromRelay) => void,
    receive: () => ToRelay | undefined,
  ) {
    this.#pump = pump;
    this.#init = init;
    this.#testament = testament;
    this.#post = post;
    this.#receive = receive;
    pump.isSuspended = true;
    const size = readWindowSize(init.terminal);
    this.#stage = new Stage(pump.toTerminal, init.kind, size[1]!, size[0]!, (columns, rows) =>
      this.#drawBar(columns, rows),
    );
  }

  /** Keys are for the bar: a question is on the screen, and not only a notice. */
  get #isAsking(): boolean {
    return this.#stage.isUp && this.#init.hasBar && shownRequest(this.#bar) !== undefined;
  }

  #drawBar(columns: number, rows: number): readonly Line[] {
    const most = Math.max(1, Math.min(rows - 1, Math.max(Math.floor((rows * 2) / 3), 10)));
    const now = performance.now();
    return drawRows(layOut(this.#bar, { columns, rows: most, now, date: Date.now() }), columns, this.#theme);
  }

  output(bytes: Uint8Array): void {
    this.#stage.output(bytes, performance.now());
  }

  input(bytes: Uint8Array): void {
    const now = performance.now();
    this.#inputAt = now;
    if (now - this.#escapedAt < LATE_TAIL_MS && /^[[O\]P_]/.test(String.fromCharCode(bytes[0]!))) {
      this.#reader.reopenEscape();
      this.#passed = this.#isAsking ? 0 : 1;
    }
    this.#escapedAt = -Infinity;
    const tokens = this.#reader.feed(bytes);
    // More than one key at once is no hand on a keyboard: a paste, or a wheel that types arrows.
    const isPaste = tokens.filter((token) => token.kind === "key" && token.key !== "").length > 1;
    for (const token of tokens) this.#take(token, isPaste, now);
    if (!this.#isAsking && this.#reader.isLoneEscape) this.#passPending();
  }

  /** The program gets what there is of a token that may have no end. */
  #passPending(): void {
    const { pending } = this.#reader;
    this.#pump.toProgram.send(pending.subarray(this.#passed));
    this.#passed = pending.length;
  }

  #take(token: Token, isPaste: boolean, now: number): void {
    const passed = this.#passed;
    this.#passed = 0;
    const rest = passed === 0 ? token.bytes : token.bytes.subarray(passed);
    if (token.position !== undefined && this.#stage.position(token.position.x, token.position.y, now)) return;
    if (token.kind === "key" && token.key === "ctrl-]") this.#bracket(token, now);
    else if (token.kind === "paste") this.#paste(rest);
    else if (!this.#isAsking || passed > 0 || token.kind === "reply" || token.kind === "focus") {
      this.#pump.toProgram.send(rest);
    } else if (token.kind === "key") this.#press(token, isPaste, now);
  }

  /** A paste goes where its beginning went. */
  #paste(bytes: Uint8Array): void {
    const isBeginning = bytes[0] === 0x1b;
    if (isBeginning || !this.#pasteGoesOn) this.#pasteGoesOn = !this.#isAsking || (this.#pasteGoesOn && !isBeginning);
    if (this.#pasteGoesOn) this.#pump.toProgram.send(bytes);
    if (!this.#reader.isInPaste) this.#pasteGoesOn = false;
  }

  #press(token: Token, isPaste: boolean, now: number): void {
    if (this.#isSignal(token.key)) this.#pump.toProgram.send(token.bytes);
    if (isPaste) return;
    const { state, effect } = press(this.#bar, token.key, now);
    this.#show(state, now);
    if (effect?.type === "answer") this.#post({ type: "answer", answer: effect.answer });
    else if (effect?.type === "web") this.#post({ type: "web", request: effect.request });
  }

  /** Keys that interrupt the program go to it whatever the bar makes of them. */
  #isSignal(key: string): boolean {
    if (key === "ctrl-c") return true;
    if (key !== "ctrl-z" && key !== "ctrl-\\") return false;
    const termios = new Uint8Array(TERMIOS_BYTES);
    return tcgets(this.#init.master, termios) >= 0 && (termios[12]! & ISIG) !== 0;
  }

  #bracket(token: Token, now: number): void {
    if (now - this.#bracketAt < TWICE_MS) {
      this.#bracketAt = -Infinity;
      this.#pump.toProgram.send(token.bytes);
    } else this.#bracketAt = now;
  }

  #show(state: BarState, now: number): void {
    if (state === this.#bar) return;
    this.#bar = state;
    const isAsked = this.#init.hasBar && shownRequest(state) !== undefined;
    const isWanted = (isAsked || state.notice !== undefined) && !this.#pump.isSuspended;
    if (isWanted || this.#stage.isUp) this.#stage.want(isWanted, now);
    // The keys light up when the guard is over.
    this.#wakeAt = isWanted ? state.since + GUARD_MS : Infinity;
  }

  wake(): boolean {
    for (let message = this.#receive(); message !== undefined; message = this.#receive()) this.#hear(message);
    return this.#isRunning;
  }

  #hear(message: ToRelay): void {
    const now = performance.now();
    if (message.type === "requests") {
      this.#all = message.requests;
      this.#show(withRequests(this.#bar, message.requests, now), now);
    } else if (message.type === "unanswered") this.#show(unanswered(this.#bar, message.request, this.#all, now), now);
    else if (message.type === "notice") this.#show({ ...this.#bar, notice: message.notice }, now);
    else if (message.type === "resized") this.#resize(now);
    else if (message.type === "suspend") this.#suspend(now);
    else if (message.type === "resume") this.#resume(now);
    else this.#finish();
  }

  #resize(now: number): void {
    const size = readWindowSize(this.#init.terminal);
    setWindowSize(this.#init.master, size);
    this.#stage.resize(size[1]!, size[0]!, now);
  }

  #suspend(now: number): void {
    // A full-screen program has given the screen back before it stopped: that goes first.
    this.#pump.drain(this);
    this.#pump.isSuspended = true;
    this.#stage.want(false, now);
    this.#pump.emptyToTerminal();
    this.#post({ type: "suspended" });
  }

  #resume(now: number): void {
    this.#pump.isSuspended = false;
    this.#resize(now);
    this.#show({ ...this.#bar, since: now }, now);
  }

  #finish(): void {
    this.#isRunning = false;
    this.#pump.drain(this);
    this.#stage.end(performance.now());
    this.#pump.emptyToTerminal();
    this.#testament.update("");
    this.#post({ type: "finished" });
  }

  hangup(): void {
    this.#post({ type: "hangup" });
  }

  tick(now: number): number {
    this.#expire(now);
    if (now >= this.#wakeAt) {
      this.#wakeAt = Infinity;
      if (this.#stage.isUp) this.#stage.want(true, now);
    }
    const wait = this.#stage.tick(now);
    this.#pump.isHeld = this.#stage.isFull;
    this.#keepTestament();
    const due = Math.min(
      this.#wakeAt,
      this.#bracketAt < 0 ? Infinity : this.#bracketAt + TWICE_MS,
      this.#pendingUntil(),
    );
    const own = due === Infinity ? -1 : Math.max(0, due - now);
    return wait < 0 ? own : own < 0 ? wait : Math.min(wait, own);
  }

  #pendingUntil(): number {
    if (!this.#reader.isPending || this.#reader.isInPaste) return Infinity;
    return this.#inputAt + (this.#isAsking && this.#passed === 0 ? BAR_ESCAPE_MS : ESCAPE_MS);
  }

  /** An Esc without a tail, a sequence without an end, a single Ctrl-]. */
  #expire(now: number): void {
    if (now >= this.#pendingUntil()) {
      const token = this.#reader.giveUp();
      if (token !== undefined) {
        if (token.key === "escape" && this.#passed === 0) this.#escapedAt = now;
        this.#take(token, false, now);
      }
    }
    if (this.#bracketAt > 0 && now >= this.#bracketAt + TWICE_MS) {
      this.#bracketAt = -Infinity;
      this.#post({ type: "full-screen" });
    }
  }

  #keepTestament(): void {
    const { screen, overlay } = this.#stage;
    const seen = screen.modes.generation * 4 + (screen.isAlternate ? 2 : 0) + (overlay.isOpen ? 1 : 0);
    if (seen === this.#modesSeen) return;
    this.#modesSeen = seen;
    this.#testament.update((overlay.isElsewhere ? "\x1b[?1007r\x1b[?2004l\x1b[?1049l" : "") + resetFor(screen));
  }
}
