/** HTTP/1.1 requests out of the bytes of a connection, strictly: a request that two readers could take apart differently is refused (CHECKS §3.2). */

export interface Request {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Names in lower case; a header that came twice is not here (but for framing, which is refused). */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** The connection may be used for another request. */
  readonly keepAlive: boolean;
}

/** What is wrong with the bytes; the connection ends after it. */
export interface Refusal {
  readonly refuse: 400 | 413 | 417 | 431 | 505;
}

export const MAX_HEAD = 16 * 1024;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

type Head = Omit<Request, "body"> & { readonly length: number | "chunked"; readonly expects: boolean };

export class RequestReader {
  private bytes: Buffer = Buffer.alloc(0);
  private head: Head | undefined;
  private chunks: Chunks | undefined;

  /** `limit` says how long the body of a request to a path may be; `onContinue` tells a client that waits to send its body. */
  constructor(
    private readonly limit: (path: string) => number,
    private readonly onContinue: () => void,
  ) {}

  /** Nothing of a request is there yet. */
  get isIdle(): boolean {
    return this.head === undefined && this.bytes.length === 0;
  }

  get hasHead(): boolean {
    return this.head !== undefined;
  }

  feed(bytes: Buffer): void {
    this.bytes = this.bytes.length === 0 ? bytes : Buffer.concat([this.bytes, bytes]);
  }

  /** The next whole request, what is wrong with it, or undefined while more bytes are needed. */
  next(): Request | Refusal | undefined {
    if (this.head === undefined) {
      const refusal = this.readHead();
      if (refusal !== undefined || this.head === undefined) return refusal;
    }
    const { length, expects: _, ...rest } = this.head;
    const body = length === "chunked" ? this.readChunks(rest.path) : this.readLength(length);
    if (body === undefined || "refuse" in body) return body;
    this.head = undefined;
    this.chunks = undefined;
    return { ...rest, body };
  }

  private readHead(): Refusal | undefined {
    const end = this.bytes.indexOf("\r\n\r\n");
    if (end < 0) return this.bytes.length > MAX_HEAD ? { refuse: 431 } : undefined;
    if (end > MAX_HEAD) return { refuse: 431 };
    const head = parseHead(this.bytes.toString("latin1", 0, end));
    if ("refuse" in head) return head;
    if (head.length !== "chunked" && head.length > this.limit(head.path)) return { refuse: 413 };
    this.bytes = this.bytes.subarray(end + 4);
    this.head = head;
    if (head.expects && this.bytes.length === 0 && head.length !== 0) this.onContinue();
    return undefined;
  }

  private readLength(length: number): Buffer | undefined {
    if (this.bytes.length < length) return undefined;
    const body = this.bytes.subarray(0, length);
    this.bytes = this.bytes.subarray(length);
    return body;
  }

  private readChunks(path: string): Buffer | Refusal | undefined {
    this.chunks ??= new Chunks(this.limit(path));
    const rest = this.chunks.read(this.bytes);
    if (!Buffer.isBuffer(rest)) return rest;
    this.bytes = rest;
    return this.chunks.body;
  }
}

/** A chunked body; extensions and trailers are refused, since nothing here needs them. */
class Chunks {
  /** Set once the last chunk has come. */
  body: Buffer | undefined;
  private readonly parts: Buffer[] = [];
  private size = 0;

  constructor(private readonly limit: number) {}

  /** What is left of the bytes after whole chunks. */
  read(bytes: Buffer): Buffer | Refusal {
    let rest = bytes;
    for (;;) {
      const line = rest.indexOf("\r\n");
      if (line < 0) return rest.length > 9 ? { refuse: 400 } : rest;
      const digits = rest.toString("latin1", 0, line);
      if (!/^[0-9A-Fa-f]{1,8}$/.test(digits)) return { refuse: 400 };
      const length = Number.parseInt(digits, 16);
      if (this.size + length > this.limit) return { refuse: 413 };
      const end = line + 2 + length;
      if (rest.length < end + 2) return rest;
      if (rest.toString("latin1", end, end + 2) !== "\r\n") return { refuse: 400 };
      this.parts.push(rest.subarray(line + 2, end));
      this.size += length;
      rest = rest.subarray(end + 2);
      if (length > 0) continue;
      this.body = Buffer.concat(this.parts);
      return rest;
    }
  }
}

function parseHead(text: string): Head | Refusal {
  const [first = "", ...lines] = text.split("\r\n");
  const [, method = "", target = "", version] = /^(\S+) (\S+) HTTP\/1\.([01])$/.exec(first) ?? [];
  if (version === undefined) return { refuse: /^\S+ \S+ HTTP\/[02-9]/.test(first) ? 505 : 400 };
  const headers = parseHeaders(lines);
  if (!TOKEN.test(method) || !/^\/[\x21-\x7e]*$/.test(target) || headers === undefined) return { refuse: 400 };
  if (version === "1" && headers.get("host")?.length !== 1) return { refuse: 400 };
  const length = framing(headers, version === "1");
  if (length === undefined) return { refuse: 400 };
  const expect = headers.get("expect")?.join().toLowerCase();
  if (expect !== undefined && expect !== "100-continue") return { refuse: 417 };
  const connection = (headers.get("connection") ?? [])
    .join()
    .toLowerCase()
    .split(/[\t ]*,[\t ]*/);
  const keepAlive = version === "1" ? !connection.includes("close") : connection.includes("keep-alive");
  const path = target.replace(/[?#].*$/, "");
  return {
    method,
    path,
    headers: single(headers),
    keepAlive,
    length,
    expects: expect !== undefined && version === "1",
  };
}

/** Undefined where a line is no header: no folding, no space before the colon, no control character. */
function parseHeaders(lines: readonly string[]): Map<string, string[]> | undefined {
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    const value = line.slice(colon + 1).replace(/^[\t ]+|[\t ]+$/g, "");
    if (!TOKEN.test(name) || !VALUE.test(value)) return undefined;
    headers.set(name, [...(headers.get(name) ?? []), value]);
  }
  return headers;
}

function single(headers: ReadonlyMap<string, readonly string[]>): Map<string, string> {
  return new Map([...headers].flatMap(([name, [value, ...more]]) => (more.length === 0 ? [[name, value ?? ""]] : [])));
}

/** One Content-Length of digits, or exactly one `chunked`, never both; undefined for anything else. */
function framing(headers: ReadonlyMap<string, readonly string[]>, isCurrent: boolean): number | "chunked" | undefined {
  const lengths = headers.get("content-length");
  const codings = headers.get("transfer-encoding");
  if (codings !== undefined) {
    const isChunked = codings.length === 1 && codings[0]?.toLowerCase() === "chunked";
    return lengths === undefined && isChunked && isCurrent ? "chunked" : undefined;
  }
  if (lengths === undefined) return 0;
  const [length = "", ...more] = lengths;
  return more.length === 0 && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}
