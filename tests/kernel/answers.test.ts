/** Requests and answers of a real session, over its socket: what is shown, what is granted, what is logged, what is saved. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connectSocket } from "../../src/control/client.ts";
import { sessionPids, socketPath } from "../../src/control/folder.ts";
import type { Decision, SessionConnection, SessionEvent } from "../../src/control/messages.ts";
import { SessionMirror } from "../../src/control/mirror.ts";
import type { AnswerKind, Request } from "../../src/session/request.ts";
import { hallpassFor } from "../support/hallpass.ts";
import { makePlaces, type Places } from "../support/places.ts";
import { waitFor } from "../support/wait.ts";

let places: Places;
let home: string;
let runtime: string;
let log: string;
beforeEach(() => {
  places = makePlaces();
  home = `${places.root}/home`;
  runtime = `${places.root}/run`;
  log = `${places.root}/log.jsonl`;
  for (const folder of [home, runtime, `${home}/.npm`]) mkdirSync(folder, { mode: 0o700 });
});
afterEach(() => places[Symbol.dispose]());

/** A session that asks over its socket, and a client of it. */
class Asking implements AsyncDisposable {
  readonly events: SessionEvent[] = [];
  readonly mirror: SessionMirror;

  private constructor(
    readonly child: Bun.Subprocess<"ignore", "pipe", "pipe">,
    readonly connection: SessionConnection,
  ) {
    let mirror: SessionMirror | undefined;
    connection.subscribe((event) => {
      this.events.push(event);
      if (event.type === "welcome") mirror = new SessionMirror(event);
      else mirror?.take(event);
    });
    this.mirror = mirror!;
  }

  static async start(script: string, flags: readonly string[] = []): Promise<Asking> {
    const env = { ...process.env, HOME: home, XDG_RUNTIME_DIR: runtime };
    const command = [...hallpassFor(), "--prompt=answer", `--log=${log}`, ...flags, "--", "sh", "-c", script];
    const child = Bun.spawn(command, { cwd: places.project, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
    const [pid] = await waitFor(
      "a session",
      () => sessionPids(`${runtime}/hallpass`).length > 0 && sessionPids(`${runtime}/hallpass`),
    );
    return new Asking(child, await connectSocket(socketPath(`${runtime}/hallpass`, pid!), "test"));
  }

  request(target?: string): Promise<Request> {
    const find = (): Request | undefined =>
      [...this.mirror.requests.values()].find((one) => target === undefined || one.call.target === target);
    return waitFor(`a request${target === undefined ? "" : ` for ${target}`}`, find);
  }

  answer(request: Request, kind: AnswerKind, more: { target?: string; duration?: number } = {}): void {
    this.connection.send({ type: "answer", answer: { request: request.id, kind, ...more }, ref: request.id });
  }

  async output(): Promise<string> {
    return new Response(this.child.stdout).text();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGKILL");
    await this.child.exited;
    this.connection.close();
  }
}

function logged(): Decision[] {
  return readFileSync(log, "utf8")
    .trimEnd()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Decision);
}

function savedRules(): string[] {
  const folder = `${home}/.config/hallpass/projects`;
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) =>
    readFileSync(`${folder}/${name}`, "utf8")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#")),
  );
}

const write = (path: string): string => `(echo new > '${path}') 2> /dev/null && echo yes || echo no`;

test("once allows the one call, and the same call is asked again", async () => {
  const path = `${places.outside}/keep`;
  await using session = await Asking.start(`${write(path)}; ${write(path)}`);
  const first = await session.request(path);
  expect(first).toMatchObject({ count: 1, call: { category: "write", operation: "overwrite", target: path } });
  session.answer(first, "once");
  const second = await waitFor("the second request", async () => {
    const now = await session.request(path);
    return now.id !== first.id && now;
  });
  session.answer(second, "deny");
  expect(await session.output()).toBe("yes\nno\n");
  expect(savedRules()).toEqual([]);
  expect(logged()).toMatchObject([
    {
      decision: "allow",
      reason: "user",
      path,
      request: first.id,
      client: expect.stringMatching(/^test \(pid \d+\)$/) as string,
    },
    { decision: "deny", reason: "user", path, request: second.id },
  ]);
});

test("always and never are saved for the project, hold for what waits and for the next session", async () => {
  const [cache, other] = [`${home}/.npm/_cacache/a`, `${home}/.npmrc`];
  const script = `mkdir ${home}/.npm/_cacache; ${write(cache)}; ${write(other)}; ${write(other)}`;
  {
    await using session = await Asking.start(script);
    const first = await session.request(`${home}/.npm/_cacache`);
    expect(first.wider[first.widerIndex]).toBe(`${home}/.npm/**`);
    session.answer(first, "always");
    session.answer(await session.request(other), "never");
    expect(await session.output()).toBe("yes\nno\nno\n");
    expect(savedRules()).toEqual([`allow write ${home}/.npm/**`, `deny write ${other}`]);
  }
  await using next = await Asking.start(`${write(cache)}; ${write(other)}`);
  expect(await next.output()).toBe("yes\nno\n");
});

test("timed grants what it shows, resolves what it covers, and leaves nothing behind", async () => {
  const [one, two] = [`${home}/.npm/one`, `${home}/.npm/two`];
  await using session = await Asking.start(`(${write(one)}) & (${write(two)}) & wait`);
  await session.request(one);
  const request = await session.request(two);
  session.answer(request, "timed", { duration: 60_000 });
  expect(await session.output()).toBe("yes\nyes\n");
  const resolved = session.events.filter((event) => event.type === "resolved");
  expect(resolved.map((event) => event.answer).toSorted()).toEqual(["rule", "timed"]);
  expect(savedRules()).toEqual([]);
  expect(logged().map(({ reason, rule }) => ({ reason, rule }))).toContainEqual({
    reason: "user",
    rule: `allow write ${home}/.npm/** for 1m`,
  });
});

test("an edit of the rule file by hand decides what waits, at once", async () => {
  const path = `${home}/.npm/a`;
  await using session = await Asking.start(write(path));
  await session.request(path);
  mkdirSync(`${home}/.config/hallpass`, { recursive: true });
  writeFileSync(`${home}/.config/hallpass/rules`, `# mine\nallow write ~/.npm/**\n`);
  expect(await session.output()).toBe("yes\n");
  expect(session.events.filter((event) => event.type === "resolved")).toMatchObject([{ answer: "rule" }]);
});

test("a rule file with a mistake runs nothing, and one that gets a mistake changes nothing", async () => {
  mkdirSync(`${home}/.config/hallpass`, { recursive: true });
  const file = `${home}/.config/hallpass/rules`;
  writeFileSync(file, "allow write ~/.npm/**\nallow nothing\n");
  const env = { ...process.env, HOME: home, XDG_RUNTIME_DIR: runtime };
  const child = Bun.spawn([...hallpassFor(), "--prompt=deny", "--", "echo", "ran"], {
    cwd: places.project,
    env,
    stdout: "pipe",
    stderr: "pipe",
  });
  expect(await new Response(child.stdout).text()).toBe("");
  expect(await new Response(child.stderr).text()).toMatch(/^hallpass: .*\/rules:2:7: expected write/);
  expect(await child.exited).toBe(2);

  writeFileSync(file, "allow write ~/.npm/**\n");
  await using session = await Asking.start(
    `read x < ${places.project}/go; ${write(`${home}/.npm/a`)}`.replace("read", `mkfifo ${places.project}/go; read`),
  );
  writeFileSync(file, "allow nothing\n");
  await waitFor("the notice", () => session.mirror.session.notice?.includes(":1:7: expected write"));
  writeFileSync(`${places.project}/go`, "x\n");
  expect(await session.output()).toBe("yes\n");
});

test("a caller that is killed takes its request with it", async () => {
  const path = `${places.outside}/keep`;
  await using session = await Asking.start(`sh -c 'echo $$ > pid; echo new > ${path}' & wait; echo over`);
  await session.request(path);
  process.kill(Number(readFileSync(`${places.project}/pid`, "utf8")), "SIGKILL");
  expect(await session.output()).toBe("over\n");
  expect(session.events.filter((event) => event.type === "resolved")).toMatchObject([{ answer: "gone" }]);
  expect(logged()).toMatchObject([{ decision: "deny", reason: "gone", path }]);
});

test("a signal handler runs while its caller waits, and the request stays the same one", async () => {
  const path = `${places.outside}/keep`;
  const program = `
import os, signal
signal.signal(signal.SIGUSR1, lambda *_: (os.write(1, b"handler\\n")))
open("pid", "w").write(str(os.getpid()))
open(${JSON.stringify(path)}, "a").write("more"); print("written", flush=True)
`;
  writeFileSync(`${places.project}/wait.py`, program);
  await using session = await Asking.start("exec /usr/bin/python3 wait.py", ["--allow-exec", "/usr/bin/**"]);
  const request = await session.request(path);
  const output = session.child.stdout.getReader();
  process.kill(Number(readFileSync(`${places.project}/pid`, "utf8")), "SIGUSR1");
  expect(new TextDecoder().decode((await output.read()).value)).toBe("handler\n");
  await waitFor("the call to come again", () => session.mirror.requests.has(request.id));
  session.answer(request, "once");
  expect(new TextDecoder().decode((await output.read()).value)).toBe("written\n");
  expect(session.events.filter((event) => event.type === "request")).toHaveLength(1);
});

test("a request that nobody answers is denied after --timeout", async () => {
  const path = `${places.outside}/keep`;
  await using session = await Asking.start(write(path), ["--timeout=1s"]);
  expect(await session.output()).toBe("no\n");
  expect(logged()).toMatchObject([{ decision: "deny", reason: "timeout", path }]);
});

test("what hallpass keeps for itself is denied in every mode, and nothing in the sandbox attaches to it", async () => {
  const script = `for f in ${log} ${home}/.config/hallpass/rules ${runtime}/hallpass/x ${home}/.local/state/hallpass/x; do (echo x >> $f) 2> /dev/null && echo wrote $f; done; echo once | "$HP" answer > /dev/null 2>&1 && echo attached; ${write(`${places.outside}/keep`)}`;
  const env = { ...process.env, HOME: home, XDG_RUNTIME_DIR: runtime, HP: hallpassFor()[0]! };
  mkdirSync(`${home}/.config/hallpass`, { recursive: true });
  const command = [...hallpassFor(), "--prompt=allow", `--log=${log}`, "--", "sh", "-c", script];
  const child = Bun.spawn(command, { cwd: places.project, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  expect(await new Response(child.stdout).text()).toBe("yes\n");
  const reasons = logged().map(({ path, reason, decision }) => `${decision} ${reason} ${path}`);
  expect(reasons).toContain(`deny builtin ${log}`);
  expect(reasons).toContain(`allow audit ${places.outside}/keep`);
});
