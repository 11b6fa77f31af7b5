/** The launcher: what CMD gets, what is reported, and how a sandbox ends. As root and as an ordinary user. */
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRoot, needs, program } from "../support/needs.ts";
import { asUser, ordinaryUser, type User } from "../support/user.ts";
import { isAlive, waitFor } from "../support/wait.ts";
import { openFds } from "../support/fds.ts";
import { buildTarget } from "./support/targets.ts";
import { Driven } from "./support/driven.ts";

const EACCES = 13;
const rabbits = buildTarget("rabbits");
const sh = (script: string, ...args: string[]): string[] => ["/bin/sh", "-c", script, "sh", ...args];

const PEOPLE: readonly [string, User | undefined][] = isRoot
  ? [
      ["root", undefined],
      ["a user", ordinaryUser()],
    ]
  : [["a user", undefined]];

for (const [who, user] of PEOPLE) {
  describe(`as ${who}`, () => {
    const driven = new Driven(user);
    afterAll(() => driven[Symbol.dispose]());

    describe("how CMD ends", () => {
      for (const [what, command, status] of [
        ["its own exit code", sh("exit 7"), 7],
        ["128+N for a signal", sh("kill -KILL $$"), 137],
        ["127 for a program that is not there", ["/nowhere/at/all"], 127],
        ["126 for one that may not be run", ["/etc/passwd"], 126],
      ] as const) {
        test(what, async () => {
          const ended = await driven.run({ command });
          expect(ended.status).toBe(status);
          expect(ended.events.find(({ event }) => event === "ended")).toMatchObject({ status, left: 0 });
        });
      }

      test("a script without an interpreter line is the shell's, with its arguments", async () => {
        const script = join(driven.scratch, "script");
        writeFileSync(script, 'echo "$0 $1"\n', { mode: 0o755 });
        const { stdout } = await driven.run({ command: [script, "one"] });
        expect(stdout).toBe(`${script} one\n`);
      });
    });

    describe("what CMD gets", () => {
      const unusual = "ulimit -Sn 256; ulimit -c 0; ulimit -Ss 4096; umask 027; trap '' USR2 PIPE; cd /usr";
      const rows = "Umask|SigBlk|SigIgn|SigCgt|Uid|Gid|Groups|CapInh|CapPrm|CapEff|CapBnd|CapAmb";
      const look = `cat /proc/self/limits; grep -E '^(${rows})' /proc/self/status; pwd -P; env | sort`;

      /** A shell that sets unusual things, then becomes `words`. */
      function from(words: readonly string[], env: Record<string, string>): string {
        const script = `${unusual}; exec "$@"`;
        return Bun.spawnSync([...(user ? asUser(user) : []), ...sh(script, ...words)], {
          env,
          cwd: "/",
        }).stdout.toString();
      }

      test("limits, signals, umask, ids, folder and environment as hallpass was started with", () => {
        const { words, env } = driven.command({ command: sh(look) });
        const inside = from(words.slice(-1), env);
        const { HALLPASS_DRIVER: _, ...rest } = env;
        const bare = from(sh(look), rest);
        expect(inside).toBe(bare);
        expect(inside).toContain("Max open files            256 ");
        expect(inside).toContain("SigIgn:\t0000000000001800");
      });

      test("blocked signals too", async () => {
        const script = "import os,signal,sys; signal.pthread_sigmask(0,[10,34]); os.execv(sys.argv[1],sys.argv[1:])";
        const { words, env } = driven.command({ command: ["/bin/grep", "SigBlk", "/proc/self/status"] });
        const front = user ? asUser(user) : [];
        const { stdout } = Bun.spawnSync([...front, "/usr/bin/python3", "-c", script, words.at(-1)!], { env });
        expect(stdout.toString()).toBe("SigBlk:\t0000000200000200\n");
      });

      test("arguments and environment that are no UTF-8, byte for byte", () => {
        const { words, env } = driven.command({
          command: sh("printenv ODD | od -An -tx1; cat /proc/$PPID/cmdline >/dev/null"),
        });
        const script =
          "import os,sys; e=dict(os.environb); e[b'ODD']=b'a\\xffb'; os.execve(sys.argv[1],sys.argv[1:],e)";
        const front = user ? asUser(user) : [];
        const { stdout } = Bun.spawnSync([...front, "/usr/bin/python3", "-c", script, words.at(-1)!], { env });
        expect(stdout.toString().trim()).toBe("61 ff 62 0a");
      });

      test("a working directory that was removed", () => {
        const { words, env } = driven.command({ command: sh("readlink /proc/self/cwd") });
        const gone = join(driven.scratch, "gone");
        const script = 'mkdir "$2" && cd "$2" && rmdir "$2" && exec "$1"';
        const front = user ? asUser(user) : [];
        const { stdout } = Bun.spawnSync([...front, ...sh(script, words.at(-1)!, gone)], { env });
        expect(stdout.toString()).toBe(`${gone} (deleted)\n`);
      });

      test("its standard streams, the descriptors hallpass was started with, and no other", () => {
        const { words, env } = driven.command({ command: sh("cat <&7; ls /proc/self/fd | tr '\\n' ' '") });
        const front = user ? asUser(user) : [];
        const { stdout } = Bun.spawnSync([...front, ...sh('exec 7</etc/hostname; exec "$1"', words.at(-1)!)], { env });
        expect(stdout.toString()).toBe(`${readFileSync("/etc/hostname", "utf8")}0 1 2 3 7 `);
      });

      test("more descriptors than most programs have", () => {
        const { words, env } = driven.command({ command: sh("ls /proc/self/fd | wc -l") });
        const script = "import os,sys; [os.dup2(2, fd) for fd in range(3, 190)]; os.execv(sys.argv[1], sys.argv[1:])";
        const front = user ? asUser(user) : [];
        const { stdout } = Bun.spawnSync([...front, "/usr/bin/python3", "-c", script, words.at(-1)!], { env });
        expect(stdout.toString()).toBe("191\n");
      });

      test("standard streams even where hallpass was started without", () => {
        const { words, env } = driven.command({ command: sh("read line || echo nothing >&2") });
        const front = user ? asUser(user) : [];
        const closed = sh('exec 5>&2; exec <&- >&- 2>&5; exec "$1"', words.at(-1)!);
        const { stderr, exitCode } = Bun.spawnSync([...front, ...closed], { env });
        expect([stderr.toString(), exitCode]).toEqual(["nothing\n", 0]);
      });

      test("no core dumps, soft or hard, where they are forbidden", async () => {
        const { stdout } = await driven.run({ command: sh("ulimit -Sc; ulimit -Hc"), forbidsCores: true });
        expect(stdout).toBe("0\n0\n");
      });

      test("no new privileges, one filter, and a parent it cannot look into", async () => {
        const script =
          "grep -E '^(NoNewPrivs|Seccomp):' /proc/self/status; ls /proc/$PPID/fd >/dev/null 2>&1 || echo closed";
        const { stdout } = await driven.run({ command: sh(script) });
        expect(stdout).toBe(`NoNewPrivs:\t1\nSeccomp:\t2\n${(user ?? !isRoot) ? "closed\n" : ""}`);
      });
    });

    describe("while it runs", () => {
      test("signals to hallpass reach CMD", async () => {
        const child = driven.spawn({
          command: sh("trap 'echo got; exit 5' USR1; echo up; while :; do sleep 0.1; done"),
        });
        const reader = child.stdout.getReader();
        expect(new TextDecoder().decode((await reader.read()).value)).toBe("up\n");
        const { self } = await driven.event("launched");
        process.kill(self as number, "SIGUSR1");
        expect(await child.exited).toBe(5);
      });

      test("what CMD leaves is counted, reaped and waited for", async () => {
        const { events, status } = await driven.run({
          command: sh("(setsid sleep 0.3 &) ; sleep 0.4 & exit 3"),
          waitAll: true,
        });
        expect(status).toBe(3);
        expect(events.find(({ event }) => event === "ended")).toMatchObject({ status: 3, left: 2 });
        expect(events.filter(({ event }) => event === "reaped").length).toBeGreaterThanOrEqual(2);
        expect(events.at(-1)).toMatchObject({ event: "gone" });
      });

      test("the launcher holds no stream of CMD's", async () => {
        const child = driven.spawn({ command: sh("exec >&- 2>&- <&-; sleep 100") });
        const { pid, launcherPid } = await driven.event("launched");
        // The end of the pipe comes although the launcher lives.
        expect(await new Response(child.stdout).text()).toBe("");
        expect(await isAlive(launcherPid as number)).toBe(true);
        if (isRoot) {
          const names = [...openFds(launcherPid as number).values()];
          expect(names.filter((name) => name.startsWith("pipe:"))).toEqual([]);
        }
        process.kill(pid as number);
        await child.exited;
      });

      test("a target that signals its launcher or hallpass is refused", async () => {
        const script =
          'for p in $PPID "$(cut -d" " -f4 /proc/$PPID/stat)"; do kill -KILL $p 2>/dev/null || echo refused; done; kill -0 $$ && echo own';
        const { stdout, status } = await driven.run({ command: sh(script) });
        expect(stdout).toBe("refused\nrefused\nown\n");
        expect(status).toBe(0);
      });

      needs(program("strace"))("strace and gdb of own children work inside the fence", async () => {
        const fence = [
          { path: driven.scratch, rights: "tree" as const },
          { path: "/dev/null", rights: "device" as const },
        ];
        const traced = await driven.run({
          command: ["/usr/bin/strace", "-f", "-e", "trace=exit_group", "/bin/sh", "-c", "/bin/true; exit 4"],
          fence,
        });
        expect(traced.stderr).toContain("exit_group(4)");
        expect(traced.status).toBe(4);
      });
    });

    describe("after a normal end", () => {
      test("what is left goes on with EACCES until it ends, and the launcher with it", async () => {
        const fifo = join(driven.scratch, "go");
        Bun.spawnSync(["mkfifo", "-m", "666", fifo]);
        const child = driven.spawn({ command: sh("(read line <go; (: >made) || echo refused) 2>/dev/null & exit 0") });
        expect(await child.exited).toBe(0);
        const { launcherPid } = await driven.event("launched");
        expect(await driven.event("ended")).toMatchObject({ left: 1 });
        expect(await isAlive(launcherPid as number)).toBe(true);
        writeFileSync(fifo, "\n");
        const out = await new Response(child.stdout).text();
        expect(out).toBe("refused\n");
        expect(existsSync(join(driven.scratch, "made"))).toBe(false);
        await waitFor("the launcher's end", async () => !(await isAlive(launcherPid as number)));
      });
    });

    describe("hallpass lost", () => {
      const stubborn = `
        trap '' TERM HUP INT
        (setsid sh -c 'trap "" TERM HUP; while :; do sleep 100; done' &)
        setsid setsid sleep 1000 &
        sh -c 'kill -STOP $$' &
        echo up; while :; do sleep 100; done`;

      async function endsWithin2s(options: Parameters<Driven["spawn"]>[0]): Promise<void> {
        const child = driven.spawn(options);
        const reader = child.stdout.getReader();
        await reader.read();
        const { launcherPid, pid } = await driven.event("launched");
        const inside = await waitFor("the whole tree", () => {
          const below = descendants(launcherPid as number);
          return below.length >= 5 && below;
        });
        expect(inside).toContain(pid as number);
        const began = performance.now();
        child.kill("SIGKILL");
        await child.exited;
        for (const one of [...inside, launcherPid as number]) {
          await waitFor(`the end of ${one}`, async () => !(await isAlive(one)), 2000);
        }
        expect(performance.now() - began).toBeLessThan(2000);
      }

      test("ends everything within 2 seconds, the stubborn, stopped and detached too", () =>
        endsWithin2s({ command: sh(stubborn), scope: true }));

      test("the same without a scope for signals (Landlock before ABI 6)", () =>
        endsWithin2s({ command: sh(stubborn), scope: false }));

      for (const scope of [true, false]) {
        test(`ends processes that fork and flee into new sessions without end${scope ? "" : ", without the scope too"}`, async () => {
          const child = driven.spawn({ command: [rabbits, "4"], scope });
          await child.stdout.getReader().read();
          const { launcherPid } = await driven.event("launched");
          const began = performance.now();
          child.kill("SIGKILL");
          await waitFor("the launcher's end", async () => !(await isAlive(launcherPid as number)), 10_000);
          expect(performance.now() - began).toBeLessThan(2000);
          expect(Bun.spawnSync(["pgrep", "-x", "rabbits"]).stdout.toString()).toBe("");
        });
      }

      test("a call that waits for an answer does not hold it up", async () => {
        const child = driven.spawn({ command: sh(": >/tmp/never-made"), silent: true });
        const { launcherPid, pid } = await driven.event("launched");
        child.kill("SIGKILL");
        for (const one of [pid, launcherPid] as number[])
          await waitFor("the end", async () => !(await isAlive(one)), 2000);
        expect(existsSync("/tmp/never-made")).toBe(false);
      });

      test("a launcher that dies alone takes CMD with it and is noticed", async () => {
        const child = driven.spawn({ command: sh("sleep 1000") });
        const { launcherPid, pid } = await driven.event("launched");
        process.kill(launcherPid as number, "SIGKILL");
        await waitFor("CMD's end", async () => !(await isAlive(pid as number)), 2000);
        expect(await driven.event("lost")).toMatchObject({ event: "lost" });
        expect(await child.exited).toBe(125);
      });
    });

    test("one hallpass inside another is refused in words", async () => {
      using inner = new Driven(user);
      const { words, env } = inner.command({ command: ["/bin/true"] });
      const { status, events } = await driven.run({
        command: sh(`HALLPASS_DRIVER='${env.HALLPASS_DRIVER}' exec ${words.at(-1)}`),
      });
      expect(status).toBe(125);
      expect(events.find(({ event }) => event === "ended")).toMatchObject({ status: 125 });
      expect(inner.told()).toEqual([{ event: "failed", message: expect.stringContaining("runs under a hallpass") }]);
    });

    test("calls of a list are refused with their errno, all others go on", async () => {
      const { stdout, events } = await driven.run({
        command: sh("mkdir made 2>&1; echo here"),
        refuse: { mkdir: EACCES },
      });
      expect(stdout).toContain("Permission denied");
      expect(stdout).toContain("here");
      expect(events.find(({ name }) => name === "mkdir")).toMatchObject({ path: "made", arch: "x86_64" });
    });
  });
}

/** Every process below `root` that is no zombie, children before their own. */
function descendants(root: number): number[] {
  const parents = new Map<number, number[]>();
  for (const name of new Bun.Glob("[0-9]*").scanSync({ cwd: "/proc", onlyFiles: false })) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (state !== "Z") parents.set(Number(parent), [...(parents.get(Number(parent)) ?? []), Number(name)]);
    } catch {
      // Ended meanwhile.
    }
  }
  const found = parents.get(root) ?? [];
  for (const pid of found) found.push(...(parents.get(pid) ?? []));
  return found;
}

test("the launcher and the starter are static and small", () => {
  for (const name of ["launcher", "hallpass"]) {
    const path = join(import.meta.dirname, "..", "..", "build", name);
    const elf = readFileSync(path);
    expect(elf.length).toBeLessThan(32_768);
    expect(elf.includes("ld-linux")).toBe(false);
  }
  expect(readlinkSync("/proc/self/exe")).toContain("bun");
});
