/** What `hallpass answer` shows and what a line or key does to it; pure, so that it can be tested without a terminal. */
import { formatTarget } from "../policy/format.ts";
import type { ClientAction, SessionEvent } from "../control/messages.ts";
import { SessionMirror } from "../control/mirror.ts";
import type { Answer, Request } from "../session/request.ts";
import { type AnswerLine } from "./answer-words.ts";
import { keysLine, requestLines, resolvedText, TIMED_DEFAULT } from "./request-text.ts";

export interface Outcome {
  readonly say: readonly string[];
  readonly send?: ClientAction;
  /** An answer waits for the next request, for none is there. */
  readonly isEarly?: boolean;
  readonly isOver?: boolean;
}

const NOTHING: Outcome = { say: [] };

export class AnswerModel {
  private mirror: SessionMirror | undefined;
  private shown: number | undefined;
  private widerIndex: number | undefined;
  private ref = 0;

  /** An event of the session; what it says is to be printed. */
  take(event: SessionEvent): Outcome {
    if (event.type === "welcome") return this.welcome(event);
    this.mirror?.take(event);
    if (event.type === "bye") return { say: [`the session is over: ${event.reason}`], isOver: true };
    if (event.type === "reply") return event.error === undefined ? NOTHING : { say: [`not done: ${event.error}`] };
    if (event.type === "session") return { say: event.session.notice === undefined ? [] : [event.session.notice] };
    if (event.type === "request")
      return { say: this.shown === undefined ? this.move() : [`${this.pending().length} requests wait`] };
    if (event.type === "resolved") return { say: [resolvedText(event), ...this.after(event.request)] };
    return NOTHING;
  }

  private welcome(event: Extract<SessionEvent, { type: "welcome" }>): Outcome {
    this.mirror = new SessionMirror(event);
    const { pid, command, project, notice } = event.session;
    const say = [`session ${pid}: ${command.join(" ")} in ${project}`, ...(notice === undefined ? [] : [notice])];
    return { say: [...say, ...(this.pending().length > 0 ? this.move() : ["no request waits"])] };
  }

  pending(): Request[] {
    return [...(this.mirror?.requests.values() ?? [])];
  }

  current(): Request | undefined {
    return this.shown === undefined ? undefined : this.mirror?.requests.get(this.shown);
  }

  private after(resolved: number): string[] {
    if (resolved !== this.shown) return [];
    this.shown = undefined;
    return this.pending().length > 0 ? this.move() : ["no request waits"];
  }

  /** Shows the oldest request, or the one `by` places further. */
  private move(by = 0): string[] {
    const pending = this.pending();
    if (pending.length === 0) return ["no request waits"];
    const at = pending.findIndex((request) => request.id === this.shown);
    const next = pending[(Math.max(0, at) + by + pending.length) % pending.length]!;
    if (next.id !== this.shown) this.widerIndex = undefined;
    this.shown = next.id;
    return this.text();
  }

  private text(): string[] {
    const request = this.current();
    if (!request) return [];
    const place = `   ${this.pending().indexOf(request) + 1} of ${this.pending().length}`;
    return [
      "",
      `request ${request.id}: ${requestLines(request, this.wider(request)).join("\n")}`,
      keysLine(TIMED_DEFAULT, place),
    ];
  }

  private wider(request: Request): string | undefined {
    return request.wider[this.widerIndex ?? request.widerIndex];
  }

  /** What somebody typed. */
  type(line: AnswerLine): Outcome {
    switch (line.type) {
      case "nothing":
        return NOTHING;
      case "quit":
        return { say: [], isOver: true };
      case "mistake":
        return { say: [line.message] };
      case "move":
        return {
          say:
            line.by === "next"
              ? this.move(1)
              : line.by === "previous"
                ? this.move(-1)
                : this.widen(line.by === "wider" ? 1 : -1),
        };
      case "answer":
        return this.answer(line);
    }
  }

  private widen(by: number): string[] {
    const request = this.current();
    if (!request) return ["no request waits"];
    const at = (this.widerIndex ?? request.widerIndex) + by;
    if (at < 0 || at >= request.wider.length) return [by > 0 ? "it cannot be wider" : "it cannot be narrower"];
    this.widerIndex = at;
    return this.text();
  }

  private answer(line: Extract<AnswerLine, { type: "answer" }>): Outcome {
    const request = line.request === undefined ? this.current() : this.mirror?.requests.get(line.request);
    if (!request)
      return line.request === undefined
        ? { say: [], isEarly: true }
        : { say: [`request ${line.request} does not wait`] };
    const target = this.targetOf(line, request);
    if (line.target !== undefined && target === undefined)
      return {
        say: [`the request does not offer ${line.target}; it offers: ${request.wider.map(formatTarget).join(" ")}`],
      };
    const answer: Answer = {
      request: request.id,
      kind: line.kind,
      ...(line.duration === undefined ? {} : { duration: line.duration }),
      ...(target === undefined ? {} : { target }),
    };
    return { say: [], send: { type: "answer", answer, ref: ++this.ref } };
  }

  /** The target is always sent, so that what is granted is what was on this screen. */
  private targetOf(line: Extract<AnswerLine, { type: "answer" }>, request: Request): string | undefined {
    if (line.kind !== "timed" && line.kind !== "always") return undefined;
    if (line.target !== undefined)
      return request.wider.find((one) => one === line.target || formatTarget(one) === line.target);
    return request.id === this.shown ? this.wider(request) : request.wider[request.widerIndex];
  }
}
