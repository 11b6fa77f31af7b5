/** Every command of the README, typed into one terminal in the order in which it stands there. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fenced, read } from "../support/docs.ts";
import { environment } from "../support/hallpass.ts";
import { makePlaces, type Places } from "../support/places.ts";
import { TerminalProgram } from "../support/terminal.ts";
import { tree } from "../support/tree.ts";
import { waitFor } from "../support/wait.ts";

const lines = fenced(read("README.md"), "sh").flatMap((block) => block.trim().split("\n"));

/** Shell depth, number of the command and status of the last one: tells one prompt from the next. */
const PROMPT = /^\[(\d+):(\d+):(\d+)\]$/;
const BASHRC = `PS1='[$SHLVL:\\#:$?] '\nHISTFILE=\nunset PROMPT_COMMAND\n`;

let places: Places;
let terminal: TerminalProgram;
let home = "";

beforeAll(async () => {
  places = makePlaces();
  home = join(places.root, "home");
  mkdirSync(home);
  writeFileSync(join(home, ".bashrc"), BASHRC);
  const prefix = join(places.root, "prefix");
  const base = environment(places);
  const kept = Object.entries(base).filter(([name]) => !/^(npm_|INIT_CWD$|HALLPASS)/.test(name));
  const env = {
    ...Object.fromEntries(kept),
    HOME: home,
    SHELL: "/bin/bash",
    PATH: `${join(prefix, "bin")}:${base.PATH ?? ""}`,
    npm_config_prefix: prefix,
    npm_config_cache: join(places.root, "npm-cache"),
  };
  terminal = new TerminalProgram(["bash"], { cwd: tree, env, cols: 100, rows: 40 });
  await prompt("");
});
afterAll(async () => {
  await terminal[Symbol.asyncDispose]();
  places[Symbol.dispose]();
});

/** The prompt that the shell shows when it waits for the next command, other than `before`. */
async function prompt(before: string, timeoutMs = 120_000): Promise<string> {
  const look = (): string | undefined => {
    const last = terminal.rows().findLast((row) => row !== "") ?? "";
    return PROMPT.test(last) && last !== before ? last : undefined;
  };
  return waitFor("a prompt", look, timeoutMs).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${terminal.text()}`, { cause: error });
  });
}

async function typed(line: string): Promise<{ depth: number; status: number }> {
  const before = await prompt("");
  terminal.type(`${line}\r`);
  const [, depth, , status] = PROMPT.exec(await prompt(before)) ?? [];
  return { depth: Number(depth), status: Number(status) };
}

/** The bar takes no key in the first half second: the key is pressed until the bar has gone. */
async function answer(key: string): Promise<void> {
  await terminal.shows("wants to write");
  await waitFor("the bar goes", () => {
    if (!terminal.text().includes("wants to write")) return true;
    terminal.type(key);
    return Bun.sleep(100).then(() => false);
  });
}

/** What a person does at these lines; any other line is typed and must end with status 0. */
const AT: Record<string, (line: string) => Promise<void>> = {
  "npm test": async () => {
    // What runs this test: it is held to be the same command, and not run inside itself.
    expect((JSON.parse(read("package.json")) as { scripts: Record<string, string> }).scripts.test).toBe(
      "sh scripts/test.sh",
    );
  },
  "npm start": async (line) => {
    const inside = await typed(line);
    expect(inside.depth).toBeGreaterThan(1);
    expect((await typed("exit")).depth).toBeLessThan(inside.depth);
  },
  hallpass: async (line) => expect((await typed(line)).status).toBe(0),
  "cat denied.jsonl": async (line) => {
    await typed(line);
    const [denial] = readFileSync(join(home, "my-project", "denied.jsonl"), "utf8")
      .trim()
      .split("\n");
    expect(JSON.parse(denial ?? "")).toMatchObject({ path: join(home, ".profile"), decision: "deny", op: "create" });
  },
  "echo 'alias ls=rm' >> ~/.bashrc": async (line) => {
    const before = await prompt("");
    terminal.type(`${line}\r`);
    await answer("d");
    expect(PROMPT.exec(await prompt(before))?.[3]).toBe("1");
    expect(terminal.text()).toContain("Permission denied");
    expect(readFileSync(join(home, ".bashrc"), "utf8")).toBe(BASHRC);
    await typed("exit");
  },
};

test.each(lines)(
  "%s",
  async (line) => {
    const special = AT[line];
    if (special !== undefined) await special(line);
    else expect([line, (await typed(line)).status, terminal.text()]).toEqual([line, 0, expect.any(String)]);
  },
  180_000,
);

test("every line that is treated specially stands in the README", () => {
  expect(Object.keys(AT).filter((line) => !lines.includes(line))).toEqual([]);
});

test("says first what it is, then shows the bar, the two commands, a first session and the limits", () => {
  const text = read("README.md");
  const order = ["# hallpass", "](docs/bar.svg)", "## Two commands", "## A first session", "## Limits"].map((part) =>
    text.indexOf(part),
  );
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  expect(order).not.toContain(-1);
});
