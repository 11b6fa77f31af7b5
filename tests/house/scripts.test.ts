/** What the scripts say on a machine that lacks something. */
import { expect, test } from "bun:test";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { run } from "../support/hallpass.ts";
import { needs, root } from "../support/needs.ts";
import { makePlaces, type Places } from "../support/places.ts";
import { tree } from "../support/tree.ts";
import { asUser, ordinaryUser } from "../support/user.ts";

const ALWAYS = [
  "sh",
  "sed",
  "uname",
  "cmp",
  "mkdir",
  "ln",
  "cp",
  "rm",
  "dirname",
  "id",
  "cat",
  "cut",
  "tr",
  "grep",
  "env",
];

/** A PATH with the few programs of every system, and `more`. */
function pathWith(places: Places, more: readonly string[] = []): string {
  const folder = join(places.root, "bin");
  mkdirSync(folder, { recursive: true });
  for (const name of [...ALWAYS, ...more]) {
    const real = Bun.which(name, { PATH: "/usr/bin:/bin" });
    if (real === null) throw new Error(`${name} is not installed`);
    symlinkSync(real, join(folder, name));
  }
  return folder;
}

/** The scripts and the manifest, where nothing has been installed yet. */
function bareTree(places: Places): string {
  for (const part of ["scripts", "package.json", "bun.lock", "bunfig.toml"]) {
    cpSync(join(tree, part), join(places.project, part), { recursive: true });
  }
  return places.project;
}

test("an ordinary user is told which packages the tests miss, with the command, and nothing is installed", async () => {
  const user = ordinaryUser();
  using places = makePlaces(user);
  const env = { PATH: pathWith(places) };
  const script = join(bareTree(places), "scripts", "test-packages.sh");
  const told = await run([...asUser(user), "/bin/sh", script], { env });
  expect(told.status).toBe(0);
  expect(told.stderr).toContain("SKIPPED, tmux is not installed: case 43");
  expect(told.stderr).toMatch(/to run these too: sudo apt-get install --no-install-recommends .*\btmux\b/);
});

needs(root())("where everything is installed nothing is said", async () => {
  const quiet = await run(["sh", join(tree, "scripts", "test-packages.sh")]);
  expect(quiet).toEqual({ status: 0, stdout: "", stderr: "" });
});

test("without npm, bootstrap says that npm is missing", async () => {
  using places = makePlaces();
  const bare = bareTree(places);
  const ended = await run(["sh", "scripts/bootstrap.sh"], { cwd: bare, env: { PATH: pathWith(places) } });
  expect(ended.status).toBe(125);
  expect(ended.stderr).toContain("npm is not installed: install Node.js with npm");
});

test("on a machine that bun does not run on, bootstrap says which ones it does", async () => {
  using places = makePlaces();
  const path = pathWith(places);
  const uname = join(places.root, "odd");
  mkdirSync(uname);
  await Bun.write(join(uname, "uname"), "#!/bin/sh\necho riscv64\n");
  await run(["chmod", "755", join(uname, "uname")]);
  const ended = await run(["sh", "scripts/bootstrap.sh"], { cwd: bareTree(places), env: { PATH: `${uname}:${path}` } });
  expect([ended.status, ended.stderr]).toEqual([
    125,
    "hallpass: there is no bun for riscv64; amd64 and arm64 are supported\n",
  ]);
});

test("without a compiler, building says what to install", async () => {
  using places = makePlaces();
  const bare = bareTree(places);
  for (const part of ["node_modules", ".tools"]) symlinkSync(join(tree, part), join(bare, part));
  const ended = await run(["sh", "scripts/build.sh"], { cwd: bare, env: { PATH: pathWith(places) } });
  expect(ended.status).toBe(125);
  expect(ended.stderr).toContain("apt-get install make gcc libc6-dev");
});
