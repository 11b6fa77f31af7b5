/** An ordinary user to run programs as: made once a machine when the tests run as root, else whoever runs them. */
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
} from "node:fs";
import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import { isRoot } from "./needs.ts";
import { tree } from "./tree.ts";

export interface User {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

const NAME = "hallpass-test";

function run(command: readonly string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { stdin: "ignore" });
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: status ${exitCode}: ${stderr.toString()}`);
  return stdout.toString();
}

function lookUp(name: string): User | undefined {
  const { exitCode, stdout } = Bun.spawnSync(["getent", "passwd", name], { stdin: "ignore" });
  if (exitCode !== 0) return undefined;
  const [, , uid = "", gid = "", , home = ""] = stdout.toString().trim().split(":");
  return { name, uid: Number(uid), gid: Number(gid), home };
}

let ordinary: User | undefined;

export function ordinaryUser(): User {
  if (ordinary !== undefined) return ordinary;
  if (!isRoot) {
    const { username, uid, gid } = userInfo();
    ordinary = { name: username, uid, gid, home: homedir() };
    return ordinary;
  }
  if (lookUp(NAME) === undefined) run(["useradd", "--create-home", "--shell", "/bin/bash", NAME]);
  ordinary = lookUp(NAME);
  if (ordinary === undefined) throw new Error(`useradd made no user ${NAME}`);
  return ordinary;
}

/** The words in front of a command that make it run as `user`, with no more groups than the user has. */
export function asUser(user: User): string[] {
  if (!isRoot || user.uid === 0) return [];
  return [Bun.which("setpriv") ?? "setpriv", `--reuid=${user.uid}`, `--regid=${user.gid}`, "--init-groups", "--"];
}

const DROPPED = /^(SUDO_|XDG_|HALLPASS|npm_|NODE$|BUN_|INIT_CWD$|LS_COLORS$)/;

/** The environment a login of `user` would have, with a runtime folder of its own below `scratch`. */
export function userEnv(user: User, scratch: string): Record<string, string> {
  const runtime = join(scratch, `run-${user.uid}`);
  mkdirSync(runtime, { recursive: true, mode: 0o700 });
  give(runtime, user);
  const kept = Object.entries(process.env).filter(([name, value]) => value !== undefined && !DROPPED.test(name));
  return {
    ...(Object.fromEntries(kept) as Record<string, string>),
    HOME: user.home,
    USER: user.name,
    LOGNAME: user.name,
    SHELL: "/bin/bash",
    PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
    XDG_RUNTIME_DIR: runtime,
    TERM: "xterm-256color",
  };
}

export function give(path: string, user: User): void {
  if (isRoot) chownSync(path, user.uid, user.gid);
}

/** Whether `user` could read the file: a clone may lie below a folder that is root's alone. */
export function canRead(path: string, user: User): boolean {
  if (!isRoot) {
    accessSync(path, constants.R_OK);
    return true;
  }
  return Bun.spawnSync([...asUser(user), "test", "-r", path], { stdin: "ignore" }).exitCode === 0;
}

const PARTS = ["bin", "build", "ffi", "policy-wasm", "src", "tui", "web", "skills", "package.json", "node_modules"];
let readable: string | undefined;

/** The tree as `user` can reach it: a clone below root's home is copied where others may read it. */
export function treeFor(user: User): string {
  if (canRead(join(tree, "bin", "hallpass"), user)) return tree;
  if (readable !== undefined) return readable;
  const copy = mkdtempSync("/var/tmp/hallpass-tree-");
  chmodSync(copy, 0o755);
  for (const part of PARTS.filter((name) => existsSync(join(tree, name)))) {
    cpSync(join(tree, part), join(copy, part), { recursive: true, verbatimSymlinks: true });
  }
  process.on("exit", () => rmSync(copy, { recursive: true, force: true }));
  readable = copy;
  return copy;
}
