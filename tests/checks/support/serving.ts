/** `hallpass serve` as a process, and requests to it byte by byte. */
import { writeFileSync } from "node:fs";
import { connect as connectTcp, type Socket } from "node:net";
import { join } from "node:path";
import { hallpassFor } from "../../support/hallpass.ts";
import type { Places } from "../../support/places.ts";
import { waitFor } from "../../support/wait.ts";

export interface Serving {
  readonly port: number;
  /** Lines of stderr so far: the operator's log. */
  readonly lines: () => Record<string, unknown>[];
  stop(signal?: NodeJS.Signals): Promise<number>;
}

export const THINGS = "  - {id: things, integration: fake, users: bob@example.com, admins: ann@example.com}";

/** Serves the `fake` connection `things`, with other lines of configuration above and below. */
export async function serve(
  places: Places,
  top: readonly string[],
  env: Record<string, string>,
  connections: readonly string[] = [],
  flags: readonly string[] = ["-listen", "127.0.0.1:0"],
): Promise<Serving> {
  const file = join(places.root, `serve-${Math.random().toString(36).slice(2)}.yaml`);
  writeFileSync(file, [...top, "decision_log: none", "connections:", THINGS, ...connections, ""].join("\n"));
  const words = [...hallpassFor(), "serve", "-config", file, ...flags];
  const child = Bun.spawn(words, { env: { ...process.env, ...env }, stderr: "pipe", stdout: "ignore" });
  let text = "";
  const reading = (async () => {
    for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) text += chunk;
  })();
  const lines = (): Record<string, unknown>[] =>
    text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const listening = await waitFor("the server listens", () => {
    if (child.exitCode !== null) throw new Error(`serve ended: ${text}`);
    return text.includes("listening") ? lines().find(({ message }) => message === "listening") : undefined;
  });
  return {
    port: listening.port as number,
    lines,
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      const code = await child.exited;
      await reading;
      return code;
    },
  };
}

export function question(user: string, extra: object = {}): string {
  return JSON.stringify({ user, connection: "things", action: "thing.write", resource: "thing:1", ...extra });
}

export function post(body: string, key: string | null = "k1", path = "/check", more: readonly string[] = []): string {
  const authorization = key === null ? [] : [`Authorization: Bearer ${key}`];
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: h",
    ...authorization,
    ...more,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A connection that says what it is told and reads answers one by one. */
export class RawClient {
  isClosed = false;
  private text = "";
  private readonly socket: Socket;

  constructor(port: number) {
    this.socket = connectTcp({ port, host: "127.0.0.1" });
    this.socket.on("data", (bytes) => (this.text += bytes.toString()));
    this.socket.on("error", () => {});
    this.socket.on("close", () => (this.isClosed = true));
  }

  write(text: string): void {
    this.socket.write(text);
  }

  halfClose(): void {
    this.socket.end();
  }

  async answer(hasBody = true): Promise<RawAnswer> {
    return await waitFor("an answer", () => {
      const end = this.text.indexOf("\r\n\r\n");
      if (end < 0) return undefined;
      const [first = "", ...lines] = this.text.slice(0, end).split("\r\n");
      const headers = Object.fromEntries(lines.map((line) => line.toLowerCase().split(": ") as [string, string]));
      const length = hasBody ? Number(headers["content-length"] ?? 0) : 0;
      if (this.text.length < end + 4 + length) return undefined;
      const body = this.text.slice(end + 4, end + 4 + length);
      this.text = this.text.slice(end + 4 + length);
      return { status: Number(first.split(" ")[1]), headers, body };
    });
  }

  async closed(): Promise<void> {
    await waitFor("the connection's end", () => this.isClosed, 20_000);
  }

  destroy(): void {
    this.socket.destroy();
  }
}

/** One request on a connection of its own. */
export async function send(port: number, text: string, hasBody = true): Promise<RawAnswer> {
  const client = new RawClient(port);
  client.write(text);
  return await client.answer(hasBody).finally(() => client.destroy());
}
