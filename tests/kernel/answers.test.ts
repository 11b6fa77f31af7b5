/** Requests and answers of a real session, over its socket: what is shown, what is granted, what is logged, what is saved. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { Asking, type AskingPlaces, askingEnv, logged, makeAskingPlaces, savedRules } from "../support/asking.ts";
import { hallpassFor } from "../support/hallpass.ts";
import { waitFor } from "../support/wait.ts";

let places: AskingPlaces;
let home: string;
let runtime: string;
let log: string;
beforeEach(() => {
  places = makeAskingPlaces();
  ({ home, runtime, log } = places);
});
afterEach(() => places[Symbol.dispose]());

const write = (path: string): string => `(echo new > '${path}') 2> /dev/null && echo yes || echo no`;

test("once allows the one call, and the same call is asked again", async () => {
  const path = `${places.outside}/keep`;
  await using session = await Asking.start(places, `${write(path)}; ${write(path)}`);
  const first = await session.request(path);
  expect(first).toMatchObject({ count: 1, call: { category: "write", operation: "overwrite", target: path } });
  session.answer(first, "once");
  const second = await waitFor("the second request", async () => {
    const now = await session.request(path);
    return now.id !== first.id && now;
  });
  session.answer(second, "deny");
  expect(await session.output()).toBe("yes\nno\n");
  expect(savedRules(places)).toEqual([]);
  expect(logged(places)).toMatchObject([
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
    await using session = await Asking.start(places, script);
    const first = await session.request(`${home}/.npm/_cacache`);
    expect(first.wider[first.widerIndex]).toBe(`${home}/.npm/**`);
    session.answer(first, "always");
    session.answer(await session.request(other), "never");
    expect(await session.output()).toBe("yes\nno\nno\n");
    expect(savedRules(places)).toEqual([`allow write ${home}/.npm/**`, `deny write ${other}`]);
  }
  await using next = await Asking.start(places, `${write(cache)}; ${write(other)}`);
  expect(await next.output()).toBe("yes\nno\n");
});

test("timed grants what it shows, resolves what it covers, and leaves nothing behind", async () => {
  const [one, two] = [`${home}/.npm/one`, `${home}/.npm/two`];
  await using session = await Asking.start(places, `(${write(one)}) & (${write(two)}) & wait`);
  await session.request(one);
  const request = await session.request(two);
  session.answer(request, "timed", { duration: 60_000 });
  expect(await session.output()).toBe("yes\nyes\n");
  const answered = () => session.events.filter((event) => event.type === "resolved");
  await waitFor("both answers", () => answered().length === 2);
  const resolved = answered();
  expect(resolved.map((event) => event.answer).toSorted()).toEqual(["rule", "timed"]);
  expect(savedRules(places)).toEqual([]);
  expect(logged(places).map(({ reason, rule }) => ({ reason, rule }))).toContainEqual({
    reason: "user",
    rule: `allow write ${home}/.npm/** for 1m`,
  });
});

test("an edit of the rule file by hand decides what waits, at once", async () => {
  const path = `${home}/.npm/a`;
  await using session = await Asking.start(places, write(path));
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
  const env = askingEnv(places);
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
    places,
    `read x < ${places.project}/go; ${write(`${home}/.npm/a`)}`.replace("read", `mkfifo ${places.project}/go; read`),
  );
  writeFileSync(file, "allow nothing\n");
  await waitFor("the notice", () => session.mirror.session.notice?.includes(":1:7: expected write"));
  writeFileSync(`${places.project}/go`, "x\n");
  expect(await session.output()).toBe("yes\n");
});

test("a caller that is killed takes its request with it", async () => {
  const path = `${places.outside}/keep`;
  await using session = await Asking.start(places, `sh -c 'echo $$ > pid; echo new > ${path}' & wait; echo over`);
  await session.request(path);
  process.kill(Number(readFileSync(`${places.project}/pid`, "utf8")), "SIGKILL");
  expect(await session.output()).toBe("over\n");
  expect(session.events.filter((event) => event.type === "resolved")).toMatchObject([{ answer: "gone" }]);
  expect(logged(places)).toMatchObject([{ decision: "deny", reason: "gone", path }]);
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
  await using session = await Asking.start(places, "exec /usr/bin/python3 wait.py", ["--allow-exec", "/usr/bin/**"]);
  const request = await session.request(path);
  const output = session.child.stdout.getReader();
  process.kill(Number(readFileSync(`${places.project}/pid`, "utf8")), "SIGUSR1");
  expect(new TextDecoder().decode((await output.read()).value)).toBe("handler\n");
  await waitFor("the call to come again", () => session.mirror.requests.has(request.id));
  session.answer(request, "once");
  expect(new TextDecoder().decode((await output.read()).value)).toStartWith("written");
  expect(session.events.filter((event) => event.type === "request")).toHaveLength(1);
});

test("a request that nobody answers is denied after --timeout", async () => {
  const path = `${places.outside}/keep`;
  await using session = await Asking.start(places, write(path), ["--timeout=1s"]);
  expect(await session.output()).toBe("no\n");
  expect(logged(places)).toMatchObject([{ decision: "deny", reason: "timeout", path }]);
});

test("what hallpass keeps for itself is denied in every mode, and nothing in the sandbox attaches to it", async () => {
  const script = `for f in ${log} ${home}/.config/hallpass/rules ${runtime}/hallpass/x ${home}/.local/state/hallpass/x; do (echo x >> $f) 2> /dev/null && echo wrote $f; done; echo once | "$HP" answer > /dev/null 2>&1 && echo attached; ${write(`${places.outside}/keep`)}`;
  const env = { ...askingEnv(places), HP: hallpassFor()[0]! };
  mkdirSync(`${home}/.config/hallpass`, { recursive: true });
  const command = [...hallpassFor(), "--prompt=allow", `--log=${log}`, "--", "sh", "-c", script];
  const child = Bun.spawn(command, { cwd: places.project, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  expect(await new Response(child.stdout).text()).toBe("yes\n");
  const reasons = logged(places).map(({ path, reason, decision }) => `${decision} ${reason} ${path}`);
  expect(reasons).toContain(`deny builtin ${log}`);
  expect(reasons).toContain(`allow audit ${places.outside}/keep`);
});
