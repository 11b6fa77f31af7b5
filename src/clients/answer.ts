/** `hallpass answer`: the session's requests in this terminal, by keys; line by line where it is no terminal. */
import { createInterface } from "node:readline";
import type { ClientAction, SessionConnection, SessionEvent } from "../control/messages.ts";
import { AnswerModel, type Outcome } from "./answer-model.ts";
import { readAnswerLine } from "./answer-words.ts";

/** Keys in this time after the shown request appeared or changed answer nothing (SPEC §2). */
const GUARD_MS = 500;

export interface AnswerStreams {
  readonly input: NodeJS.ReadStream;
  readonly write: (text: string) => void;
}

/** Runs until the session is over or the user goes. */
export function answerRequests(connection: SessionConnection, streams: AnswerStreams): Promise<void> {
  return new Answering(connection, streams).run();
}

/** Events as JSON lines out, actions as JSON lines in. */
export function answerAsJson(connection: SessionConnection, streams: AnswerStreams): Promise<void> {
  const over = Promise.withResolvers<void>();
  connection.subscribe((event) => {
    streams.write(`${JSON.stringify(event)}\n`);
    if (event.type === "bye") over.resolve();
  });
  const lines = createInterface({ input: streams.input });
  lines.on("line", (line) => {
    try {
      connection.send(JSON.parse(line) as ClientAction);
    } catch {
      streams.write(`${JSON.stringify({ type: "mistake", line })}\n`);
    }
  });
  return over.promise.finally(() => lines.close());
}

class Answering {
  private readonly model = new AnswerModel();
  private readonly over = Promise.withResolvers<void>();
  /** Answers that came before their request. */
  private readonly early: string[] = [];
  private readonly awaited = new Set<number>();
  private inputEnded = false;
  private shownAt = 0;
  private lastShown: unknown;

  constructor(
    private readonly connection: SessionConnection,
    private readonly streams: AnswerStreams,
  ) {}

  async run(): Promise<void> {
    const stop = this.listen();
    const unsubscribe = this.connection.subscribe((event) => this.hear(event));
    try {
      await this.over.promise;
    } finally {
      unsubscribe();
      stop();
    }
  }

  private hear(event: SessionEvent): void {
    this.apply(this.model.take(event));
    if (event.type === "reply") this.awaited.delete(event.ref);
    if (event.type === "request" || event.type === "welcome") this.useEarly();
    this.endIfDone();
  }

  private apply({ say, send, isOver }: Outcome): void {
    const current = this.model.current();
    if (current !== this.lastShown) {
      this.lastShown = current;
      this.shownAt = performance.now();
    }
    if (say.length > 0) this.streams.write(`${say.join("\n")}\n`);
    if (send?.type === "answer" && send.ref !== undefined) this.awaited.add(send.ref);
    if (send) this.connection.send(send);
    if (isOver) this.over.resolve();
  }

  private line(text: string): void {
    const outcome = this.model.type(readAnswerLine(text));
    if (outcome.isEarly) this.early.push(text);
    this.apply(outcome);
  }

  private useEarly(): void {
    const text = this.model.current() ? this.early.shift() : undefined;
    if (text !== undefined) this.line(text);
  }

  private endIfDone(): void {
    if (this.inputEnded && this.early.length === 0 && this.awaited.size === 0) this.over.resolve();
  }

  private listen(): () => void {
    return this.streams.input.isTTY ? this.listenToKeys() : this.listenToLines();
  }

  private listenToLines(): () => void {
    const lines = createInterface({ input: this.streams.input });
    lines.on("line", (line) => this.line(line));
    lines.on("close", () => {
      this.inputEnded = true;
      this.endIfDone();
    });
    return () => lines.close();
  }

  private listenToKeys(): () => void {
    const { input } = this.streams;
    const onData = (data: Buffer): void => this.keys(data.toString("utf8"));
    input.setRawMode(true);
    input.on("data", onData);
    input.resume();
    return () => {
      input.off("data", onData);
      input.setRawMode(false);
      input.pause();
    };
  }

  /** A burst of bytes is a paste or a reply of the terminal, never an answer. */
  private keys(text: string): void {
    if (text === "\u0003" || text === "\u0004" || text === "q") return this.over.resolve();
    const command = KEYS[text];
    if (command === undefined) return;
    if (performance.now() - this.shownAt < GUARD_MS && !MOVES.has(command)) return;
    if (this.model.current()) this.line(command);
  }
}

const KEYS: Readonly<Record<string, string>> = {
  o: "once",
  t: "timed",
  a: "always",
  d: "deny",
  n: "never",
  x: "dismiss",
  ">": "next",
  "<": "previous",
  "+": "wider",
  "-": "narrower",
  "\u001b[A": "wider",
  "\u001b[B": "narrower",
  "\u001b[C": "next",
  "\u001b[D": "previous",
};

const MOVES = new Set(["next", "previous", "wider", "narrower"]);
