/** What the kernel itself stops in the fence when every call is continued: the ground that docs/adr/0003 stands on. */
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { O_CREAT, O_RDWR, O_TMPFILE, O_TRUNC, O_WRONLY } from "../../ffi/constants.ts";
import { errnoName } from "../../ffi/errno.ts";
import { landlockAbi } from "../../ffi/landlock.ts";
import { handledRights, SCOPE_ABI } from "../../src/supervisor/fence.ts";
import { SYSCALLS } from "../../src/supervisor/syscalls/index.ts";
import { isRoot, kernel, needs } from "../support/needs.ts";
import { ordinaryUser, give, type User } from "../support/user.ts";
import { Driven } from "./support/driven.ts";
import type { DriverOptions } from "./support/driver.ts";
import { buildTarget } from "./support/targets.ts";

const NUMBERS = SYSCALLS[process.arch === "arm64" ? "aarch64" : "x86_64"];
const CWD = -100;
const hasLandlock = kernel("Landlock", () => (landlockAbi() >= 2 ? undefined : `ABI ${landlockAbi()}`));

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
    let count = 0;

    /** A folder with `inside/file`, `inside/below/file` and `outside/file`; everybody may write, so the fence alone decides. */
    function makeFolder(): { folder: string; inside: string; outside: string } {
      const folder = join(driven.scratch, `tree-${count++}`);
      const [inside, outside] = [join(folder, "inside"), join(folder, "outside")];
      for (const path of [folder, inside, join(inside, "below"), outside]) {
        mkdirSync(path);
        if (user) give(path, user);
      }
      for (const path of [join(inside, "file"), join(inside, "below", "file"), join(outside, "file")]) {
        writeFileSync(path, "before");
        if (user) give(path, user);
      }
      return { folder, inside, outside };
    }

    async function results(
      folder: string,
      lines: readonly string[],
      options: Partial<DriverOptions>,
    ): Promise<string[]> {
      const script = join(folder, "script");
      const numbered = lines.map((line) => line.replace(/^\S+/, (name) => String(NUMBERS[name] ?? name)));
      writeFileSync(script, numbered.map((line) => `${line}\n`).join(""));
      const { stdout, stderr, status } = await driven.run({
        command: [buildTarget("calls"), script, folder],
        ...options,
      });
      if (status !== 0) throw new Error(`status ${status}: ${stderr}`);
      return stdout
        .trim()
        .split("\n")
        .map((line) => (Number(line) < 0 ? errnoName(Number(line)) : Number(line) > 2 ? "fd" : line));
    }

    const existing = (path: string): NonNullable<DriverOptions["fence"]> => [
      { path, rights: "existing" },
      { path: "/dev/null", rights: "device" },
    ];

    needs(hasLandlock)(
      "a root of existing files lets them be written and truncated, and no name be made or lost",
      async () => {
        const { folder, inside, outside } = makeFolder();
        const lines: [call: string, result: string][] = [
          [`openat ${CWD} "inside/file ${O_WRONLY}`, "fd"],
          [`openat ${CWD} "inside/below/file ${O_RDWR | O_TRUNC}`, "fd"],
          [`openat ${CWD} "inside/file ${O_WRONLY | O_CREAT} 0644`, "fd"],
          [`truncate "inside/file 3`, "0"],
          [`openat ${CWD} "inside/new ${O_WRONLY | O_CREAT} 0644`, "EACCES"],
          // A file without a name is only written; a name is what it does not get.
          [`openat ${CWD} "inside ${O_TMPFILE | O_RDWR} 0600`, "fd"],
          [`linkat $6 " ${CWD} "inside/new 0x1000`, "EACCES"],
          [`mkdirat ${CWD} "inside/new 0755`, "EACCES"],
          [`mknodat ${CWD} "inside/new 010644 0`, "EACCES"],
          [`symlinkat "file ${CWD} "inside/new`, "EACCES"],
          [`linkat ${CWD} "inside/file ${CWD} "inside/new 0`, "EACCES"],
          [`unlinkat ${CWD} "inside/file 0`, "EACCES"],
          [`unlinkat ${CWD} "inside/below 0x200`, "EACCES"],
          [`renameat2 ${CWD} "inside/file ${CWD} "inside/new 0`, "EACCES"],
          [`renameat2 ${CWD} "inside/file ${CWD} "inside/below/file 2`, "EACCES"],
          [`renameat2 ${CWD} "inside/file ${CWD} "outside/new 0`, "EACCES"],
          [`openat ${CWD} "outside/file ${O_WRONLY}`, "EACCES"],
          [`openat ${CWD} "inside/../outside/file ${O_RDWR}`, "EACCES"],
          [`truncate "outside/file 0`, "EACCES"],
          [`openat ${CWD} "outside/file 0`, "fd"],
          [`openat ${CWD} "/dev/null ${O_RDWR}`, "fd"],
          [`ioctl $21 0x5401 @64`, "ENOTTY"],
        ];
        const got = await results(
          folder,
          lines.map(([call]) => call),
          { fence: existing(inside) },
        );
        expect(lines.map(([call], at) => [call, got[at]])).toEqual(lines.map((line) => [...line]));
        expect(readFileSync(join(outside, "file"), "utf8")).toBe("before");
      },
    );

    needs(hasLandlock)("metadata is no concern of the fence, so the supervisor must always carry it out", async () => {
      const { folder, inside } = makeFolder();
      const lines = [`fchmodat ${CWD} "outside/file 0600`, `utimensat ${CWD} "outside/file - 0`];
      expect(await results(folder, lines, { fence: existing(inside) })).toEqual(["0", "0"]);
    });

    needs(hasLandlock)("what counts is the object: a moved root goes on, another under its name does not", async () => {
      const { folder, inside } = makeFolder();
      // The mkdir stops the command until the names have changed: the driver's loop answers it before the rest runs.
      const moved = join(folder, "moved");
      const child = driven.spawn({
        command: [
          "/bin/sh",
          "-c",
          `echo up; read line <go; cd ${folder}; (: >>moved/file) && echo moved; (: >>inside/file) || echo other`,
        ],
        fence: existing(inside),
      });
      Bun.spawnSync(["mkfifo", "-m", "666", join(driven.scratch, "go")]);
      await driven.event("launched");
      renameSync(inside, moved);
      mkdirSync(inside);
      writeFileSync(join(inside, "file"), "", { mode: 0o666 });
      if (user) for (const path of [inside, join(inside, "file")]) give(path, user);
      writeFileSync(join(driven.scratch, "go"), "\n");
      expect(await new Response(child.stdout).text()).toBe("up\nmoved\nother\n");
    });

    needs(hasLandlock)("nothing can be mounted inside", async () => {
      const { folder, inside } = makeFolder();
      const script = "unshare -Urm true 2>&1; unshare -Ur mount -t tmpfs none /mnt 2>&1; echo end";
      const { stdout } = await driven.run({ command: ["/bin/sh", "-c", script], fence: existing(inside) });
      expect(stdout).toMatch(/not permitted|denied/i);
      expect(stdout.endsWith("end\n")).toBe(true);
      expect(existsSync(folder)).toBe(true);
    });

    for (const abi of [2, 3, 4, 5, 6]) {
      const has = kernel(`Landlock ABI ${abi}`, () => (landlockAbi() >= abi ? undefined : `ABI ${landlockAbi()}`));
      needs(has)(
        `with ABI ${abi} writes outside fail, and truncation ${abi >= 3 ? "too" : "is the filter's matter"}`,
        async () => {
          const { folder, inside } = makeFolder();
          const lines = [
            `openat ${CWD} "outside/file ${O_WRONLY}`,
            `openat ${CWD} "inside/file ${O_WRONLY}`,
            `truncate "outside/file 0`,
            `renameat2 ${CWD} "inside/file ${CWD} "outside/new 0`,
          ];
          const got = await results(folder, lines, { fence: existing(inside), abi });
          expect(got).toEqual(["EACCES", "fd", abi >= 3 ? "EACCES" : "0", "EACCES"]);
        },
      );
    }
  });
}

test("each ABI takes away what it knows, and a scope needs the sixth", () => {
  const sizes = [2, 3, 4, 5, 6].map((abi) => handledRights(abi).toString(2).replaceAll("0", "").length);
  expect(sizes).toEqual([11, 12, 12, 13, 13]);
  expect(SCOPE_ABI).toBe(6);
});
