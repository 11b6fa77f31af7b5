/** However hallpass ends, the shell it was started from has its terminal as it was. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { hallpassProgram } from "../support/tree.ts";
import { makePlaces, type Places } from "../support/places.ts";
import { TerminalProgram } from "../support/terminal.ts";
import { isAlive, waitFor } from "../support/wait.ts";

let places: Places;
beforeAll(() => {
  places = makePlaces();
});
afterAll(() => {
  places[Symbol.dispose]();
});

let marks = 0;

/** An interactive shell; what is typed is a line, and its end is waited for. */
class Shell implements AsyncDisposable {
  readonly terminal: TerminalProgram;

  constructor() {
    const env = { PATH: process.env.PATH!, HOME: places.root, PS1: "outer> ", LC_ALL: "C.UTF-8" };
    this.terminal = new TerminalProgram(["bash", "--norc", "--noprofile", "-i"], { cwd: places.project, env });
  }

  async run(line: string): Promise<string> {
    const mark = `done-${++marks}`;
    this.terminal.type(`${line}; echo ${mark.slice(0, 4)}''${mark.slice(4)}\r`);
    await waitFor(`the end of ${line}`, () => this.terminal.history().includes(mark), 20_000);
    return mark;
  }

  /** All settings of the terminal as the shell's children find them. */
  async settings(): Promise<string> {
    const file = join(places.root, `stty-${++marks}`);
    await this.run(`stty -a > ${file}`);
    return readFileSync(file, "utf8");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.terminal[Symbol.asyncDispose]();
  }
}

async function ask(shell: Shell, name: string): Promise<string> {
  const file = join(places.outside, name);
  shell.terminal.type(
    `${hallpassProgram} -- sh -c 'trap : HUP; echo x > ${file}; echo status $?'; echo ov''er ${name}\r`,
  );
  await shell.terminal.shows("wants to write");
  return file;
}

/** The hallpass that the shell runs, and everything below it. */
function hallpassPid(shell: Shell): number {
  const children = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const found = children.find((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return Number(fields[1]) === shell.terminal.pid && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--");
    } catch {
      return false;
    }
  });
  return Number(found);
}

/** A shell goes on with the rest of its line when a job stops: only the job's own end says that it is over. */
async function hasEnded(shell: Shell): Promise<void> {
  await waitFor("the end of hallpass", () => Number.isNaN(hallpassPid(shell)));
}

async function isUsable(shell: Shell, before: string): Promise<void> {
  expect(await shell.settings()).toBe(before);
  await shell.terminal.settled();
  expect(shell.terminal.screen.buffer.active.type).toBe("normal");
  expect(shell.terminal.text()).not.toContain("[Esc] dismiss");
  expect(shell.terminal.screen.modes.bracketedPasteMode).toBe(true);
  expect(shell.terminal.screen.modes.mouseTrackingMode).toBe("none");
}

describe("the terminal is as it was after", () => {
  test("CMD's own end, whatever CMD left of it", async () => {
    await using shell = new Shell();
    const before = await shell.settings();
    await shell.run(`${hallpassProgram} -- sh -c 'stty raw -echo; exit 3'; echo status $?`);
    expect(shell.terminal.text()).toContain("status 3");
    expect(await shell.settings()).toBe(before);
  });

  test("an answer and the end", async () => {
    await using shell = new Shell();
    const before = await shell.settings();
    await ask(shell, "answered");
    await Bun.sleep(600);
    shell.terminal.type("d");
    await shell.terminal.shows("over answered\n");
    await isUsable(shell, before);
  });

  test.each(["SIGTERM", "SIGINT"] as const)("%s while the bar is up", async (signal) => {
    await using shell = new Shell();
    const before = await shell.settings();
    const file = await ask(shell, signal);
    process.kill(hallpassPid(shell), signal);
    await shell.terminal.shows(`over ${signal}\n`);
    await isUsable(shell, before);
    expect(existsSync(file)).toBe(false);
  });

  test("kill -9 of hallpass while the bar is up, and nobody is left", async () => {
    await using shell = new Shell();
    const before = await shell.settings();
    await shell.run("echo before the question");
    const file = await ask(shell, "killed");
    const pid = hallpassPid(shell);
    const inside = readdirSync("/proc").filter((name) => {
      try {
        return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "utf8").includes(file);
      } catch {
        return false;
      }
    });
    expect(inside.length).toBeGreaterThan(1);
    process.kill(pid, "SIGKILL");
    await shell.terminal.shows("over killed\n");
    await waitFor("nobody left", async () => !(await isAlive(Number(inside[1]))), 2_000);
    await isUsable(shell, before);
    expect(shell.terminal.text()).toContain("before the question");
    expect(existsSync(file)).toBe(false);
  });

  test("kill -9 of hallpass under a program with modes of its own", async () => {
    await using shell = new Shell();
    const before = await shell.settings();
    const modes = String.raw`printf "\033[?1049h\033[?1000h\033[?1006h\033[?25l\033[>1u\033[31mred"; sleep 60`;
    shell.terminal.type(`${hallpassProgram} -- sh -c '${modes}'; echo ov''er modes\r`);
    await shell.terminal.shows("red");
    process.kill(hallpassPid(shell), "SIGKILL");
    await shell.terminal.shows("over modes\n");
    await isUsable(shell, before);
  });

  test("Ctrl-Z with the bar up, a look around, and fg: the question is still there", async () => {
    await using shell = new Shell();
    const before = await shell.settings();
    await ask(shell, "stopped");
    await Bun.sleep(600);
    shell.terminal.type("\x1a");
    await shell.terminal.shows("Stopped");
    await isUsable(shell, before);
    await shell.run("echo looking around");
    shell.terminal.type("fg\r");
    await shell.terminal.shows("wants to write");
    await Bun.sleep(600);
    shell.terminal.type("d");
    await hasEnded(shell);
    await isUsable(shell, before);
    expect(shell.terminal.history().join("\n")).toContain("looking around");
  });

  test("Ctrl-Z of a full-screen program and fg", async () => {
    await using shell = new Shell();
    const before = await shell.settings();
    shell.terminal.type(`${hallpassProgram} -- less /etc/services; echo ov''er less\r`);
    await shell.terminal.shows("Network services");
    shell.terminal.type("\x1a");
    await shell.terminal.shows("Stopped");
    await isUsable(shell, before);
    shell.terminal.type("fg\r");
    await shell.terminal.shows("Network services");
    shell.terminal.type("q");
    await hasEnded(shell);
    await isUsable(shell, before);
  });
});
