import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { INFO, plainJudge, write } from "../session/fixture.ts";
import { Session, type SessionPorts } from "../session/session.ts";
import { connectSocket } from "./client.ts";
import { connectInProcess } from "./in-process.ts";
import { PROTOCOL_VERSION, type SessionConnection, type SessionEvent } from "./messages.ts";
import { Outbox } from "./outbox.ts";
import { type ControlServer, serveControl } from "./server.ts";

let folder: string;
let server: ControlServer;
let session: Session;
let replayed: string[];
let refused: string | undefined;

beforeEach(() => {
  folder = mkdtempSync("/tmp/hallpass-control-");
  replayed = [];
  refused = undefined;
  session = new Session({ prompt: "answer", save: "session" }, INFO, [], ports());
  server = serveControl(session, `${folder}/1.sock`, () => (refused === undefined ? { pid: 42 } : { refused }));
});

afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

function ports(): SessionPorts {
  return {
    protocolVersion: PROTOCOL_VERSION,
    judge: plainJudge,
    now: () => Date.now(),
    schedule: (milliseconds, callback) => {
      const timer = setTimeout(callback, milliseconds);
      return () => clearTimeout(timer);
    },
    replay: (id) => void replayed.push(id),
    refuse: () => undefined,
    publish: () => undefined,
    file: async () => undefined,
    log: () => undefined,
    run: async () => ({}),
  };
}

function ask(id: string, target: string): void {
  session.take({ type: "asked", id, call: write(target), by: [] });
}

function next<Type extends SessionEvent["type"]>(
  connection: SessionConnection,
  type: Type,
): Promise<Extract<SessionEvent, { type: Type }>> {
  return new Promise((resolve) => {
    const stop = connection.subscribe((event) => {
      if (event.type !== type) return;
      resolve(event as Extract<SessionEvent, { type: Type }>);
      queueMicrotask(() => stop());
    });
  });
}

/** A client that says what it likes. */
async function raw(...lines: string[]): Promise<string> {
  const heard: Buffer[] = [];
  const closed = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    unix: server.path,
    socket: {
      data: (_, bytes) => void heard.push(Buffer.from(bytes)),
      drain: () => outbox.flush(),
      close: () => closed.resolve(),
    },
  });
  const outbox = new Outbox(socket, 4 << 20);
  for (const line of lines) outbox.send(Buffer.from(`${line}\n`));
  await closed.promise;
  return Buffer.concat(heard).toString();
}

test("the socket is the user's alone", () => {
  expect(statSync(server.path).mode & 0o777).toBe(0o600);
});

test("a client sees what waits, answers it, and the others see who did", async () => {
  ask("c1", "/home/me/\udcff\u202ex");
  const one = await connectSocket(server.path, "answer");
  const bar = connectInProcess(session, "bar");
  const welcome = await next(one, "welcome");
  expect(welcome.requests[0]?.call.target).toBe("/home/me/\udcff\u202ex");
  const resolved = next(bar, "resolved");
  one.send({ type: "answer", answer: { request: 1, kind: "once" } });
  expect(await resolved).toMatchObject({ request: 1, answer: "once", client: "answer (pid 42)" });
  expect(replayed).toEqual(["c1"]);
  one.close();
});

test("the second of two answers is told that it came too late", async () => {
  ask("c1", "/home/me/x");
  const [one, two] = await Promise.all([connectSocket(server.path, "answer"), connectSocket(server.path, "tui")]);
  const done = next(two, "resolved");
  one.send({ type: "answer", answer: { request: 1, kind: "deny" } });
  await done;
  const reply = next(two, "reply");
  two.send({ type: "answer", answer: { request: 1, kind: "always" }, ref: 9 });
  expect(await reply).toMatchObject({ ref: 9, error: "request 1 has ended: deny by answer (pid 42)" });
  one.close();
  two.close();
});

test("a client that comes late to a connection is told how things are now", async () => {
  const one = await connectSocket(server.path, "answer");
  const seen = next(one, "request");
  ask("c1", "/home/me/x");
  await seen;
  expect((await next(one, "welcome")).requests).toHaveLength(1);
  one.close();
});

test("who is not admitted hears why and nothing else", async () => {
  refused = "a process inside a sandbox cannot attach to a session";
  ask("c1", "/home/me/secret");
  const hello = JSON.stringify({ type: "hello", version: PROTOCOL_VERSION, client: "answer" });
  const heard = await raw(hello, JSON.stringify({ type: "answer", answer: { request: 1, kind: "once" } }));
  expect(heard).toBe(`${JSON.stringify({ type: "bye", reason: refused })}\n`);
  expect(replayed).toEqual([]);
  expect(connectSocket(server.path, "answer")).rejects.toThrow(refused);
});

test("another version of the protocol is told so", async () => {
  expect(await raw(JSON.stringify({ type: "hello", version: 99, client: "answer" }))).toContain("the client 99");
});

test("nothing is done before hello, nor for what is no message", async () => {
  ask("c1", "/home/me/x");
  const answer = JSON.stringify({ type: "answer", answer: { request: 1, kind: "once" } });
  const hello = JSON.stringify({ type: "hello", version: PROTOCOL_VERSION, client: "answer" });
  expect(await raw(answer)).toContain("hello comes first");
  expect(await raw(hello, "{")).toContain("broken message");
  expect(await raw(hello, '{"type":"answer","answer":{"request":"1","kind":"once"}}')).toContain("broken message");
  expect(await raw(hello, '{"type":"constructor"}')).toContain("broken message");
  expect(await raw("x".repeat((1 << 20) + 1))).toContain("longer than");
  expect(replayed).toEqual([]);
});

test("a client that does not read is cut, and the session never waits for it", async () => {
  const closed = Promise.withResolvers<void>();
  const stuck = await Bun.connect({
    unix: server.path,
    socket: { open: (socket) => socket.pause(), data: () => undefined, close: () => closed.resolve() },
  });
  stuck.write(`${JSON.stringify({ type: "hello", version: PROTOCOL_VERSION, client: "stuck" })}\n`);
  const good = await connectSocket(server.path, "answer");
  const path = `/home/me/${"x".repeat(4000)}`;
  for (let n = 0; n < 6000; n++) {
    session.take({
      type: "decided",
      decision: { pid: 7, exe: "/n", syscall: "openat", path, decision: "deny", reason: "policy" },
    });
    if (n % 100 === 0) await new Promise(setImmediate);
  }
  stuck.resume();
  await closed.promise;
  const seen = next(good, "request");
  ask("c1", "/home/me/x");
  expect((await seen).request.call.target).toBe("/home/me/x");
  good.close();
});

test("a client learns that the session is over", async () => {
  const one = await connectSocket(server.path, "answer");
  const bye = next(one, "bye");
  session.close("bash has ended");
  expect((await bye).reason).toBe("bash has ended");
  expect(connectSocket(`${folder}/none.sock`, "answer")).rejects.toThrow("no session answers");
});
