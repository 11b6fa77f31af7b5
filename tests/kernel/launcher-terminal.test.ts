/** The launcher and terminals: foreground, job control, hang-up, and a terminal left by a killed hallpass. */
import { afterEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { close, ioctl, pollOne, read, write } from "../../ffi/fd.ts";
import { AT_FDCWD, O_CLOEXEC, O_NOCTTY, O_RDWR, POLLIN } from "../../ffi/constants.ts";
import { cstring } from "../../ffi/bytes.ts";
import { must } from "../../ffi/errno.ts";
import { openat } from "../../ffi/path-ops.ts";
import { Signal } from "../../ffi/signal.ts";
import { ptyNumber, ptyPeer, TERMIOS_BYTES, tcgets, tcsets } from "../../ffi/terminal.ts";
import { isRoot } from "../support/needs.ts";
import { TerminalProgram } from "../support/terminal.ts";
import { asUser, ordinaryUser, type User } from "../support/user.ts";
import { isAlive, waitFor } from "../support/wait.ts";
import { Driven } from "./support/driven.ts";

const sh = (script: string): string[] => ["/bin/sh", "-c", script];
const TIOCSPTLCK = 0x40045431;
const TIOCSWINSZ = 0x5414;

/** Both ends of a pseudo-terminal, and all that came out of it. */
class Pty implements Disposable {
  readonly master = must(openat(AT_FDCWD, cstring("/dev/ptmx"), O_RDWR | O_NOCTTY | O_CLOEXEC), "open", "/dev/ptmx");
  readonly path: string;
  readonly slave: number;
  output = "";

  constructor(user?: User) {
    must(ioctl(this.master, TIOCSPTLCK, new Int32Array(1)), "ioctl(TIOCSPTLCK)");
    this.slave = must(ptyPeer(this.master, O_RDWR | O_NOCTTY | O_CLOEXEC), "ioctl(TIOCGPTPEER)");
    this.path = `/dev/pts/${ptyNumber(this.master)}`;
    if (user) Bun.spawnSync(["chown", user.name, this.path]);
  }

  type(keys: string): void {
    must(write(this.master, new TextEncoder().encode(keys)), "write");
  }

  pump(): string {
    const bytes = new Uint8Array(4096);
    while (pollOne(this.master, POLLIN, 0) === POLLIN) {
      const got = read(this.master, bytes);
      if (got <= 0) break;
      this.output += new TextDecoder().decode(bytes.subarray(0, got));
    }
    return this.output;
  }

  shows(text: string): Promise<unknown> {
    return waitFor(`${JSON.stringify(text)} on the terminal`, () => this.pump().includes(text)).catch(
      (error: Error) => {
        throw new Error(`${error.message}; it shows ${JSON.stringify(this.output)}`);
      },
    );
  }

  [Symbol.dispose](): void {
    close(this.slave);
    close(this.master);
  }
}

/** Field N (from 1) of /proc/PID/stat behind the name: 1 is the state, 3 the group, 4 the session, 6 the foreground. */
function stat(pid: number, field: number): string {
  const text = readFileSync(`/proc/${pid}/stat`, "latin1");
  return text.slice(text.lastIndexOf(")") + 2).split(" ")[field - 1]!;
}

const PEOPLE: readonly [string, User | undefined][] = isRoot
  ? [
      ["root", undefined],
      ["a user", ordinaryUser()],
    ]
  : [["a user", undefined]];

for (const [who, user] of PEOPLE) {
  describe(`as ${who}`, () => {
    let pty: Pty;
    let driven: Driven;
    const start = (script: string, more: object = {}): ReturnType<Driven["spawn"]> => {
      pty = new Pty(user);
      driven = new Driven(user);
      return driven.spawn({ command: sh(script), pty: pty.path, ...more });
    };
    afterEach(() => {
      pty[Symbol.dispose]();
      driven[Symbol.dispose]();
    });

    test("CMD leads a group in the foreground of the session that the launcher leads", async () => {
      const child = start("tty; read line; echo got $line");
      const { pid, launcherPid } = (await driven.event("launched")) as unknown as { pid: number; launcherPid: number };
      await pty.shows(pty.path);
      expect([stat(pid, 3), stat(pid, 4), stat(pid, 6)]).toEqual([`${pid}`, `${launcherPid}`, `${pid}`]);
      pty.type("hello\n");
      await pty.shows("got hello");
      expect(await child.exited).toBe(0);
    });

    test("Ctrl-C reaches CMD and not the launcher", async () => {
      const child = start("trap 'echo stopped; exit 9' INT; echo up; while :; do sleep 0.05; done");
      await pty.shows("up");
      pty.type("\x03");
      await pty.shows("stopped");
      expect(await child.exited).toBe(9);
    });

    test("a new size is told to CMD", async () => {
      const child = start("trap 'stty size; exit' WINCH; echo up; while :; do sleep 0.05; done");
      await pty.shows("up");
      must(ioctl(pty.master, TIOCSWINSZ, Uint16Array.of(33, 111, 0, 0)), "ioctl(TIOCSWINSZ)");
      await pty.shows("33 111");
      expect(await child.exited).toBe(0);
    });

    test("Ctrl-Z stops CMD, hallpass hears of it, and CMD goes on in the foreground", async () => {
      const child = start("echo up; read line; echo got $line");
      await pty.shows("up");
      const { pid, self } = (await driven.event("launched")) as unknown as { pid: number; self: number };
      pty.type("\x1a");
      expect(await driven.event("stopped")).toMatchObject({ signal: Signal.SIGTSTP });
      await waitFor("hallpass to stop", () => stat(self, 1) === "T");
      expect(stat(pid, 1)).toBe("T");
      process.kill(self, "SIGCONT");
      await waitFor("CMD to go on", () => stat(pid, 1) === "S");
      expect(stat(pid, 6)).toBe(`${pid}`);
      pty.type("again\n");
      await pty.shows("got again");
      expect(await child.exited).toBe(0);
    });

    test("an interactive shell has job control: a stopped job, fg, and Ctrl-C for the job alone", async () => {
      pty = new Pty(user);
      driven = new Driven(user);
      const child = driven.spawn({ command: ["/bin/bash", "--norc", "-i"], pty: pty.path });
      pty.type("PS1='$ '; sleep 77\n");
      await waitFor("the job", () => Bun.spawnSync(["pgrep", "-f", "^sleep 77"]).exitCode === 0);
      pty.type("\x1a");
      await pty.shows("Stopped");
      pty.type("fg\n");
      await pty.shows("fg\r\nsleep 77");
      pty.type("\x03");
      pty.type("echo rc-$?\n");
      await pty.shows("rc-130");
      pty.type("exit 3\n");
      expect(await child.exited).toBe(3);
    });

    test("a terminal that hangs up takes CMD along", async () => {
      const child = start("trap 'exit 4' HUP; echo up; while :; do sleep 0.05; done");
      await pty.shows("up");
      const { pid, self } = (await driven.event("launched")) as unknown as { pid: number; self: number };
      // The window is shut: nobody holds the master any more.
      close(pty.slave);
      close(pty.master);
      await waitFor("CMD's end", async () => !(await isAlive(pid)));
      expect(await child.exited).toBe(4);
      expect(await isAlive(self)).toBe(false);
      pty = new Pty(user);
    });

    test("kill -9 of hallpass leaves the user's terminal as it was, and nothing in the sandbox", async () => {
      using outer = new Pty(user);
      const before = new Uint8Array(TERMIOS_BYTES);
      must(tcgets(outer.slave, before), "ioctl(TCGETS)");
      const child = start("echo up; sleep 1000", { rescue: { path: outer.path, reset: "\x1b[?1049l\x1b[r" } });
      await pty.shows("up");
      const { pid, launcherPid } = (await driven.event("launched")) as unknown as { pid: number; launcherPid: number };
      // What a relay does to the terminal: raw, without echo.
      const raw = before.slice();
      new DataView(raw.buffer).setUint32(12, 0, true);
      must(tcsets(outer.slave, raw), "ioctl(TCSETS)");
      child.kill("SIGKILL");
      await waitFor("the launcher's end", async () => !(await isAlive(launcherPid)), 2000);
      expect(await isAlive(pid)).toBe(false);
      const after = new Uint8Array(TERMIOS_BYTES);
      must(tcgets(outer.slave, after), "ioctl(TCGETS)");
      expect(after).toEqual(before);
      await outer.shows("\x1b[?1049l\x1b[r");
    });

    test("what is left after the end of CMD is not hung up with the terminal", async () => {
      const child = start("sleep 1000 & echo $! ; exit 0");
      await pty.shows("\n");
      const left = Number(/[0-9]+/.exec(pty.output)?.[0]);
      expect(await child.exited).toBe(0);
      const { launcherPid } = (await driven.event("launched")) as unknown as { launcherPid: number };
      expect(await driven.event("ended")).toMatchObject({ left: 1 });
      close(pty.slave);
      close(pty.master);
      // The hang-up is in the launcher's queue before the end of this signal's way is.
      await waitFor("the hang-up", () => stat(left, 5) === "0" || stat(left, 6) === "-1");
      expect([await isAlive(left), await isAlive(launcherPid)]).toEqual([true, true]);
      process.kill(launcherPid, "SIGTERM");
      await waitFor("the end of all", async () => !(await isAlive(launcherPid)) && !(await isAlive(left)));
      pty = new Pty(user);
    });

    test("without a pty, in the background, CMD stops for the terminal as hallpass does, and fg brings both back", async () => {
      pty = new Pty(user);
      driven = new Driven(user);
      const { words, env } = driven.command({ command: sh("read line </dev/tty; echo got $line; sleep 88") });
      await using shell = new TerminalProgram([...(user ? asUser(user) : []), "/bin/bash", "--norc", "-i"], {
        env: { ...env, PS1: "$ " },
        cwd: driven.scratch,
      });
      await shell.shows("$");
      // With -b the shell says at once what becomes of a job, so it can be waited for.
      const stops = (count: number): Promise<unknown> =>
        waitFor(`stop ${count}`, () => shell.outputText().split("Stopped").length > count);
      shell.type(`set -b; ${words.at(-1)} &\n`);
      await driven.event("stopped");
      const { pid, self } = (await driven.event("launched")) as unknown as { pid: number; self: number };
      await waitFor("hallpass to stop", () => stat(self, 1) === "T");
      await stops(1);
      shell.type("fg\n");
      await waitFor("CMD in the foreground", () => stat(pid, 6) === `${pid}` && stat(pid, 1) === "S");
      shell.type("hello\n");
      await shell.shows("got hello");
      shell.type("\x1a");
      await waitFor("hallpass to stop", () => stat(self, 1) === "T");
      await stops(2);
      shell.type("fg\n");
      await waitFor("CMD in the foreground again", () => stat(pid, 6) === `${pid}` && stat(pid, 1) === "S");
      shell.type("\x03");
      await waitFor("CMD's end", async () => !(await isAlive(pid)));
      await waitFor("the shell in the foreground", async () => !(await isAlive(self)));
      shell.type("echo back-$((1+1))\n");
      await shell.shows("back-2");
    });
  });
}
