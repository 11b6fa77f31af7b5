/** hallpass-request, in every form it is built in, against a listener that answers its magic path on the real kernel. */
import { beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { run } from "../support/hallpass.ts";
import { needs, program } from "../support/needs.ts";
import { makePlaces } from "../support/places.ts";
import { tree } from "../support/tree.ts";

const build = (name: string): string => join(tree, "build", name);
const shipped = build("hallpass-request");
const withoutLibc = build("test/hallpass-request.bare");
const sanitized = build("test/hallpass-request.asan");
const arm64 = build("request/arm64/hallpass-request");
const answering = build("test/exec_errno");

const forms: readonly (readonly [string, readonly string[]])[] = [
  ["as shipped", [shipped]],
  ["without a libc", [withoutLibc]],
  ["with sanitizers", [sanitized]],
];

async function make(...goals: readonly string[]): Promise<void> {
  const { status, stderr } = await run(["make", "-s", "-f", "helper/request.mk", ...goals], { cwd: tree });
  expect(stderr).toBe("");
  expect(status).toBe(0);
}

beforeAll(() => make("request-test"));

/** Runs hallpass-request where each magic path gets `errno`; stdout is the magic path as the kernel was given it. */
function asked(errno: number, args: readonly string[], helper: readonly string[] = [shipped], cwd = "/") {
  return run([answering, String(errno), ...helper, ...args], { cwd });
}

async function magicPath(args: readonly string[], options: { cwd?: string; env?: Record<string, string> } = {}) {
  const ended = await run([answering, "1", shipped, ...args], options);
  expect(ended.status).toBe(3);
  return ended.stdout.trimEnd();
}

const valueOf = (path: string, key: string): string | null =>
  new URLSearchParams(path.slice(path.indexOf("?") + 1)).get(key);

/** Runs a command that makes the exec of the magic path itself. */
const execFrom = (errno: number, ...command: readonly string[]) => run([answering, String(errno), ...command]);

/** SPEC §6: errno, exit code, what the line says. */
const REPLIES: readonly (readonly [string, number, number, string])[] = [
  ["EALREADY", 114, 0, "granted"],
  ["ECANCELED", 125, 0, "released"],
  ["EEXIST", 17, 1, "already allowed"],
  ["EPERM", 1, 3, "denied"],
  ["ETIMEDOUT", 110, 4, "nobody answered"],
  ["ENOMSG", 42, 5, "would ask"],
  ["EINVAL", 22, 6, "cannot read this target"],
  ["ENAMETOOLONG", 36, 6, "too long"],
  ["ENOSYS", 38, 7, "does not mediate"],
  ["ENOENT", 2, 8, "not running under hallpass"],
  ["ESRCH", 3, 10, "no grant"],
  ["EACCES", 13, 9, "errno 13"],
  ["E2BIG", 7, 9, "errno 7"],
  ["errno 133", 133, 9, "errno 133"],
  ["success", 0, 9, "errno 0"],
];

describe.each(forms)("%s", (_form, helper) => {
  test.each(REPLIES)("%s (errno %i) is exit code %i", async (_name, errno, exitCode, word) => {
    const ended = await asked(errno, ["write", "/srv/x"], helper);
    expect(ended.stdout).toBe("/.hallpass/1/request?do=ask&op=write&target=%2Fsrv%2Fx\n");
    expect(ended.stderr).toMatch(/^hallpass-request: [^\n]*\n$/);
    expect(ended.stderr).toContain(word);
    expect(ended.stderr).toContain("write /srv/x");
    expect(ended.status).toBe(exitCode);
  });

  test("says that it does not run under hallpass where nobody answers", async () => {
    const ended = await run([...helper, "exec", "make"]);
    expect(ended).toEqual({
      status: 8,
      stdout: "",
      stderr: "hallpass-request: not running under hallpass: exec make\n",
    });
  });

  test.each([
    [["ask"], "there are write, exec and connect, not ask"],
    [[], "say what to ask for"],
    [["check"], "say what to ask for"],
    [["write"], "no target after write"],
    [["write", ""], "no target after write"],
    [["check", "exec"], "no target after exec"],
    [["write", "a", "b"], "one word too many: b"],
    [["release", "write", "a", "b"], "one word too many: b"],
    [["write", "a", "--for"], "no value after --for"],
    [["write", "a", "--for="], "not "],
    [["write", "a", "--for=10"], "not 10"],
    [["write", "a", "--for", "10x"], "not 10x"],
    [["write", "a", "--for", "5m1h"], "not 5m1h"],
    [["write", "a", "--for", "1h1h"], "not 1h1h"],
    [["write", "a", "--for", "0m"], "not 0m"],
    [["write", "a", "--for", "-5m"], "not -5m"],
    [["write", "a", "--for", "1m", "--for=2m"], "given twice: --for=2m"],
    [["write", "a", "--reason"], "no value after --reason"],
    [["write", "a", "--because", "x"], "there are --for and --reason, not --because"],
    [["write", "a", "--format=x"], "there are --for and --reason, not --format=x"],
    [["write", "a", "-f"], "there are --for and --reason, not -f"],
    [["release", "write", "a", "--for=1m"], "release takes neither"],
    [["release", "write", "a", "--reason=x"], "release takes neither"],
    [["write", "--", "--for=1m", "b"], "one word too many: b"],
    [["a\u001b[2Jb"], "not a\\x1B[2Jb"],
  ])("refuses %j with one line, and asks nobody", async (args, complaint) => {
    const ended = await asked(114, args, helper);
    expect(ended.stdout).toBe("");
    expect(ended.stderr).toMatch(/^hallpass-request: [^\n]*\n$/);
    expect(ended.stderr).toContain(complaint);
    expect(ended.status).toBe(2);
  });

  test.each([[["--help"]], [["-h"]], [["write", "x", "--help"]]])("%j explains itself on stdout", async (args) => {
    const ended = await asked(114, args, helper);
    expect(ended.stdout).toStartWith("usage: hallpass-request [check] write PATH");
    expect(ended.stdout).toContain("10 (release) no grant matches");
    expect(ended.stderr).toBe("");
    expect(ended.status).toBe(0);
  });
});

describe("what is asked", () => {
  test.each([
    [["write", "/a"], "do=ask&op=write&target=%2Fa"],
    [["check", "write", "/a"], "do=check&op=write&target=%2Fa"],
    [["release", "connect", "1.2.3.4:443"], "do=release&op=connect&target=1.2.3.4%3A443"],
    [["exec", "make"], "do=ask&op=exec&target=make"],
    [["exec", "@network"], "do=ask&op=exec&target=%40network"],
    [["write", "/a", "--for=1h30m"], "do=ask&op=write&target=%2Fa&for=1h30m"],
    [["--for", "10m", "write", "/a"], "do=ask&op=write&target=%2Fa&for=10m"],
    [["write", "--reason=why not", "/a"], "do=ask&op=write&target=%2Fa&reason=why%20not"],
    [["check", "exec", "x", "--reason", "--", "--for=1s"], "do=check&op=exec&target=x&for=1s&reason=--"],
    [["write", "/a", "--reason="], "do=ask&op=write&target=%2Fa"],
    [["write", "--", "/--for=1"], "do=ask&op=write&target=%2F--for%3D1"],
    [["exec", "--", "--help"], "do=ask&op=exec&target=--help"],
    [["connect", "unix:@x&do=release"], "do=ask&op=connect&target=unix%3A%40x%26do%3Drelease"],
  ])("%j", async (args, query) => {
    expect(await magicPath(args)).toBe(`/.hallpass/1/request?${query}`);
  });

  test("every byte but NUL arrives as it was given", async () => {
    const bytes = Uint8Array.from({ length: 255 }, (_, at) => at + 1);
    const script = `exec "$0" 1 "$1" write "/$(printf '${[...bytes].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")}.')"`;
    const { stdout } = await run(["dash", "-c", script, answering, shipped]);
    const target = stdout.trimEnd().slice("/.hallpass/1/request?do=ask&op=write&target=".length);
    const decoded = target.replace(/%([0-9A-F]{2})/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    expect(Buffer.from(decoded, "latin1")).toEqual(Buffer.concat([Buffer.from("/"), bytes, Buffer.from(".")]));
  });

  test("a relative path is asked for from the working directory, whatever that is called", async () => {
    using places = makePlaces();
    const cwd = join(places.project, "app [x] ü");
    mkdirSync(cwd);
    for (const name of ["a", "./a", "../a", "sub/**", "**", "[slug]/*.tsx"]) {
      expect(valueOf(await magicPath(["write", name], { cwd }), "target")).toBe(`${cwd}/${name}`);
    }
    expect(valueOf(await magicPath(["exec", "./run"], { cwd }), "target")).toBe(`${cwd}/./run`);
    expect(valueOf(await magicPath(["exec", "run"], { cwd }), "target")).toBe("run");
    expect(valueOf(await magicPath(["write", "etc/x"], { cwd: "/" }), "target")).toBe("/etc/x");
  });

  test("~ that no shell has expanded is the home; a file of that name is ./~", async () => {
    const options = { cwd: "/tmp", env: { HOME: "/home/me" } };
    const target = async (...args: string[]) => valueOf(await magicPath(args, options), "target");
    expect(await target("write", "~/.npm/**")).toBe("/home/me/.npm/**");
    expect(await target("write", "~")).toBe("/home/me");
    expect(await target("exec", "~/bin/x")).toBe("/home/me/bin/x");
    expect(await target("write", "./~")).toBe("/tmp/./~");
    expect(await target("write", "~other/x")).toBe("/tmp/~other/x");
  });

  test("a relative path without a working directory is refused, an absolute one is not", async () => {
    using places = makePlaces();
    const inRemoved = (target: string) =>
      run(
        [
          "sh",
          "-c",
          'mkdir gone && cd gone && rmdir ../gone && exec "$0" 114 "$1" write "$2"',
          answering,
          shipped,
          target,
        ],
        {
          cwd: places.project,
        },
      );
    const relative = await inRemoved("a");
    expect([relative.status, relative.stdout]).toEqual([6, ""]);
    expect(relative.stderr).toContain("give an absolute path");
    expect((await inRemoved("/a")).status).toBe(0);
  });

  test("4096 bytes are asked, 4097 are refused before anything is asked", async () => {
    const head = "/.hallpass/1/request?do=ask&op=write&target=%2F".length;
    const fits = await asked(114, ["write", `/${"a".repeat(4096 - head)}`]);
    expect(fits.stdout.trimEnd().length).toBe(4096);
    expect(fits.status).toBe(0);
    for (const args of [
      ["write", `/${"a".repeat(4097 - head)}`],
      ["write", "/a", "--reason", " ".repeat(1400)],
    ]) {
      const tooLong = await asked(114, args);
      expect([tooLong.status, tooLong.stdout]).toEqual([6, ""]);
      expect(tooLong.stderr).toContain("over 4096 bytes");
    }
  });
});

test("random command lines keep the promises of the parser under the sanitizers", async () => {
  const ended = await run([build("test/request_fuzz"), "20250101", "300000"]);
  expect(ended.stderr).toBe("");
  expect(ended.stdout).toMatch(/^[1-9]\d{2,} requests of 300000 command lines\n$/);
});

test.each([shipped, withoutLibc])("%s is static and at most 64 KiB", async (path) => {
  expect(statSync(path).size).toBeLessThanOrEqual(64 * 1024);
  expect((await run(["file", "-b", path])).stdout).toContain("statically linked");
});

test("it runs in a root with nothing else in it", async () => {
  using places = makePlaces();
  const { status, stderr } = await run(
    ["unshare", "-r", "sh", "-c", 'cp "$0" . && exec chroot . /hallpass-request check exec x', shipped],
    { cwd: places.project },
  );
  expect(stderr).toBe("hallpass-request: not running under hallpass: exec x\n");
  expect(status).toBe(8);
});

describe("on arm64", () => {
  needs(program("aarch64-linux-gnu-gcc", "qemu-aarch64"))("asks the same and reads the replies the same", async () => {
    await make("request-all");
    expect(statSync(arm64).size).toBeLessThanOrEqual(64 * 1024);
    for (const [, errno, exitCode, word] of REPLIES.filter(([name]) => name !== "success")) {
      const ended = await asked(errno, ["write", "x y", "--reason", "é"], ["qemu-aarch64", arm64], "/tmp");
      expect(ended.stdout).toBe("/.hallpass/1/request?do=ask&op=write&target=%2Ftmp%2Fx%20y&reason=%C3%A9\n");
      expect(ended.stderr).toContain(word);
      expect(ended.status).toBe(exitCode);
    }
  });
});

describe("a plain exec of the magic path", () => {
  const path = "/.hallpass/1/request?do=check&op=exec&target=make";

  test("from sh shows the reply in the shell's words", async () => {
    const denied = await execFrom(1, "sh", "-c", `exec '${path}'`);
    expect(denied.stdout).toBe(`${path}\n`);
    expect(denied.stderr).toContain("Operation not permitted");
    expect(denied.status).toBe(126);
    expect((await execFrom(2, "sh", "-c", `exec '${path}'`)).status).toBe(127);
  });

  needs(program("python3"))("from python shows the errno", async () => {
    const script = `import os\ntry: os.execv("${path}", ["x"])\nexcept OSError as error: print(error.errno)`;
    for (const [, errno] of REPLIES.filter(([name]) => name !== "success")) {
      expect((await execFrom(errno, "python3", "-c", script)).stdout).toBe(`${path}\n${errno}\n`);
    }
  });

  needs(program("node"))("from node shows the errno", async () => {
    const script = `console.log(-require("child_process").spawnSync("${path}").error.errno)`;
    for (const errno of [114, 17, 1, 42, 3]) {
      expect((await execFrom(errno, "node", "-e", script)).stdout).toBe(`${path}\n${errno}\n`);
    }
  });
});

describe("what is written about it", () => {
  const rows = (text: string) => [...text.matchAll(/^\| (\d+) \|/gm)].map((row) => Number(row[1]));
  const exitCodes = [...new Set([2, ...REPLIES.map(([, , exitCode]) => exitCode)])].toSorted((a, b) => a - b);

  test.each(["skills/hallpass-request/SKILL.md", "docs/agents.md"])(
    "%s lists every exit code, in order",
    async (file) => {
      expect(rows(await Bun.file(join(tree, file)).text())).toEqual(exitCodes);
    },
  );

  test.each(["skills/hallpass-request/SKILL.md", "docs/agents.md"])(
    "every command of %s is one it takes",
    async (file) => {
      const text = await Bun.file(join(tree, file)).text();
      const commands = [...text.matchAll(/^ *(hallpass-request (?:write|exec|connect|check|release) [^#\n]*)/gm)];
      expect(commands.length).toBeGreaterThan(4);
      for (const [, command = ""] of commands) {
        const line = command.replace("hallpass-request", shipped);
        expect([command, (await execFrom(114, "sh", "-c", line)).status]).toEqual([command, 0]);
      }
    },
  );
});
