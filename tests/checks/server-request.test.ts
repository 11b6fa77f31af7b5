/** Taking requests apart: any split of the bytes gives the same, and nothing that two readers could read differently gets through. */
import { describe, expect, test } from "bun:test";
import { RequestReader, type Refusal, type Request } from "../../src/checks/server/request.ts";

function read(text: string, step = text.length): (Request | Refusal)[] {
  const reader = new RequestReader(
    () => 100,
    () => {},
  );
  const found: (Request | Refusal)[] = [];
  for (let at = 0; at < text.length; at += step) {
    reader.feed(Buffer.from(text.slice(at, at + step), "latin1"));
    for (let next = reader.next(); next !== undefined; next = reader.next()) {
      found.push(next);
      if ("refuse" in next) return found;
    }
  }
  return found;
}

const shown = (found: readonly (Request | Refusal)[]): unknown[] =>
  found.map((one) =>
    "refuse" in one ? one.refuse : `${one.method} ${one.path} ${one.body.toString()} ${one.keepAlive}`,
  );
const request = (head: string, body = ""): string => `POST /check HTTP/1.1\r\nHost: h\r\n${head}\r\n${body}`;

describe("a request", () => {
  const three =
    request("Content-Length: 3\r\n", "abc") +
    request("Transfer-Encoding: Chunked\r\n", "3\r\nabc\r\n0A\r\n0123456789\r\n0\r\n\r\n") +
    "GET /healthz?x=1 HTTP/1.0\r\n\r\n";

  test.each([1, 2, 3, 7, 1000])("is the same in pieces of %d bytes", (step) => {
    expect(shown(read(three, step))).toEqual([
      "POST /check abc true",
      "POST /check abc0123456789 true",
      "GET /healthz  false",
    ]);
  });

  test("keeps no header that came twice", () => {
    const [found] = read(request("Authorization: a\r\nAuthorization: b\r\nX: 1\r\n"));
    expect([...(found as Request).headers.keys()]).toEqual(["host", "x"]);
  });
});

test.each([
  ["both framings", request("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", "abc"), 400],
  ["two lengths", request("Content-Length: 3\r\nContent-Length: 3\r\n", "abc"), 400],
  ["a list of lengths", request("Content-Length: 3, 3\r\n", "abc"), 400],
  ["a signed length", request("Content-Length: +3\r\n", "abc"), 400],
  ["a length of words", request("Content-Length: 3 3\r\n", "abc"), 400],
  ["two codings", request("Transfer-Encoding: gzip, chunked\r\n"), 400],
  ["chunked twice", request("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), 400],
  ["another coding", request("Transfer-Encoding: xchunked\r\n"), 400],
  ["chunked in HTTP/1.0", "POST /check HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400],
  ["a chunk's extension", request("Transfer-Encoding: chunked\r\n", "3;x=1\r\nabc\r\n0\r\n\r\n"), 400],
  ["a chunk size in 0x", request("Transfer-Encoding: chunked\r\n", "0x3\r\nabc\r\n0\r\n\r\n"), 400],
  ["a chunk longer than it says", request("Transfer-Encoding: chunked\r\n", "3\r\nabcd\r\n0\r\n\r\n"), 400],
  ["a trailer", request("Transfer-Encoding: chunked\r\n", "0\r\nX: 1\r\n\r\n"), 400],
  ["too many chunks", request("Transfer-Encoding: chunked\r\n", "40\r\n".padEnd(68, "x") + "\r\n40\r\n"), 413],
  ["too long a body", request("Content-Length: 101\r\n"), 413],
  ["long headers", request(`X: ${"x".repeat(17_000)}\r\n`), 431],
  ["headers that do not end", "GET / HTTP/1.1\r\nX: ".padEnd(17_000, "x"), 431],
  ["a space before the colon", request("Content-Length : 3\r\n", "abc"), 400],
  ["a folded header", request("X: 1\r\n y\r\n"), 400],
  ["a bare line feed", "POST /check HTTP/1.1\nHost: h\r\n\r\n", 400],
  ["a null in a header", request("X: a\0b\r\n"), 400],
  ["no host", "GET /healthz HTTP/1.1\r\n\r\n", 400],
  ["two hosts", request("Host: i\r\n"), 400],
  ["a whole URL", "GET http://h/healthz HTTP/1.1\r\nHost: h\r\n\r\n", 400],
  ["two spaces", "GET  /healthz HTTP/1.1\r\nHost: h\r\n\r\n", 400],
  ["HTTP/2", "PRI * HTTP/2.0\r\n\r\n", 505],
  ["an expectation of another kind", request("Expect: 200-ok\r\n"), 417],
])("%s is refused, in whatever pieces it comes", (_, text, status) => {
  for (const step of [1, 5, text.length]) expect(shown(read(text, step))).toEqual([status]);
});
