/** An answer of the server, and its bytes on the wire. */
import { outcomeOf, reasonOf, unknown, type UnknownCode } from "../codes.ts";

export interface Response {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly type: string;
  readonly body: string;
}

const PHRASES: Readonly<Record<number, string>> = {
  200: "OK",
  400: "Bad Request",
  401: "Unauthorized",
  404: "Not Found",
  405: "Method Not Allowed",
  413: "Content Too Large",
  417: "Expectation Failed",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  505: "HTTP Version Not Supported",
};

export function json(status: number, value: object, headers: Readonly<Record<string, string>> = {}): Response {
  return { status, headers, type: "application/json", body: JSON.stringify(value) };
}

/** A refusal in the form of a decision, for clients that read nothing else. */
export function refusal(
  status: number,
  code: UnknownCode,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return json(status, { decision: outcomeOf(code), reason: reasonOf(unknown(code, text)) }, headers);
}

export function plain(status: number, body: string, type = "text/plain; charset=utf-8"): Response {
  return { status, type, body };
}

export function bytesOf(response: Response, keepAlive: boolean, hasBody: boolean, now: number): Buffer {
  const { status, headers = {}, type, body } = response;
  const all = {
    date: new Date(now).toUTCString(),
    "content-type": type,
    "content-length": String(Buffer.byteLength(body)),
    "cache-control": "no-store",
    ...headers,
    connection: keepAlive ? "keep-alive" : "close",
  };
  const lines = Object.entries(all).map(([name, value]) => `${canonical(name)}: ${value}\r\n`);
  return Buffer.from(
    `HTTP/1.1 ${status} ${PHRASES[status] ?? "Unknown"}\r\n${lines.join("")}\r\n${hasBody ? body : ""}`,
  );
}

function canonical(name: string): string {
  return name.replace(/(^|-)[a-z]/g, (part) => part.toUpperCase());
}
