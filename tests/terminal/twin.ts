/**
 * The same output into two terminals: straight into one, and through the relay's stage into the other while a bar comes
 * and goes at random. What both know afterwards must be the same. No process, so that hundreds of streams take seconds.
 */
import { Terminal } from "@xterm/headless";
import { Line } from "../../src/relay/screen/line.ts";
import { Stage } from "../../src/relay/stage.ts";
import { difference, stateOf, write } from "./state.ts";
import { Random } from "./streams.ts";

export interface TwinOptions {
  readonly columns: number;
  readonly rows: number;
  readonly seed: number;
  readonly hasAlternateScreen?: boolean;
  /** Rows that were on the screen before. */
  readonly before?: number;
  /** The terminal says where its cursor is. */
  readonly answers?: boolean;
  /** In a hundred pieces of output, how often the bar comes or goes. */
  readonly toggles?: number;
  /** And how often the terminal changes its size: in height only, or in both. */
  readonly resizes?: number;
  readonly resizesWidth?: boolean;
}

class Sink {
  #bytes: Uint8Array[] = [];
  readonly waitingBytes = 0;
  send(bytes: Uint8Array): void {
    this.#bytes.push(bytes.slice());
  }
  take(): Uint8Array[] {
    const bytes = this.#bytes;
    this.#bytes = [];
    return bytes;
  }
}

const BAR_STYLE = (1 << 24) | 4;

/** Rows of letters that nothing else draws. */
function drawBar(columns: number, rows: number): Line[] {
  return Array.from({ length: Math.min(5, rows - 1) }, (_, row) => {
    const line = new Line(columns);
    for (let x = 0; x < columns; x++) line.set(x, (0x41 + row) | (1 << 22), 0, BAR_STYLE, 0);
    return line;
  });
}

/** How many bytes at the end are the beginning of a character. */
function unfinished(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    return byte >= 0xc2 && back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

export class Twin {
  readonly shown: Terminal;
  readonly bare: Terminal;
  readonly stage: Stage;
  /** What the program would have been answered, on each side. */
  readonly replies = { shown: "", bare: "" };
  readonly #sink = new Sink();
  readonly #options: TwinOptions;
  readonly #random: Random;
  #rest: Uint8Array = new Uint8Array();
  #now = 1000;
  #isUp = false;
  #said: string[] = [];
  /** How often the bar came up. */
  times = 0;

  constructor(options: TwinOptions) {
    const { columns, rows, hasAlternateScreen = true } = options;
    this.#options = options;
    this.#random = new Random(options.seed + 77);
    const terminal = (): Terminal => new Terminal({ cols: columns, rows, scrollback: 5000, allowProposedApi: true });
    this.shown = terminal();
    this.bare = terminal();
    const kind = { hasAlternateScreen, sharesSavedCursor: false };
    this.stage = new Stage(this.#sink, kind, columns, rows, drawBar);
    this.shown.onData((data) => this.#said.push(data));
    this.bare.onData((data) => (this.replies.bare += data));
  }

  run(pieces: readonly Uint8Array[]): string {
    const { before = 0, toggles = 12 } = this.#options;
    for (const terminal of [this.shown, this.bare]) write(terminal, "before\r\n".repeat(before));
    for (const piece of pieces) {
      this.#now += this.#random.next(20);
      this.#both(piece);
      if (this.#random.chance(toggles)) this.toggle();
      if (this.#random.chance(this.#options.resizes ?? 0)) this.#resize();
    }
    this.stage.want(false, this.#now);
    this.#settle();
    this.stage.end(this.#now);
    this.#settle();
    return difference(this.#stateOf(this.bare), this.#stateOf(this.shown));
  }

  /** Where the terminal does not say where its cursor is, or moves it by itself, the bar leaves its own place as the saved one. */
  #stateOf(terminal: Terminal): string[] {
    const state = stateOf(terminal);
    const isLost = this.#options.answers === false || this.#options.resizes !== undefined;
    // What a mark would join is forgotten when rows are laid out anew.
    const lost = this.#options.resizesWidth === true ? /^(\w+ saved|last) / : /^\w+ saved /;
    return isLost ? state.filter((line) => !lost.test(line)) : state;
  }

  /** Once the output is at rest: what is held at that moment was never on a terminal of the old size. */
  #resize(): void {
    this.#now += 1_000;
    this.#settle();
    const rows = 6 + this.#random.next(24);
    const columns = this.#options.resizesWidth === true ? 20 + this.#random.next(80) : this.#options.columns;
    this.shown.resize(columns, rows);
    this.bare.resize(columns, rows);
    this.stage.resize(columns, rows, this.#now);
    this.#settle();
    // As a shell does when it hears of it: the column is known again.
    if (this.#options.resizesWidth === true) this.#both(new TextEncoder().encode("\r"));
  }

  #both(piece: Uint8Array): void {
    this.stage.output(piece, this.#now);
    this.#settle();
    // Whole characters: xterm.js loses one whose bytes come in two pieces.
    const bytes = Buffer.concat([this.#rest, piece]);
    const end = bytes.length - unfinished(bytes);
    this.#rest = bytes.subarray(end);
    write(this.bare, bytes.subarray(0, end));
  }

  toggle(): void {
    this.#isUp = !this.#isUp;
    if (this.#isUp) this.times++;
    this.stage.want(this.#isUp, this.#now);
    this.#settle();
  }

  /** Bytes go out, replies come back, until nothing moves. */
  #settle(): void {
    for (let round = 0; round < 4; round++) {
      if (this.#options.answers === false) this.#now += 200;
      this.stage.tick(this.#now);
      for (const bytes of this.#sink.take()) write(this.shown, bytes);
      for (const said of this.#said.splice(0)) this.#reply(said);
    }
  }

  #reply(said: string): void {
    const match = /^\[(\d+);(\d+)R$/.exec(said.slice(1));
    // One that says nothing about its cursor says nothing to the program either.
    if (match !== null && this.#options.answers === false) return;
    if (match !== null && this.stage.position(Number(match[2]) - 1, Number(match[1]) - 1, this.#now)) return;
    this.replies.shown += said;
  }

  dispose(): void {
    this.shown.dispose();
    this.bare.dispose();
  }
}
