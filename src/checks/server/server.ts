/** Listens, and stops so that nothing that was asked is lost. */
import { createServer, type AddressInfo, type Server as NetServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { Connection } from "./connection.ts";
import type { Service } from "./service.ts";

export interface Listen {
  /** Undefined for every address of the machine. */
  readonly host: string | undefined;
  readonly port: number;
  /** Another server may listen on the same port (SO_REUSEPORT): the next one starts before this one stops. */
  readonly reusePort?: boolean;
}

export interface TlsPair {
  readonly cert: string;
  readonly key: string;
}

const HANDSHAKE_MS = 5_000;

export class Server {
  private readonly server: NetServer;
  private readonly connections = new Set<Connection>();
  private onEmpty = (): void => {};

  constructor(
    private readonly service: Service,
    tls?: TlsPair,
  ) {
    const accept = (socket: Socket): void => this.accept(socket);
    const settings = { allowHalfOpen: true, handshakeTimeout: HANDSHAKE_MS, minVersion: "TLSv1.2" } as const;
    this.server =
      tls === undefined
        ? createServer({ allowHalfOpen: true }, accept)
        : createTlsServer({ ...settings, ...tls, ALPNProtocols: ["http/1.1"] }, accept);
    this.server.on("tlsClientError", () => {});
  }

  /** The address that is listened on. Rejects where it cannot be had. */
  async listen({ host, port, reusePort = false }: Listen): Promise<AddressInfo> {
    await new Promise<void>((resolve, reject) => {
      this.server.once("error", reject);
      const address = { port, reusePort, backlog: 1024, ...(host === undefined ? {} : { host }) };
      this.server.listen(address, resolve);
    });
    return this.server.address() as AddressInfo;
  }

  /** Takes no new connection, answers what was asked, then ends; whatever is left after `ms` is cut. */
  async stop(ms: number): Promise<void> {
    this.server.close();
    const empty = new Promise<void>((resolve) => (this.onEmpty = resolve));
    for (const connection of this.connections) connection.stop();
    if (this.connections.size === 0) return;
    const cut = setTimeout(() => this.connections.forEach((connection) => connection.destroy()), ms);
    await empty;
    clearTimeout(cut);
  }

  private accept(socket: Socket): void {
    const connection = new Connection(socket, this.service, () => {
      this.connections.delete(connection);
      if (this.connections.size === 0) this.onEmpty();
    });
    this.connections.add(connection);
  }
}

/** `:8080`, `host:8080`, `[::1]:8080`. Throws an Error whose message says what an address looks like. */
export function readListen(text: string): Listen {
  const [, bracketed, plain, digits] = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]\s]*)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) throw new Error("must be HOST:PORT or :PORT");
  return { host: bracketed ?? (plain || undefined), port };
}
