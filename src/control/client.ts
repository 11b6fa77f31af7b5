/** A client in another process: the control socket as a SessionConnection. */
import { HallpassError } from "../errors.ts";
import { encodeLine, LineReader, parseLine } from "./lines.ts";
import { type ClientAction, PROTOCOL_VERSION, type SessionConnection, type SessionEvent } from "./messages.ts";
import { SessionMirror } from "./mirror.ts";
import { Outbox } from "./outbox.ts";

const LINE_LIMIT = 256 << 20;
const OUTBOX_LIMIT = 16 << 20;
const WELCOME_WITHIN = 5000;

/** Connects to the session behind `path`; resolves when the session has said welcome, rejects with HallpassError. */
export async function connectSocket(path: string, client: string): Promise<SessionConnection> {
  const link = new Link();
  try {
    await Bun.connect({ unix: path, socket: link.handlers });
  } catch {
    throw new HallpassError(`no session answers at ${path}`);
  }
  link.send({ type: "hello", version: PROTOCOL_VERSION, client });
  await link.welcomed(path);
  return link;
}

type Socket = Bun.Socket<undefined>;

class Link implements SessionConnection {
  private readonly listeners = new Set<(event: SessionEvent) => void>();
  private readonly reader = new LineReader(LINE_LIMIT);
  private socket: Socket | undefined;
  private outbox: Outbox | undefined;
  private mirror: SessionMirror | undefined;
  private ended: string | undefined;
  private readonly first = Promise.withResolvers<void>();

  readonly handlers = {
    open: (socket: Socket): void => {
      this.socket = socket;
      this.outbox = new Outbox(socket, OUTBOX_LIMIT);
    },
    data: (_: Socket, bytes: Buffer): void => this.read(bytes),
    drain: (): void => this.outbox?.flush(),
    close: (): void => this.end("the session has gone"),
    error: (): void => this.end("the session has gone"),
  };

  async welcomed(path: string): Promise<void> {
    const timer = setTimeout(() => this.end(`the session at ${path} does not answer`), WELCOME_WITHIN);
    try {
      await this.first.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  private read(bytes: Buffer): void {
    for (const line of this.reader.push(bytes)) {
      const event = parseLine(line) as SessionEvent | undefined;
      if (event) this.take(event);
    }
  }

  private take(event: SessionEvent): void {
    if (event.type === "bye") return this.end(event.reason);
    if (event.type === "welcome") {
      this.mirror = new SessionMirror(event);
      this.first.resolve();
    }
    this.mirror?.take(event);
    for (const listener of this.listeners) listener(event);
  }

  /** The end comes once, as `bye`, whoever made it. */
  private end(reason: string): void {
    if (this.ended !== undefined) return;
    this.ended = reason;
    this.first.reject(new HallpassError(reason));
    for (const listener of this.listeners) listener({ type: "bye", reason });
    this.socket?.end();
  }

  send(action: ClientAction): void {
    if (this.ended === undefined) this.outbox?.send(encodeLine(action));
  }

  subscribe(listener: (event: SessionEvent) => void): () => void {
    if (this.mirror) listener(this.mirror.welcome());
    this.listeners.add(listener);
    if (this.ended !== undefined) listener({ type: "bye", reason: this.ended });
    return () => void this.listeners.delete(listener);
  }

  close(): void {
    this.listeners.clear();
    this.end("closed");
  }
}
