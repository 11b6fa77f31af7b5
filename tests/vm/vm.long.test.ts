/** The guest itself: the kernels, what they have that the machine may lack, and that a run in it is like a run here. */
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { run } from "../support/hallpass.ts";
import { needs, program } from "../support/needs.ts";
import { makePlaces } from "../support/places.ts";
import { tree } from "../support/tree.ts";

const boots = needs(program("qemu-system-x86_64", "busybox", "mkfs.ext4", "python3"));
/** Software emulation beside other work. */
const LIMIT = 240_000;

function guest(flags: readonly string[], ...command: readonly string[]) {
  return run([join(tree, "tests/vm/run.sh"), "--timeout", "200", ...flags, "--", ...command], {
    cwd: tree,
    timeoutMs: LIMIT,
  });
}

const landlockAbi = `import ctypes; print("landlock", ctypes.CDLL(None).syscall(444, None, 0, 1))`;

/** One boot, many looks: each line is `name value`. */
const look = [
  "echo release $(uname -r)",
  "echo lsm $(cat /sys/kernel/security/lsm)",
  "echo scope $(cat /proc/sys/kernel/yama/ptrace_scope)",
  "echo btf $(head -c 2 /sys/kernel/btf/vmlinux | od -An -tx1)",
  "echo user $(id -un) $HOME",
  "echo var $(stat -f -c %T /var/tmp)",
  `python3 -c '${landlockAbi}'`,
  `bun -e 'console.log("bun", Bun.version)'`,
].join("; ");

async function looked(flags: readonly string[]): Promise<Map<string, string>> {
  const { status, stdout, stderr } = await guest(flags, "sh", "-c", look);
  expect([status, stderr]).toEqual([0, ""]);
  const lines = stdout.trimEnd().split("\n");
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)]));
}

describe("the 6.1 guest", () => {
  boots(
    "has the old kernel's Landlock and Yama, BPF among its LSMs, and bun",
    async () => {
      const seen = await looked(["--ptrace-scope", "1"]);
      expect(seen.get("release")).toStartWith("6.1.");
      expect(seen.get("landlock")).toBe("2");
      expect(seen.get("lsm")?.split(",")).toContain("bpf");
      expect(seen.get("scope")).toBe("1");
      expect(seen.get("btf")).toBe("9f eb");
      expect(seen.get("user")).toBe("root /root");
      expect(seen.get("var")).toBe("ext2/ext3");
      expect(seen.get("bun")).toBe(Bun.version);
    },
    LIMIT,
  );

  boots(
    "runs a command as an ordinary user, with its bytes, its words and its exit code as they are",
    async () => {
      const script = 'id -un; printf "\\r\\n\\377|%s|\\n" "$@" "$VALUE"; echo said >&2; exit 7';
      const flags = ["--user", "hallpass-guest", "--ptrace-scope", "2", "--env", "VALUE=it's $HOME"];
      const child = Bun.spawn(
        [join(tree, "tests/vm/run.sh"), ...flags, "--", "sh", "-c", script, "sh", 'a "b" \\c', "d\ne", ""],
        { stdout: "pipe", stderr: "pipe", stdin: "ignore" },
      );
      const bytes = Buffer.from(await new Response(child.stdout).arrayBuffer()).toString("latin1");
      const said = ['a "b" \\c', "d\ne", "", "it's $HOME"].map((word) => `\r\n\u00ff|${word}|\n`).join("");
      expect(bytes).toBe(`hallpass-guest\n${said}`);
      expect(await new Response(child.stderr).text()).toBe("said\n");
      expect(await child.exited).toBe(7);
    },
    LIMIT,
  );

  boots(
    "keeps what is written in it to itself, and ends with it",
    async () => {
      using places = makePlaces();
      // /var/tmp is the guest's own disk; the tree is the machine's.
      const inTree = join(tree, "build", "vm", "written-in-the-guest");
      const ended = await guest(
        [],
        "sh",
        "-c",
        `touch '${inTree}' && ls '${inTree}' && test ! -e '${places.root}' && kill -9 $$`,
      );
      expect(ended.stdout).toBe(`${inTree}\n`);
      expect(ended.status).toBe(137);
      expect(existsSync(inTree)).toBe(false);
    },
    LIMIT,
  );

  boots(
    "is ended at its time limit",
    async () => {
      const ended = await run([join(tree, "tests/vm/run.sh"), "--timeout", "2", "--", "true"], { timeoutMs: LIMIT });
      expect([ended.status, ended.stdout]).toEqual([124, ""]);
      expect(ended.stderr).toContain("ended after 2 s");
    },
    LIMIT,
  );
});

describe("the newer guest", () => {
  boots(
    "has a kernel with the wake-up that 6.1 lacks, and BPF among its LSMs",
    async () => {
      const seen = await looked(["--kernel", "newer"]);
      const [major = 0, minor = 0] = (seen.get("release") ?? "").split(".").map(Number);
      expect(major * 100 + minor).toBeGreaterThan(606);
      expect(Number(seen.get("landlock"))).toBeGreaterThan(3);
      expect(seen.get("lsm")?.split(",")).toContain("bpf");
      expect(seen.get("bun")).toBe(Bun.version);
    },
    LIMIT,
  );
});

test("a run in the guest refuses what it cannot do, and says so", async () => {
  for (const [flags, word] of [
    [["--kernel"], "no value after --kernel"],
    [["--colour", "red"], "unknown flag --colour"],
    [[], "no command"],
  ] as const) {
    const ended = await run([join(tree, "tests/vm/run.sh"), ...flags]);
    expect([ended.status, ended.stderr]).toEqual([125, `tests/vm/run.sh: ${word}\n`]);
  }
});
