/**
 * The relay on a terminal with a session that has nothing behind it: `bun driver.ts -- CMD ARG…`. Requests are made by
 * lines of JSON in the file named by RELAY_REQUESTS (read again on SIGUSR1); answers are appended to
 * RELAY_ANSWERS. SIGUSR2 shows a notice for a second.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { Relay } from "../../src/relay/index.ts";
import type { ClientAction, SessionConnection, SessionEvent } from "../../src/control/messages.ts";
import type { Request } from "../../src/session/request.ts";

const { RELAY_REQUESTS = "", RELAY_ANSWERS = "" } = process.env;

class Scripted implements SessionConnection {
  #listeners = new Set<(event: SessionEvent) => void>();
  #open = new Set<number>();

  send(action: ClientAction): void {
    if (action.type !== "answer") return;
    appendFileSync(RELAY_ANSWERS, `${JSON.stringify(action.answer)}\n`);
    this.#open.delete(action.answer.request);
    this.#emit({ type: "resolved", request: action.answer.request, answer: action.answer.kind, client: "bar" });
  }

  subscribe(listener: (event: SessionEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): void {
    this.#listeners.clear();
  }

  #emit(event: SessionEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  /** What the file says: every request not seen before comes up, one that left the file is gone. */
  read(): void {
    const lines = readFileSync(RELAY_REQUESTS, "utf8").split("\n").filter(Boolean);
    const requests = lines.map((line) => JSON.parse(line) as Request);
    for (const request of requests) {
      this.#open.add(request.id);
      this.#emit({ type: "request", request });
    }
    for (const id of this.#open) {
      if (requests.some((request) => request.id === id)) continue;
      this.#open.delete(id);
      this.#emit({ type: "resolved", request: id, answer: "gone" });
    }
  }
}

async function main(command: string[]): Promise<number> {
  const relay = Relay.open({
    hasBar: true,
    onFullScreen: () => appendFileSync(RELAY_ANSWERS, '"full-screen"\n'),
    onWeb: (request) => appendFileSync(RELAY_ANSWERS, `{"web":${request}}\n`),
    onHangup: () => process.exit(129),
    onFailure: (error) => {
      process.stderr.write(`${error.stack}\n`);
      process.exit(125);
    },
  });
  if (relay === undefined) throw new Error("no terminal");
  relay.start();
  const session = new Scripted();
  relay.attach(session);
  process.on("SIGUSR1", () => session.read());
  process.on("SIGUSR2", () => {
    relay.notice({ lines: ["a notice"] });
    setTimeout(() => relay.notice(undefined), 1_000);
  });
  const child = Bun.spawn(["setsid", "--ctty", "--wait", ...command], { stdio: [...relay.stdio] });
  const status = await child.exited;
  await relay.finish();
  return status;
}

process.exit(await main(process.argv.slice(2)));
