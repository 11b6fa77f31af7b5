/** A DEST that is one address, as the bytes that the matcher is asked with (policy-wasm/assembly/connect.ts). */
import type { Dest } from "./dest.ts";
import { literalPath } from "./glob.ts";
import { ConnectKind, Protocol } from "./layout.ts";
import { encodePath } from "./path-text.ts";

/** The record for an address (4 or 16 bytes) and a port. */
export function inetBytes(protocol: "tcp" | "udp" | undefined, address: ArrayLike<number>, port: number): Uint8Array {
  const record = new Uint8Array(20);
  record.set([ConnectKind.inet, Protocol[protocol ?? "other"], port >> 8, port & 255]);
  if (address.length === 4) record.set([255, 255], 14);
  record.set(address, 20 - address.length);
  return record;
}

/** The record of a DEST, or undefined where it is more than one address. */
export function destBytes(dest: Dest): Uint8Array | undefined {
  switch (dest.kind) {
    case "all":
      return Uint8Array.of(ConnectKind.other);
    case "abstract":
      return dest.isPrefix ? undefined : tagged(ConnectKind.abstract, dest.name);
    case "unix": {
      const path = literalPath(dest.glob);
      return path === undefined ? undefined : tagged(ConnectKind.unix, path);
    }
    case "inet": {
      const { network, ports, protocol } = dest;
      const isOne = network !== undefined && network.bits === network.address.length * 8;
      return isOne && ports[0] === ports[1] ? inetBytes(protocol, network.address, ports[0]) : undefined;
    }
  }
}

function tagged(kind: number, text: string): Uint8Array {
  return Uint8Array.from([kind, ...encodePath(text)]);
}
