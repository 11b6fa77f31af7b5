/** Runs one case of ../shared/cases by its contract (the README there): fresh folders, the sandbox in front or in HALLPASS. */
import { chmodSync, closeSync, copyFileSync, openSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hallpassFor } from "./hallpass.ts";
import { makePlaces, type Places } from "./places.ts";
import { casesFolder } from "./tree.ts";
import { asUser, canRead, userEnv, type User } from "./user.ts";

export interface CaseResult {
  /** 0 right, 1 wrong, 77 cannot run here, 124 time limit. */
  readonly status: number;
  readonly seconds: number;
  /** What it says was wrong or missing, or its last lines. */
  readonly words: string;
}

const LIMIT_SECONDS = 300;

export function caseNames(): string[] {
  const files = readdirSync(casesFolder).filter((file) => /^\d\d-.*\.sh$/.test(file));
  return files.map((file) => file.slice(0, -".sh".length)).toSorted();
}

/**
 * The program that a case compiles in its project must be allowed to run; case 26 wants the opposite. One word: a case
 * that runs on the host puts it through a shell, which would make `--allow-exec ROOT/**` into the names below ROOT.
 */
function allowBuilt(name: string, root: string): string[] {
  if (name.startsWith("26-")) return [];
  // 48 runs the first set-user-id program that this machine happens to have, and takes a refusal for a gained right.
  const found = name.startsWith("48-") ? ["--allow-exec=/usr/bin/**"] : [];
  return [`--allow-exec=${root}/**`, ...found];
}

/**
 * 90 takes any "RESULT" after a question for an answer to it. The bar draws what the program wrote before on a screen of its
 * own, the results of earlier names too: so each result says which name it is of, and only that one counts. And it looks for
 * a title's text without the escape before it, which is what is shown when the escape is made visible.
 */
const MENDED_90: readonly (readonly [from: string, to: string])[] = [
  [String.raw`RESULT %s\r\n" % r.encode())`, String.raw`RESULT %s %d\r\n" % (r.encode(), names.index(n)))`],
  ['b"]0;newtitle"', String.raw`b"\x1b]0;newtitle"`],
  ['if b"RESULT" in t.buf:', String.raw`if re.search(rb"RESULT \w+ %d\b" % i, t.buf):`],
  [String.raw`rb"RESULT (\w+)", 15)`, String.raw`rb"RESULT (\w+) %d\b" % i, 15)`],
];

function mend(script: string, copy: string): string {
  let text = readFileSync(script, "utf8");
  for (const [from, to] of MENDED_90) {
    if (!text.includes(from)) throw new Error(`case 90 has changed: it lacks ${from}`);
    text = text.replace(from, () => to);
  }
  writeFileSync(copy, text);
  chmodSync(copy, 0o755);
  return copy;
}

/** The case as `user` can read it. */
function scriptFor(name: string, user: User, places: Places): string {
  const script = join(casesFolder, `${name}.sh`);
  if (name.startsWith("90-")) return mend(script, join(places.root, `${name}.sh`));
  if (canRead(script, user)) return script;
  const copy = join(places.root, `${name}.sh`);
  copyFileSync(script, copy);
  return copy;
}

function caseEnv(places: Places, user: User): Record<string, string> {
  if (user.uid !== 0) return userEnv(user, places.root);
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD$|HALLPASS|BUN_)/.test(name));
  return Object.fromEntries(kept) as Record<string, string>;
}

export async function runCase(name: string, user: User): Promise<CaseResult> {
  using places = makePlaces(user);
  const script = scriptFor(name, user, places);
  const program = hallpassFor(user).at(-1) ?? "";
  const allowed = allowBuilt(name, places.root);
  const sandbox = [program, "--prompt=deny", ...allowed, "--"];
  const env = { ...caseEnv(places, user), PROJECT: places.project, OUTSIDE: places.outside };
  const limit = ["timeout", "-k", "10", String(LIMIT_SECONDS)];
  const isOnHost = /^# KIND:.*ON THE HOST/m.test(readFileSync(script, "utf8"));
  const inFront = isOnHost ? [] : sandbox;
  const forHost = {
    HALLPASS: sandbox.join(" "),
    HALLPASS_ASK: `${program} --`,
    HALLPASS_WAIT: [program, "--prompt=deny", "--wait=all", ...allowed, "--"].join(" "),
  };
  const log = join(places.root, "log");
  const began = performance.now();
  const status = await toTheEnd([...asUser(user), ...limit, ...inFront, "bash", script], places, log, {
    ...env,
    ...(isOnHost ? forHost : {}),
  });
  const seconds = (performance.now() - began) / 1000;
  endLeftovers(places);
  return { status, seconds, words: wordsOf(readFileSync(log, "utf8")) };
}

async function toTheEnd(
  command: readonly string[],
  places: Places,
  log: string,
  env: Record<string, string>,
): Promise<number> {
  const output = openSync(log, "w");
  const options = { cwd: places.project, env, stdin: "ignore", stdout: output, stderr: output } as const;
  // A session of its own: the terminal of whoever runs the tests is not the sandbox's.
  const child = Bun.spawn([...command], { ...options, detached: true });
  closeSync(output);
  return child.exited;
}

/** The line that says what is wrong, else the last lines. */
function wordsOf(log: string): string {
  const lines = log.trimEnd().split("\n");
  const telling = lines.filter((line) => /^(WRONG|SKIP|hallpass:)/.test(line));
  return (telling.length > 0 ? telling.slice(0, 20) : lines.slice(-10)).join("\n");
}

/** Ends what a case left behind: those processes, and only those, have this run's project in their environment. */
function endLeftovers(places: Places): void {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/environ`, "latin1").includes(`PROJECT=${places.project}\0`)) {
        process.kill(Number(pid), "SIGKILL");
      }
    } catch {
      // It is gone, or is not ours to look at.
    }
  }
}
