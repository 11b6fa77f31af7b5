/** What a user does on a fresh machine: clone, `npm start`, install for everywhere. Takes bun and the packages from the registry. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { environment, run, type Ended } from "../support/hallpass.ts";
import { makePlaces, type Places } from "../support/places.ts";
import { tree } from "../support/tree.ts";
import { asUser, ordinaryUser, type User } from "../support/user.ts";

/** What npm sets for the script it runs; a setting of the user's own (a proxy, say) is none of these. */
const NPMS_OWN =
  /^(INIT_CWD|NODE|npm_(lifecycle|package)_.*|npm_(command|execpath|node_execpath))$|^npm_config_.*prefix$/;
const INSTALL_MS = 240_000;
const user = ordinaryUser();

let folder = "";
const clone = (): string => join(folder, "hallpass");

/** Without what the npm that runs these tests has set, and without this tree's programs in PATH. */
function cleanEnv(places: Places, as?: User): Record<string, string> {
  const env = environment(places, as);
  const path = (env.PATH ?? "").split(":").filter((entry) => !entry.includes("node_modules"));
  const kept = Object.entries(env).filter(([name]) => !/^(npm_|INIT_CWD$|NODE$|HALLPASS)/.test(name));
  return { ...Object.fromEntries(kept), PATH: path.join(":") };
}

async function good(command: readonly string[], cwd: string, env: Record<string, string>): Promise<Ended> {
  const ended = await run(command, { cwd, env, timeoutMs: INSTALL_MS });
  if (ended.status !== 0)
    throw new Error(`${command.join(" ")}: status ${ended.status}\n${ended.stdout}${ended.stderr}`);
  return ended;
}

/** A clone of what is committed, owned by the user as if they had made it. */
beforeAll(async () => {
  folder = mkdtempSync("/var/tmp/hallpass-clone-");
  chmodSync(folder, 0o755);
  using places = makePlaces();
  await good(["git", "clone", "--quiet", "--no-local", tree, clone()], folder, cleanEnv(places));
  if (asUser(user).length > 0) await good(["chown", "-R", `${user.uid}:${user.gid}`, folder], folder, cleanEnv(places));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test(
  "an ordinary user clones and `npm start -- -- CMD` does all the set-up and runs CMD",
  async () => {
    using places = makePlaces(user);
    const env = cleanEnv(places, user);
    const words = [
      ...asUser(user),
      "npm",
      "--silent",
      "start",
      "--",
      "--",
      "sh",
      "-c",
      'echo "in the sandbox"; exit 7',
    ];
    const first = await run(words, { cwd: clone(), env, timeoutMs: INSTALL_MS });
    expect([first.stdout, first.status, first.status === 7 ? "" : first.stderr]).toEqual(["in the sandbox\n", 7, ""]);
    const second = await run(words, { cwd: clone(), env });
    expect([second.stdout, second.status]).toEqual(["in the sandbox\n", 7]);
    expect(second.stderr).not.toContain("installing");
  },
  INSTALL_MS,
);

test("`npm start` gives CMD the user's environment and not npm's", async () => {
  using places = makePlaces(user);
  const env = cleanEnv(places, user);
  const words = [...asUser(user), "npm", "--silent", "start", "--", "--prompt=deny", "--", "env"];
  const names = (await good(words, clone(), env)).stdout.split("\n").map((line) => line.split("=")[0]);
  expect(names.filter((name) => NPMS_OWN.test(name ?? ""))).toEqual([]);
  expect(names).toContain("HOME");
});

test("once all is there, bootstrap takes less than 50 ms", async () => {
  using places = makePlaces(user);
  const env = cleanEnv(places, user);
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const began = performance.now();
    await good([...asUser(user), "sh", "scripts/bootstrap.sh"], clone(), env);
    times.push(performance.now() - began);
  }
  expect(Math.min(...times)).toBeLessThan(50);
});

test("bin/hallpass runs from any folder and through a symlink", async () => {
  using places = makePlaces(user);
  const env = cleanEnv(places, user);
  const link = join(places.root, "hp");
  symlinkSync(join(clone(), "bin", "hallpass"), link);
  for (const program of [join(clone(), "bin", "hallpass"), link]) {
    const ended = await good([...asUser(user), program, "--prompt=deny", "--", "pwd"], places.project, env);
    expect(ended.stdout).toBe(`${places.project}\n`);
  }
});

test(
  "installed with `npm install -g .` it runs with neither node nor a compiler in PATH",
  async () => {
    using places = makePlaces(user);
    const env = cleanEnv(places, user);
    const prefix = join(places.root, "prefix");
    await good([...asUser(user), "npm", "--silent", "install", "-g", ".", "--prefix", prefix], clone(), env);
    const few = join(places.root, "few");
    await good(["mkdir", few], places.root, env);
    for (const name of ["sh", "env", "dirname", "readlink", "sed", "uname", "true", "pwd"]) {
      const real = Bun.which(name, { PATH: "/usr/bin:/bin" });
      if (real !== null) symlinkSync(real, join(few, name));
    }
    const bare = { ...env, PATH: `${join(prefix, "bin")}:${few}` };
    expect(Bun.which("node", { PATH: bare.PATH })).toBeNull();
    expect(Bun.which("cc", { PATH: bare.PATH })).toBeNull();
    const ended = await good([...asUser(user), "hallpass", "--prompt=deny", "--", "pwd"], places.project, bare);
    expect(ended.stdout).toBe(`${places.project}\n`);
    // npm must not have put other packages in the place of those that bun.lock names.
    expect(existsSync(join(clone(), "package-lock.json"))).toBe(false);
    await good([...asUser(user), "sh", "scripts/bootstrap.sh"], clone(), { ...env, PATH: few + ":/usr/bin:/bin" });
  },
  INSTALL_MS,
);
