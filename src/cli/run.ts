/** `hallpass [flags] [-- CMD ARG...]`: one session from its start to its end; the place where all parts meet. */
import { closeSync, constants, openSync } from "node:fs";
import { setDumpable } from "../../ffi/prctl.ts";
import { PolicyChannel } from "../../policy-wasm/host.ts";
import { isInsideSandbox } from "../control/peer.ts";
import { HallpassError } from "../errors.ts";
import type { Relay } from "../relay/index.ts";
import { LAUNCHER } from "../supervisor/launch.ts";
import { warmUp } from "../supervisor/supervisor.ts";
import { readStartState, type StartState } from "../supervisor/start-state.ts";
import { type Flags, parseArgv } from "./argv.ts";
import { explain } from "./explain.ts";
import { type Context, readContext } from "./context.ts";
import { findProgram, type Program } from "./find-program.ts";
import { type Prompt, choosePrompt } from "./run/prompt.ts";
import { openRunLog } from "./run/run-log.ts";
import { Running } from "./run/running.ts";
import { settingFor } from "./run/setting.ts";
import { type RunOptions, readRunOptions } from "./run-options.ts";
import { makeSessionTmp, sweepSessionTmp } from "./session-tmp.ts";

/** The exit code. */
export async function run(command: readonly string[]): Promise<number> {
  setDumpable(false);
  const start = readStartState();
  const { flags, words } = asStarted(start, command);
  const options = readRunOptions(flags);
  refuseUnbuilt(options);
  refuseNested();
  const context = readContext(process.cwd(), environmentOf(start));
  const argv = words.length > 0 ? words : [context.env.SHELL || "/bin/sh"];
  const program = findProgram(argv[0]!, { cwd: context.cwd, path: context.env.PATH ?? "" });
  const hooks: RelayHooks = {};
  const relay = await openRelay(options, hooks);
  const prompt = choosePrompt(options.prompt, { hasTerminal: relay !== undefined, env: context.env, pid: process.pid });
  const crash = (error: unknown): never => {
    relay?.restoreNow();
    process.exit(explain(error));
  };
  // The launcher ends the sandbox when hallpass ends without a word.
  process.on("uncaughtException", crash);
  process.on("unhandledRejection", crash);
  try {
    return await session({ start, options, context, argv, program, relay, hooks, prompt });
  } finally {
    relay?.restoreNow();
  }
}

/** What a terminal needs is loaded only where there is one. */
async function openRelay({ prompt }: RunOptions, hooks: RelayHooks): Promise<Relay | undefined> {
  try {
    closeSync(openSync("/dev/tty", constants.O_RDWR | constants.O_NOCTTY));
  } catch {
    return undefined;
  }
  const relay = await import("../relay/index.ts");
  return relay.Relay.open({
    hasBar: prompt === undefined || prompt === "terminal",
    onWeb: () => hooks.onWeb?.(),
    onFullScreen: () => hooks.onFullScreen?.(),
    onFailure: (error) => hooks.onFailure?.(error),
  });
}

/** Bun spells words that are no UTF-8 otherwise than they were given. */
function asStarted(start: StartState, command: readonly string[]): { flags: Flags; words: readonly string[] } {
  const parsed = parseArgv(start.arguments);
  return { flags: parsed.flags, words: parsed.type === "run" ? parsed.command : command };
}

function environmentOf(start: StartState): Record<string, string | undefined> {
  return Object.fromEntries(start.environment.map((one) => [one.replace(/=.*/s, ""), one.slice(one.indexOf("=") + 1)]));
}

function refuseUnbuilt({ mode, profile, checks }: RunOptions): void {
  if (mode === "strict") throw new HallpassError("--mode=strict is not built yet; run without it");
  if (profile !== undefined) throw new HallpassError("--profile is not built yet; use --rules FILE");
  if (checks !== undefined) throw new HallpassError("--checks is not built yet");
}

/** The kernel gives a process one listener; said before anything is made. */
function refuseNested(): void {
  if (!isInsideSandbox(LAUNCHER)) return;
  throw new HallpassError(
    "this runs in a hallpass session already, and one cannot run inside another: start it from outside",
  );
}

/** What the relay reports, to a session that is made after it. */
export interface RelayHooks {
  onWeb?: () => void;
  onFullScreen?: () => void;
  onFailure?: (error: Error) => void;
}

export interface Run {
  readonly start: StartState;
  readonly options: RunOptions;
  readonly context: Context;
  readonly argv: readonly string[];
  readonly program: Program;
  readonly relay: Relay | undefined;
  readonly hooks: RelayHooks;
  readonly prompt: Prompt;
}

/** What killed sessions left is nobody's hurry. */
const SWEEP_AFTER = 1000;

async function session(begun: Run): Promise<number> {
  warmUp();
  const tmpBase = begun.context.env.TMPDIR?.startsWith("/") ? begun.context.env.TMPDIR : "/tmp";
  const tmp = makeSessionTmp(tmpBase);
  try {
    const log = openRunLog(begun.options, begun.context);
    const setting = settingFor(begun, tmp.path, log?.path);
    const channel = PolicyChannel.create();
    const running = new Running(begun, setting, channel, log);
    for (const line of [...setting.say, ...begun.prompt.say]) process.stderr.write(`hallpass: ${line}\n`);
    setTimeout(() => sweepSessionTmp(tmpBase), SWEEP_AFTER).unref();
    return await running.toTheEnd();
  } finally {
    tmp.remove();
  }
}
