import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { waitFor } from "../../tests/support/wait.ts";
import { inspectPeer, type Peer, type Surroundings } from "./peer.ts";
import { peerCalls } from "./peer-calls.ts";

let folder: string;
let launcher: string;
let sessions: number[] = [];
let seen: Peer[] = [];
let close: () => void;

/** Connects and says one byte; then does as its argument says. */
const CONNECT = `
import os, socket, sys, time
one = socket.socket(socket.AF_UNIX); one.connect(sys.argv[1])
if sys.argv[2] == "hand-over" and os.fork(): os._exit(0)
if sys.argv[2] == "hand-over":
    while os.getppid() != 1 and os.path.exists("/proc/%s" % sys.argv[3]): time.sleep(0.005)
one.send(b"x"); one.recv(1)
`;

beforeAll(() => {
  folder = mkdtempSync("/tmp/hallpass-peer-");
  launcher = `${folder}/launcher`;
  copyFileSync("/bin/sh", launcher);
  const around: Surroundings = { uid: process.getuid!(), sessions: () => sessions, launcher };
  const listener = Bun.listen({
    unix: `${folder}/s`,
    socket: {
      data(socket): void {
        seen.push(inspectPeer((socket as unknown as { fd: number }).fd, peerCalls, around));
        socket.end("x");
      },
    },
  });
  close = () => listener.stop(true);
});

afterAll(() => {
  close();
  rmSync(folder, { recursive: true });
});

/** What is said of a connection that `command` makes; `python` stands for the program that connects. */
async function connectBy(command: (python: string) => string[]): Promise<Peer> {
  seen = [];
  const python = `python3 -c '${CONNECT.replaceAll("'", "")}' ${folder}/s`;
  const child = Bun.spawn(command(python), { stdin: "ignore" });
  await waitFor("a connection", () => seen.length > 0);
  await child.exited;
  return seen[0]!;
}

test("a process of the same user, outside of every sandbox, may attach", async () => {
  expect(await connectBy((python) => ["sh", "-c", `exec ${python} stay`])).toHaveProperty("pid");
});

test("a process below a session may not, however far below", async () => {
  sessions = [process.pid];
  const peer = await connectBy((python) => ["sh", "-c", `setsid sh -c "$0" & wait`, `${python} stay`]);
  sessions = [];
  expect(peer).toEqual({ refused: "a process inside a sandbox cannot attach to a session" });
});

test("a process below a launcher may not, when the session is long gone", async () => {
  const peer = await connectBy((python) => [launcher, "-c", `sh -c "$0"; :`, `${python} stay`]);
  expect(peer).toEqual({ refused: "a process inside a sandbox cannot attach to a session" });
});

test("a process that connects, hands the socket on and ends gains nothing", async () => {
  const peer = await connectBy((python) => ["sh", "-c", `sh -c 'eval "exec $0 hand-over $$"' "$0"; :`, python]);
  expect(peer).toEqual({ refused: "the client is gone" });
});
