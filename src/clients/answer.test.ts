import { expect, test } from "bun:test";
import { PassThrough } from "node:stream";
import { connectInProcess } from "../control/in-process.ts";
import { PROTOCOL_VERSION } from "../control/messages.ts";
import { INFO, plainJudge, write } from "../session/fixture.ts";
import type { PendingCall } from "../session/request.ts";
import { Session } from "../session/session.ts";
import { answerAsJson, answerRequests } from "./answer.ts";
import { readAnswerLine } from "./answer-words.ts";

/** A session, `hallpass answer` attached to it, and what it wrote. */
function attached(run = answerRequests) {
  const replayed: string[] = [];
  const refused: string[] = [];
  const session = new Session({ prompt: "answer", save: "session" }, INFO, [], {
    protocolVersion: PROTOCOL_VERSION,
    judge: plainJudge,
    now: () => 1_000_000,
    schedule: () => () => undefined,
    replay: (id) => void replayed.push(id),
    refuse: (id) => void refused.push(id),
    publish: () => undefined,
    file: async () => undefined,
    log: () => undefined,
    run: async () => ({}),
  });
  const input = new PassThrough();
  let text = "";
  const done = run(connectInProcess(session, "answer"), {
    input: input as unknown as NodeJS.ReadStream,
    write: (more) => void (text += more),
  });
  return {
    session,
    replayed,
    refused,
    done,
    type: (line: string) => input.write(`${line}\n`),
    end: () => input.end(),
    text: () => text,
    ask: (id: string, target: string, over: Partial<PendingCall> = {}) =>
      session.take({
        type: "asked",
        id,
        call: write(target, over),
        by: [{ pid: 7, name: "node", command: ["npm", "install"] }],
      }),
    settle: () => new Promise((resolve) => setTimeout(resolve, 0)),
  };
}

test("a line answers the request that is shown, and the next one is shown", async () => {
  const one = attached();
  one.ask("c1", "/home/me/.npm/a");
  one.ask("c2", "/home/me/b", { tid: 8, pid: 8 });
  expect(one.text()).toContain("node (pid 7) wants to create\n  /home/me/.npm/a\n  by: npm install");
  expect(one.text()).toContain("[t] and [a] allow: /home/me/.npm/**");
  one.type("o");
  await one.settle();
  expect(one.replayed).toEqual(["c1"]);
  expect(one.text()).toContain("request 1 is allowed once by answer");
  expect(one.text()).toContain("request 2: node (pid 8)");
});

test("a request can be named, and a duration and a shown target be given", async () => {
  const one = attached();
  one.ask("c1", "/home/me/.npm/a");
  one.ask("c2", "/home/me/b", { tid: 8, pid: 8 });
  one.type("2 timed 10m /home/me/b");
  await one.settle();
  expect(one.replayed).toEqual(["c2"]);
  expect(one.session.state.rules[0]).toMatchObject({ target: "/home/me/b", duration: 600_000 });
});

test("a target that the request does not offer is refused before it is sent", async () => {
  const one = attached();
  one.ask("c1", "/home/me/.npm/a");
  one.type("always /home/me/**");
  await one.settle();
  expect(one.text()).toContain("does not offer /home/me/**; it offers: /home/me/.npm/a /home/me/.npm/**");
  expect(one.session.state.rules).toEqual([]);
});

test("what is narrowed on the screen is what is granted", async () => {
  const one = attached();
  one.ask("c1", "/home/me/.npm/a");
  one.type("-");
  one.type("a");
  await one.settle();
  expect(one.session.state.rules[0]).toMatchObject({ target: "/home/me/.npm/a" });
});

test("another client's answer is shown with its name", async () => {
  const one = attached();
  one.ask("c1", "/home/me/x");
  connectInProcess(one.session, "bar").send({ type: "answer", answer: { request: 1, kind: "never" } });
  expect(one.text()).toContain("request 1 is denied for good by bar");
});

test("an answer that was piped in waits for its request, then the client ends", async () => {
  const one = attached();
  one.type("deny");
  one.end();
  await one.settle();
  one.ask("c1", "/home/me/x");
  await one.done;
  expect(one.refused).toEqual(["c1"]);
});

test("nothing a process controls reaches the terminal raw", () => {
  const one = attached();
  one.ask("c1", "/home/me/\u001b[2Ka\rb\nc\u202ed\udcff", { spelled: "x\u001b]0;t\u0007" });
  // oxlint-disable-next-line no-control-regex
  expect(one.text()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e\udcff]/);
  expect(one.text()).toContain(String.raw`/home/me/\x1b[2Ka\rb\nc\u{202e}d\xff`);
});

test("the end of the session ends the client and says so", async () => {
  const one = attached();
  one.session.close("bash has ended");
  await one.done;
  expect(one.text()).toContain("the session is over: bash has ended");
});

test("events and actions go as JSON lines where that is wanted", async () => {
  const one = attached(answerAsJson);
  one.ask("c1", "/home/me/x");
  one.type("rubbish");
  one.type(JSON.stringify({ type: "answer", answer: { request: 1, kind: "once" }, ref: 4 }));
  await one.settle();
  const types = one
    .text()
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { type: string }).type);
  expect(types).toEqual(["welcome", "request", "mistake", "resolved", "reply"]);
  one.session.close("over");
  await one.done;
});

test("a line that is no answer says what would be one", () => {
  expect(readAnswerLine("maybe")).toMatchObject({ type: "mistake" });
  expect(readAnswerLine("constructor")).toMatchObject({ type: "mistake" });
  expect(readAnswerLine("12")).toMatchObject({ type: "mistake" });
  expect(readAnswerLine("  ")).toEqual({ type: "nothing" });
  expect(readAnswerLine("7 t 1h30m /a b")).toEqual({
    type: "answer",
    request: 7,
    kind: "timed",
    duration: 5_400_000,
    target: "/a b",
  });
  expect(readAnswerLine("q")).toEqual({ type: "quit" });
});
