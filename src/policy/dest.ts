/** DEST, the target of `connect` rules: `[tcp:|udp:]ADDR[/N][:PORT[-PORT]]`, `unix:…` and `all` (SPEC §3). */
import { addresses } from "./addresses.ts";
import { GlobMistake } from "./glob.ts";

export type Dest = AllDest | InetDest | UnixDest | AbstractDest;
export interface AllDest {
  readonly kind: "all";
}
export interface InetDest {
  readonly kind: "inet";
  /** Absent: any protocol. */
  readonly protocol?: "tcp" | "udp";
  /** Absent: any address (`*`). IPv4-mapped IPv6 is IPv4. */
  readonly network?: Network;
  readonly ports: Ports;
}
/** 4 or 16 bytes, of which the first `bits` bits count; the others are zero. */
export interface Network {
  readonly address: readonly number[];
  readonly bits: number;
}
export type Ports = readonly [low: number, high: number];
export interface UnixDest {
  readonly kind: "unix";
  /** An absolute glob. */
  readonly glob: string;
}
export interface AbstractDest {
  readonly kind: "abstract";
  /** Without the `@`, unescaped. */
  readonly name: string;
  readonly isPrefix: boolean;
}

export const ANY_PORT: Ports = [0, 65_535];

/** Reads DEST; `absolute` makes a unix path absolute. Throws GlobMistake. */
export function parseDest(text: string, absolute: (path: string) => string): Dest {
  if (text === "all") return { kind: "all" };
  if (text.startsWith("unix:@")) return parseAbstract(text.slice(6));
  if (text.startsWith("unix:")) return { kind: "unix", glob: absoluteSocket(text.slice(5), absolute) };
  return parseInet(text);
}

function absoluteSocket(path: string, absolute: (path: string) => string): string {
  try {
    return absolute(path);
  } catch (error) {
    if (!(error instanceof GlobMistake)) throw error;
    throw new GlobMistake(error.message, error.offset + 5);
  }
}

function parseAbstract(text: string): AbstractDest {
  const isPrefix = /(^|[^\\])(\\\\)*\*$/.test(text);
  const name = isPrefix ? text.slice(0, -1) : text;
  const glob = /(?<!\\)(?:\\\\)*[*?[]/.exec(name);
  if (glob) throw new GlobMistake("a name may have * at its end only", 6 + glob.index);
  if (name === "" && !isPrefix) throw new GlobMistake("the socket has no name", 6);
  return { kind: "abstract", name: name.replace(/\\(.)/gsu, "$1"), isPrefix };
}

function parseInet(text: string): InetDest {
  const match = /^(?:(tcp|udp):)?(?:\[([^\]]*)\]|([^:/[\]]+))(?:\/([^:]*))?(?::(.*))?$/s.exec(text);
  if (!match || addresses().IPv6.isValid(text)) throw new GlobMistake(adviseInet(text), 0);
  const [, protocol, six, four, bits, ports] = match;
  const network = four === "*" ? anyNetwork(bits) : parseNetwork(six, four ?? "", bits);
  return {
    kind: "inet",
    ...(protocol === "tcp" || protocol === "udp" ? { protocol } : {}),
    ...(network ? { network } : {}),
    ports: ports === undefined ? ANY_PORT : parsePorts(ports),
  };
}

function adviseInet(text: string): string {
  if (addresses().IPv6.isValid(text)) return `write an IPv6 address in brackets: [${text}]`;
  return "expected an address, *, unix:… or all";
}

function anyNetwork(bits: string | undefined): undefined {
  if (bits !== undefined) throw new GlobMistake("* is any address and takes no /N", 0);
}

function parseNetwork(six: string | undefined, four: string, bits: string | undefined): Network {
  const isSix = six !== undefined;
  if (isSix && (!addresses().IPv6.isValid(six) || six.includes("%")))
    throw new GlobMistake(`[${six}] is no IPv6 address`, 0);
  if (!isSix && !addresses().IPv4.isValidFourPartDecimal(four)) {
    throw new GlobMistake(`${four} is no address; host names are no rules, write the address`, 0);
  }
  const bytes = isSix ? addresses().IPv6.parse(six).toByteArray() : addresses().IPv4.parse(four).toByteArray();
  const most = bytes.length * 8;
  const length = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Infinity;
  if (length > most) throw new GlobMistake(`/${bits} is no prefix length (0 to ${most})`, 0);
  return asIPv4(bytes, length);
}

/** IPv4-mapped IPv6 as IPv4; host bits cleared; the unspecified address is what Linux connects to instead. */
function asIPv4(bytes: readonly number[], bits: number): Network {
  if (bytes.length === 16 && bits >= 96 && isMapped(bytes)) return asIPv4(bytes.slice(12), bits - 96);
  const whole = bits === bytes.length * 8;
  const address = bytes.map((byte, index) => byte & ~(0xff >> Math.max(0, Math.min(8, bits - index * 8))) & 0xff);
  return { address: whole ? connectedAddress(address) : address, bits };
}

export function isMapped(bytes: readonly number[] | Uint8Array): boolean {
  return (
    bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
  );
}

/** Connecting to 0.0.0.0 or :: reaches the machine itself, as 127.0.0.1 and ::1 do, so they are one target. */
export function connectedAddress(bytes: readonly number[]): readonly number[] {
  if (bytes.some((byte) => byte !== 0)) return bytes;
  return bytes.length === 4 ? [127, 0, 0, 1] : [...bytes.slice(0, 15), 1];
}

function parsePorts(text: string): Ports {
  const match = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text);
  const low = Number(match?.[1]);
  const high = Number(match?.[2] ?? match?.[1]);
  if (!match || low > high || high > 65_535) throw new GlobMistake(`${text} is no port or range of ports`, 0);
  return [low, high];
}

/** The canonical spelling. */
export function formatDest(dest: Dest): string {
  switch (dest.kind) {
    case "all":
      return "all";
    case "unix":
      return `unix:${dest.glob}`;
    case "abstract":
      return `unix:@${dest.name.replace(/[*?[\]{},\\]/g, "\\$&")}${dest.isPrefix ? "*" : ""}`;
    case "inet":
      return formatInet(dest);
  }
}

function formatInet({ protocol, network, ports: [low, high] }: InetDest): string {
  const proto = protocol ? `${protocol}:` : "";
  const port = low === 0 && high === 65_535 ? "" : low === high ? `:${low}` : `:${low}-${high}`;
  return `${proto}${network ? formatNetwork(network) : "*"}${port}`;
}

function formatNetwork({ address, bits }: Network): string {
  const text = formatAddress(address);
  return bits === address.length * 8 ? text : `${text}/${bits}`;
}

/** 4 or 16 bytes as rules write an address: IPv6 in brackets and shortened. */
export function formatAddress(bytes: readonly number[] | Uint8Array): string {
  if (bytes.length === 4) return [...bytes].join(".");
  return `[${new (addresses().IPv6)([...bytes]).toRFC5952String()}]`;
}
