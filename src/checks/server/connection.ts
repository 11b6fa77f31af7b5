/** One client's connection: requests in turn, with the limits on slow clients (CHECKS §3.2). */
import type { Socket } from "node:net";
import { systemClock } from "../clock.ts";
import { RequestReader, type Refusal, type Request } from "./request.ts";
import { bytesOf, refusal, type Response } from "./response.ts";
import { bodyLimit, type Service } from "./service.ts";

const HEAD_MS = 5_000;
const REQUEST_MS = 15_000;
const IDLE_MS = 15_000;
/** For a client to read the last answer, and for what it still sends to be thrown away: a reset could eat the answer. */
const LINGER_MS = 1_000;
/** Pipelined requests that wait are not read further than this. */
const READ_AHEAD = 128 * 1024;

const REFUSALS: Readonly<Record<Refusal["refuse"], string>> = {
  400: "this is not a well-formed HTTP request",
  413: "the body is too large",
  417: "only 100-continue can be expected",
  431: "the headers are longer than 16 KiB",
  505: "only HTTP/1.1 is spoken here",
};

export class Connection {
  private readonly reader: RequestReader;
  private readonly remote: string;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private timed: "idle" | "head" | "request" | "none" = "none";
  private requestEnds = 0;
  private waiting = 0;
  private isBusy = false;
  private isEnding = false;
  private isStopping = false;
  private isHalfClosed = false;

  constructor(
    private readonly socket: Socket,
    private readonly service: Service,
    private readonly onClose: () => void,
  ) {
    this.remote = socket.remoteAddress ?? "unknown";
    this.reader = new RequestReader(bodyLimit, () => socket.write("HTTP/1.1 100 Continue\r\n\r\n"));
    socket.setNoDelay(true);
    socket.on("data", (bytes: Buffer) => this.take(bytes));
    socket.on("error", () => this.destroy());
    socket.on("close", () => (this.clear(), this.onClose()));
    socket.on("end", () => this.halfClose());
    this.watch();
  }

  /** No further request; the one in flight is answered first. */
  stop(): void {
    this.isStopping = true;
    if (!this.isBusy && this.reader.isIdle) this.end();
  }

  destroy(): void {
    this.clear();
    this.socket.destroy();
  }

  private take(bytes: Buffer): void {
    if (this.isEnding) return;
    this.reader.feed(bytes);
    this.waiting += bytes.length;
    if (this.isBusy && this.waiting > READ_AHEAD) this.socket.pause();
    if (!this.isBusy) this.pump();
  }

  /** The client sends no more; what it asked is still answered. */
  private halfClose(): void {
    this.isHalfClosed = true;
    if (!this.isBusy && !this.isEnding) this.end();
  }

  private pump(): void {
    const request = this.reader.next();
    if (request === undefined) {
      if (this.isHalfClosed || (this.isStopping && this.reader.isIdle)) this.end();
      else this.watch();
      return;
    }
    if ("refuse" in request) return this.refuse(request);
    this.clear();
    this.isBusy = true;
    void this.answer(request);
  }

  private async answer(request: Request): Promise<void> {
    const response = await this.service.answer(request, this.remote);
    const keepAlive = request.keepAlive && !this.isStopping;
    this.isBusy = false;
    this.waiting = 0;
    if (this.socket.destroyed) return;
    this.send(response, keepAlive, request.method !== "HEAD");
    if (!keepAlive) return this.end();
    this.socket.resume();
    this.pump();
  }

  private refuse({ refuse }: Refusal): void {
    this.service.note("?", "?", refuse, this.remote, 0);
    this.send(refusal(refuse, "invalid_request", REFUSALS[refuse]), false, true);
    this.end();
  }

  private send(response: Response, keepAlive: boolean, hasBody: boolean): void {
    this.socket.write(bytesOf(response, keepAlive, hasBody, systemClock.now()));
  }

  private end(): void {
    if (this.isEnding) return;
    this.isEnding = true;
    this.clear();
    this.socket.resume();
    this.socket.end();
    this.timer = setTimeout(() => this.destroy(), LINGER_MS);
  }

  /** Idle until the first byte; then so long for the head, and so long for the whole. */
  private watch(): void {
    const phase = this.reader.isIdle ? "idle" : this.reader.hasHead ? "request" : "head";
    if (phase === this.timed) return;
    const now = systemClock.ticks();
    if (this.timed === "idle" || this.timed === "none") this.requestEnds = now + REQUEST_MS;
    this.clear();
    this.timed = phase;
    const ms = phase === "idle" ? IDLE_MS : phase === "head" ? HEAD_MS : this.requestEnds - now;
    this.timer = setTimeout(() => this.destroy(), Math.max(ms, 0));
  }

  private clear(): void {
    clearTimeout(this.timer);
    this.timed = "none";
  }
}
