/** The session's end of the control socket: who may come in, and what is said to whom. A slow client is cut, never waited for. */
import { chmodSync, renameSync } from "node:fs";
import { HallpassError } from "../errors.ts";
import type { Attached, Session } from "../session/session.ts";
import { removeSocket } from "./folder.ts";
import { encodeLine, LineReader, LineTooLong, parseLine } from "./lines.ts";
import { type ClientAction, PROTOCOL_VERSION, type SessionEvent } from "./messages.ts";
import { Outbox } from "./outbox.ts";
import { parseAction } from "./parse-action.ts";

const LINE_LIMIT = 1 << 20;
const OUTBOX_LIMIT = 16 << 20;
const CLIENTS_MOST = 64;
const HELLO_WITHIN = 5000;
const SUN_PATH_MOST = 107;

/** Looks at who connected; a refusal says why. Asked again when the client has said hello. */
export type Admit = (fd: number) => { readonly pid: number } | { readonly refused: string };

export interface ControlServer {
  readonly path: string;
  close(): void;
}

type Socket = Bun.Socket<Client>;

export function serveControl(session: Session, path: string, admit: Admit): ControlServer {
  if (Buffer.byteLength(path) >= SUN_PATH_MOST) {
    throw new HallpassError(`${path} is too long for a socket; set XDG_RUNTIME_DIR to a shorter path`);
  }
  const clients = new Set<Client>();
  // It gets its name when it is the user's alone and somebody listens.
  const unready = `${path}~`;
  removeSocket(unready);
  const listener = listen(unready, handlers(session, clients, admit));
  chmodSync(unready, 0o600);
  renameSync(unready, path);
  return {
    path,
    close(): void {
      listener.stop();
      for (const client of clients) client.leave();
      removeSocket(path);
    },
  };
}

function listen(path: string, socket: Bun.SocketHandler<Client>): Bun.UnixSocketListener<Client> {
  try {
    return Bun.listen<Client>({ unix: path, socket });
  } catch (error) {
    throw new HallpassError(
      `cannot make the session's socket: ${(error as Error).message}; set XDG_RUNTIME_DIR to a folder that is yours`,
    );
  }
}

function handlers(session: Session, clients: Set<Client>, admit: Admit): Bun.SocketHandler<Client> {
  return {
    open(socket): void {
      const client = new Client(socket, session, admit);
      socket.data = client;
      clients.add(client);
      if (clients.size > CLIENTS_MOST) client.refuse("too many clients");
      else client.meet();
    },
    data: (socket, bytes) => socket.data?.read(bytes),
    drain: (socket) => socket.data?.flush(),
    close(socket): void {
      if (!socket.data) return;
      clients.delete(socket.data);
      socket.data.gone();
    },
    error: (socket) => void socket.terminate(),
  };
}

class Client {
  private readonly reader = new LineReader(LINE_LIMIT);
  private readonly outbox: Outbox;
  private readonly impatience: ReturnType<typeof setTimeout>;
  private attached: Attached | undefined;
  private leaving = false;

  constructor(
    private readonly socket: Socket,
    private readonly session: Session,
    private readonly admit: Admit,
  ) {
    this.outbox = new Outbox(socket, OUTBOX_LIMIT);
    this.impatience = setTimeout(() => this.refuse("no hello"), HELLO_WITHIN);
  }

  /** The peer is looked at as soon as it is there, when it is least likely to be somebody else by now. */
  meet(): void {
    const peer = this.look();
    if ("refused" in peer) this.refuse(peer.refused);
  }

  private look(): ReturnType<Admit> {
    try {
      return this.admit((this.socket as unknown as { readonly fd: number }).fd);
    } catch (error) {
      return { refused: `cannot tell who connects: ${(error as Error).message}` };
    }
  }

  read(bytes: Uint8Array): void {
    if (this.leaving) return;
    try {
      for (const line of this.reader.push(bytes)) this.hear(parseAction(parseLine(line)));
    } catch (error) {
      if (!(error instanceof LineTooLong)) throw error;
      this.refuse(error.message);
    }
  }

  private hear(action: ClientAction | undefined): void {
    if (this.leaving) return;
    if (!action) return this.refuse("broken message");
    if (action.type === "hello") return this.greet(action);
    if (!this.attached) return this.refuse("hello comes first");
    this.attached.act(action);
  }

  private greet(hello: Extract<ClientAction, { type: "hello" }>): void {
    if (this.attached) return;
    if (hello.version !== PROTOCOL_VERSION) {
      return this.refuse(
        `the session speaks version ${PROTOCOL_VERSION} of the protocol, the client ${hello.version}: use the hallpass that started the session`,
      );
    }
    const peer = this.look();
    if ("refused" in peer) return this.refuse(peer.refused);
    clearTimeout(this.impatience);
    const name = hello.client.replaceAll(/[^a-z0-9 -]/gi, "").slice(0, 24) || "client";
    this.attached = this.session.attach(`${name} (pid ${peer.pid})`, (event) => this.tell(event));
  }

  private tell(event: SessionEvent): void {
    if (this.leaving) return;
    if (!this.outbox.send(encodeLine(event))) this.drop();
    else if (event.type === "bye") this.leave();
  }

  flush(): void {
    this.outbox.flush();
    if (this.leaving && this.outbox.isEmpty) this.socket.end();
  }

  refuse(reason: string): void {
    this.outbox.send(encodeLine({ type: "bye", reason } satisfies SessionEvent));
    this.leave();
  }

  leave(): void {
    this.leaving = true;
    if (this.outbox.isEmpty) this.socket.end();
  }

  private drop(): void {
    this.leaving = true;
    this.socket.terminate();
  }

  gone(): void {
    this.leaving = true;
    clearTimeout(this.impatience);
    this.attached?.detach();
  }
}
