/**
 * The terminal as the program's output and the bar share it. While the bar is down output goes straight through; while
 * it is up output is held, the model shows what it does above the bar, and the terminal gets the held bytes, between
 * taking the bar away and putting it back, whenever it has to answer or ring or when they become many.
 */
import { Held } from "./held.ts";
import { Overlay } from "./overlay.ts";
import type { Line } from "./screen/line.ts";
import { Screen } from "./screen/screen.ts";
import { Splitter } from "./splitter.ts";
import type { TerminalKind } from "./terminal-kind.ts";

/** Rows to draw for a screen of this size; none for no bar. */
export type DrawBar = (columns: number, rows: number) => readonly Line[];

/** How long a terminal has for saying where its cursor is; those that never say it cost this once a session. */
const POSITION_MS = 150;
/** A question that is older has no answer. */
const ANSWER_MS = 2_000;
const MAX_ASKERS = 64;
/** How long a program may leave a string open that the bar waits for. */
const STRING_MS = 300;
const FRAME_MS = 16;
const QUIET_MS = 250;
/** Bells and notifications ring at once, but a flood of them does not make the bar flicker. */
const EVENT_MS = 500;
/** As much output as is held before the terminal must have it. */
const MAX_HELD = 4 * 1024 * 1024;
/** The bar is seen at least this long between two floods. */
const SEEN_MS = 120;
/** Not more is drawn than the terminal takes. */
const MAX_BEHIND = 64 * 1024;

const NEVER = Infinity;

/** Where the terminal's bytes go. */
export interface Sink {
  /** `bytes` may be reused by the caller afterwards. */
  send(bytes: Uint8Array): void;
  /** Not yet taken by the terminal. */
  readonly waitingBytes: number;
}

export class Stage {
  readonly screen: Screen;
  readonly overlay: Overlay;
  readonly #out: Sink;
  readonly #draw: DrawBar;
  readonly #splitter: Splitter;
  readonly #held = new Held();
  /** The bar shall be up. */
  #wanted = false;
  /** When the terminal was asked for its cursor, and the model's row then. */
  #asked: { readonly at: number; readonly x: number; readonly y: number } | undefined;
  /** Who asked the terminal for its cursor and has no answer yet: they come in this order. */
  #askers: { readonly isOwn: boolean; readonly at: number }[] = [];
  /** Questions of the program that are among the held bytes. */
  #heldQuestions = 0;
  #questionsSeen = 0;
  #waitsForString = NEVER;
  #paintAt = NEVER;
  #flushAt = NEVER;
  /** When output has been quiet for long enough to let the terminal have it: should its size change, it has all. */
  #settleAt = NEVER;
  #raisedAt = 0;

  constructor(out: Sink, kind: TerminalKind, columns: number, rows: number, draw: DrawBar) {
    this.#out = out;
    this.#draw = draw;
    this.screen = new Screen(columns, rows);
    this.overlay = new Overlay(this.screen, kind);
    this.#splitter = new Splitter(this.screen, (bytes) => this.#pass(bytes));
  }

  get isUp(): boolean {
    return this.overlay.isOpen;
  }

  /** A reply of the terminal may be for the stage. */
  get isAsking(): boolean {
    return this.#askers.some((asker) => asker.isOwn);
  }

  /** No more output can be taken for now. */
  get isFull(): boolean {
    return this.#held.bytes > MAX_HELD;
  }

  output(bytes: Uint8Array, now: number): void {
    this.#splitter.take(bytes);
    this.#countQuestions(now);
    if (this.#asked === undefined && !this.isUp) {
      if (this.#wanted) this.#raise(now);
      return;
    }
    this.#paintAt = Math.min(this.#paintAt, now + FRAME_MS);
    if (this.screen.hasQuestion || this.isFull) this.#flushAt = Math.min(this.#flushAt, this.#dueFor(now));
    else this.#settleAt = now + QUIET_MS;
    if (this.screen.hasEvent) this.#flushAt = Math.min(this.#flushAt, Math.max(now, this.#raisedAt + EVENT_MS));
  }

  #countQuestions(now: number): void {
    const { positionQuestions } = this.screen;
    if (positionQuestions === this.#questionsSeen) return;
    this.#heldQuestions += positionQuestions - this.#questionsSeen;
    this.#questionsSeen = positionQuestions;
    if (this.#asked === undefined && !this.isUp) this.#questionsSent(now);
  }

  #questionsSent(now: number): void {
    for (; this.#heldQuestions > 0; this.#heldQuestions--) this.#askers.push({ isOwn: false, at: now });
    // A terminal that does not answer must not have its next answer given to the wrong one.
    this.#askers = this.#askers.filter((asker) => asker.at > now - ANSWER_MS).slice(-MAX_ASKERS);
  }

  #dueFor(now: number): number {
    return this.screen.hasQuestion && !this.isFull ? now : Math.max(now, this.#raisedAt + SEEN_MS);
  }

  #pass(bytes: Uint8Array): void {
    if (this.isUp || this.#asked !== undefined) this.#held.add(bytes);
    else this.#out.send(bytes);
  }

  #send(text: string): void {
    if (text !== "") this.#out.send(Buffer.from(text));
  }

  /** The bar has something to show (again); `false` takes it away. */
  want(isWanted: boolean, now: number): void {
    this.#wanted = isWanted;
    if (!isWanted) this.#lower(now);
    else if (this.isUp) this.#paintAt = now;
    else if (this.#asked === undefined) this.#raise(now);
  }

  #raise(now: number): void {
    if (this.#splitter.isCut) {
      this.#waitsForString = Math.min(this.#waitsForString, now + STRING_MS);
      return;
    }
    this.#waitsForString = NEVER;
    if (!this.screen.grid.isPlaced && !this.isAsking) {
      const { x, y } = this.screen.grid;
      this.#asked = { at: now, x: Math.min(x, this.screen.columns - 1), y };
      this.#askers.push({ isOwn: true, at: now });
      this.#send(this.overlay.ask());
      return;
    }
    this.#open(now);
  }

  #open(now: number): void {
    this.#asked = undefined;
    this.#sendHeld(now);
    if (this.#splitter.isCut) return this.#raise(now);
    this.#send(this.overlay.open());
    this.#raisedAt = now;
    this.#paint();
  }

  #sendHeld(now: number): void {
    for (const bytes of this.#held.take()) this.#out.send(bytes);
    this.#questionsSent(now);
    this.screen.hasQuestion = false;
    this.screen.hasEvent = false;
    this.#flushAt = NEVER;
    this.#settleAt = NEVER;
  }

  #lower(now: number): void {
    this.#asked = undefined;
    this.#waitsForString = NEVER;
    this.#paintAt = NEVER;
    this.#send(this.overlay.close());
    this.#sendHeld(now);
  }

  /** A cursor position from the terminal: true where it answers our own question and is not for the program. */
  position(x: number, y: number, now: number): boolean {
    this.#askers = this.#askers.filter((asker) => asker.at > now - ANSWER_MS);
    if (this.#askers.shift()?.isOwn !== true) return false;
    const asked = this.#asked;
    if (asked === undefined) return true;
    if (!this.screen.grid.isPlaced) this.screen.place(y - asked.y, x - asked.x);
    this.#open(now);
    return true;
  }

  #paint(): void {
    this.#paintAt = NEVER;
    if (!this.isUp) return;
    const { columns, rows, grid } = this.screen;
    const bar = this.#draw(columns, rows);
    const view = rows - bar.length;
    // On the main screen the last rows are where things happen: they move up to be seen.
    const shift = this.screen.isAlternate ? 0 : Math.max(0, Math.min(grid.y - view + 1, bar.length));
    const frame = [...grid.lines.slice(shift, shift + view), ...bar];
    const x = Math.min(grid.x, columns - 1);
    this.#send(this.overlay.paint(frame, x, Math.min(grid.y - shift, Math.max(view - 1, 0))));
  }

  resize(columns: number, rows: number, now: number): void {
    this.screen.resize(columns, rows);
    if (this.isUp) {
      this.#send(this.overlay.resize());
      this.#paintAt = now;
    }
    this.screen.main.isPlaced = false;
  }

  /** Does what has become due; milliseconds until the next, or -1. */
  tick(now: number): number {
    if (now >= this.#waitsForString) {
      this.#send(this.#splitter.breakOff());
      this.#raise(now);
    }
    if (this.#asked !== undefined && now >= this.#asked.at + POSITION_MS) this.#open(now);
    if (this.#out.waitingBytes > MAX_BEHIND) {
      // What the terminal has not shown yet has not been seen.
      this.#raisedAt = now;
      return this.#flushAt === NEVER && this.#paintAt === NEVER ? -1 : FRAME_MS;
    }
    if (now >= this.#flushAt || now >= this.#settleAt) this.#flush(now);
    if (now >= this.#paintAt) this.#paint();
    const next = Math.min(
      this.#waitsForString,
      this.#paintAt,
      this.#flushAt,
      this.#settleAt,
      (this.#asked?.at ?? NEVER) + POSITION_MS,
    );
    return next === NEVER ? -1 : Math.max(0, next - now);
  }

  #flush(now: number): void {
    if (!this.isUp) return;
    this.#send(this.overlay.close());
    this.#sendHeld(now);
    this.#raise(now);
  }

  /** The end of the output: the bar goes, and what is left goes through. */
  end(now: number): void {
    this.#wanted = false;
    this.#lower(now);
    this.#splitter.end();
  }
}
