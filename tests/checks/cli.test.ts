/** The commands for permission checks, run as a user runs them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { INTEGRATIONS } from "../../src/checks/integrations/index.ts";
import { hallpass, type Ended } from "../support/hallpass.ts";
import { makePlaces } from "../support/places.ts";

const places = makePlaces();
const config = join(places.project, "hallpass.yaml");
const broken = join(places.project, "broken.yaml");
afterAll(() => places[Symbol.dispose]());

beforeAll(() => {
  const things = "  - id: things\n    integration: fake\n    users: bob@example.com\n    admins: ann@example.com\n";
  const down =
    "  - id: down\n    integration: kubernetes\n    url: http://127.0.0.1:1\n    credential: env:NOT_SET\n    timeout: 1s\n";
  writeFileSync(config, `api_key: env:NOT_SET\nconnections:\n${things}${down}`);
  writeFileSync(
    broken,
    "listne: :1\nconnections:\n  - id: A\n    integration: fake\n  - id: b\n    integration: nothing\n",
  );
});

const run = async (words: string, env: Record<string, string> = {}): Promise<Ended> =>
  await hallpass(places, words.split(" "), { env });
const ask = (user: string, resource = "thing:1"): string =>
  `-connection things -user ${user} -action thing.write -resource ${resource}`;

describe("hallpass check", () => {
  test.each([
    ["ann@example.com", 0, "allow\n  allowed: admins may write 1\n"],
    ["bob@example.com", 1, "deny\n  denied: only admins may write 1\n"],
    ["eve@example.com", 1, "deny\n  user_not_found: no account has this email\n"],
  ])("answers for %s with exit code %d", async (user, status, stdout) => {
    expect(await run(`check -config ${config} ${ask(user)}`)).toEqual({ status, stdout, stderr: "" });
  });

  test("says unknown with exit code 3", async () => {
    const { status, stdout } = await run(`check --config=hallpass.yaml ${ask("ann@example.com", "thing:a/b")}`);
    expect([status, stdout]).toEqual([3, expect.stringMatching(/^unknown\n {2}invalid_request: /)]);
    expect((await run(`check -config=${config} ${ask("a").replace("things", "other")}`)).status).toBe(3);
  });

  test("prints the HTTP body with -json, and takes groups", async () => {
    const { stdout } = await run(`check -config ${config} ${ask("ann@example.com")} -group a -group b -json`);
    expect(JSON.parse(stdout)).toEqual({ decision: "allow", reason: "allowed: admins may write 1" });
  });

  test.each([
    ["a missing flag", "check -connection things", "needs --user"],
    ["an unknown flag", `check -frsh ${ask("a@b")}`, "did you mean --fresh?"],
    ["a broken file", `check -config BROKEN ${ask("a@b")}`, ":1: there is no key listne"],
    ["no file", `check -config /nowhere ${ask("a@b")}`, "/nowhere:1: cannot be read (ENOENT)"],
    [
      "a key in the open",
      `check -server http://localhost:1 -api-key abc ${ask("a@b")}`,
      "must be env:NAME or file:/path",
    ],
    ["a server in the open", `check -server http://example.com ${ask("a@b")}`, "https://"],
    [
      "no server",
      `check -server http://127.0.0.1:1 -api-key env:KEY -timeout 2s ${ask("a@b")}`,
      "could not be reached",
    ],
    ["a flag of the other way", `check -timeout 2s ${ask("a@b")}`, "for asking a server"],
  ])("ends with 2 and no decision for %s", async (_, words, message) => {
    const { status, stdout, stderr } = await run(words.replace("BROKEN", broken), { KEY: "k" });
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  });

  test("asks a server", async () => {
    const server = createServer((request, response) => {
      request.resume();
      const isKnown = request.headers.authorization === "Bearer k";
      response.end(JSON.stringify(isKnown ? { decision: "deny", reason: "denied: no" } : {}));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const words = `check -server ${url} ${ask("a@b.test")}`;
    expect(await run(words, { HALLPASS_API_KEY: "k" })).toMatchObject({ status: 1, stdout: "deny\n  denied: no\n" });
    expect(await run(words, { HALLPASS_API_KEY: "l" })).toMatchObject({ status: 2, stdout: "" });
    server.closeAllConnections();
    server.close();
  });

  test("ends with 2 when it is interrupted", async () => {
    const server = createServer(() => {});
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const came = new Promise((resolve) => server.once("request", resolve));
    const words = ["check", "-server", url, ...ask("a@b.test").split(" ")];
    const child = Bun.spawn([join(import.meta.dir, "../../bin/hallpass"), ...words], {
      env: { ...process.env, HALLPASS_API_KEY: "k" },
      stderr: "pipe",
    });
    await came;
    child.kill("SIGINT");
    expect([await child.exited, await new Response(child.stderr).text()]).toEqual([
      2,
      expect.stringContaining("interrupted"),
    ]);
    server.closeAllConnections();
    server.close();
  });
});

test("hallpass validate names the connections, or every problem with its line and exit code 2", async () => {
  expect(await run(`validate -config ${config}`)).toEqual({
    status: 0,
    stdout: "in order: 2 connections (things, down)\n",
    stderr: "",
  });
  const { status, stderr } = await run(`validate --config ${broken}`);
  expect(status).toBe(2);
  for (const line of [1, 3, 6]) expect(stderr).toContain(`${broken}:${line}: `);
});

test("hallpass probe asks one system or all, and ends with 1 where one fails", async () => {
  const one = await run(`probe -config ${config} -connection things`);
  expect(one).toEqual({ status: 0, stdout: "things: ok: 1 users, 1 admins\n", stderr: "" });
  const all = await run(`probe -config ${config}`);
  expect([all.status, all.stdout]).toEqual([1, expect.stringMatching(/^things: ok: .*\ndown: failed: /)]);
  expect((await run(`probe -config ${config} -connection nothing`)).status).toBe(2);
});

test("hallpass catalog lists every system, and the keys and actions of one", async () => {
  const { stdout } = await run("catalog");
  for (const name of INTEGRATIONS.keys()) expect(stdout).toContain(`  ${name} `);
  const page = (await run("catalog vault")).stdout;
  for (const word of ["url", "credential", "timeout", "actions:"]) expect(page).toContain(word);
  expect(JSON.parse((await run("catalog kubernetes -json")).stdout)).toMatchObject({ integration: "kubernetes" });
  expect((await run("catalog nothing")).status).toBe(2);
});

test("hallpass version says the version", async () => {
  expect((await run("version")).stdout).toMatch(/^hallpass \d/);
});
