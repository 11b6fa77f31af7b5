/** Lists of system calls (tests/targets/calls.c), made inside hallpass or bare, and what they came to. */
import { lstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errnoName } from "../../../ffi/errno.ts";
import { SYSCALLS } from "../../../src/supervisor/syscalls/index.ts";
import { environment, type Ended, hallpassFor, run } from "../../support/hallpass.ts";
import type { Places } from "../../support/places.ts";
import { asUser, give, type User } from "../../support/user.ts";
import { buildTarget } from "./targets.ts";

const NUMBERS = process.arch === "arm64" ? SYSCALLS.aarch64 : SYSCALLS.x86_64;

export const AT_FDCWD = -100;

/** A line with the call's name in front becomes one with its number; "32 NAME" is the i386 call. */
function numbered(line: string): string {
  const [word = "", ...rest] = line.split(" ");
  if (word === "32") return `32 ${[SYSCALLS.i386[rest[0]!] ?? rest[0], ...rest.slice(1)].join(" ")}`;
  return [NUMBERS[word] ?? word, ...rest].join(" ");
}

export interface ScriptOptions {
  readonly user?: User;
  /** hallpass itself runs as root, and the calls are made by a program that became `user`. */
  readonly becomes?: boolean;
  /** Flags of hallpass; absent: the calls are made bare. */
  readonly flags?: readonly string[];
  /** The folder the calls are made in; the project where absent. */
  readonly folder?: string;
}

/** What each line came to: "ENOENT", "0", "100644 3 0:0 0". */
export async function runScript(
  places: Places,
  lines: readonly string[],
  options: ScriptOptions = {},
): Promise<string[]> {
  const script = join(places.root, "script");
  writeFileSync(script, lines.map((line) => `${numbered(line)}\n`).join(""));
  if (options.user) give(script, options.user);
  const ended = await start(places, [buildTarget("calls"), script, options.folder ?? places.project], options);
  if (ended.status !== 0) throw new Error(`status ${ended.status}: ${ended.stderr}`);
  return ended.stdout.trimEnd().split("\n").map(readable);
}

function start(places: Places, command: readonly string[], options: ScriptOptions): Promise<Ended> {
  const { user, flags, becomes } = options;
  const asThem = user === undefined ? [] : asUser(user);
  const hallpassUser = becomes ? undefined : user;
  const env = environment(places, hallpassUser);
  const inside = flags !== undefined;
  const words = !inside || becomes ? [...asThem, ...command] : command;
  const allowed = [command[0]!, ...(becomes ? asThem.slice(0, 1) : [])].flatMap((one) => ["--allow-exec", one]);
  const inFront = inside ? [...hallpassFor(hallpassUser), ...flags, ...allowed, "--"] : [];
  return run([...inFront, ...words], { cwd: places.project, env, timeoutMs: 120_000 });
}

function readable(line: string): string {
  const words = line.split(" ");
  const last = Number(words.at(-1));
  return [...words.slice(0, -1), last < 0 ? errnoName(last) : String(last)].join(" ");
}

/** What a folder holds, times left out: types, modes, owners, link counts, sizes, contents. Names are bytes. */
export function contents(folder: string): string[] {
  const lines: string[] = [];
  const visit = (path: Buffer): void => {
    const stat = lstatSync(path);
    const what = stat.isSymbolicLink()
      ? readlinkSync(path, { encoding: "buffer" })
      : stat.isFile()
        ? readFileSync(path)
        : Buffer.of();
    const name = path.subarray(folder.length).toString("latin1");
    const size = stat.isDirectory() ? "" : stat.size;
    lines.push([name, stat.mode.toString(8), stat.uid, stat.gid, stat.nlink, size, what.toString("latin1")].join("|"));
    if (!stat.isDirectory()) return;
    const names = readdirSync(path, { encoding: "buffer" }).toSorted(Buffer.compare);
    for (const entry of names) visit(Buffer.concat([path, Buffer.from("/"), entry]));
  };
  visit(Buffer.from(folder));
  return lines;
}
