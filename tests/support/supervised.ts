/** A supervised command with the default rules and no session around it, for tests of the supervisor alone. */
import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PolicyChannel } from "../../policy-wasm/host.ts";
import { findProgram } from "../../src/cli/find-program.ts";
import type { Decision } from "../../src/control/messages.ts";
import { builtinRules, compilePolicy, implicitRules, type PlacedRule, settle, Tier } from "../../src/policy/index.ts";
import { openDisk } from "../../src/policy/disk.ts";
import { parseRuleLine } from "../../src/policy/parse.ts";
import type { Category } from "../../src/policy/rule.ts";
import type { PendingCall } from "../../src/session/request.ts";
import { readStartState } from "../../src/supervisor/start-state.ts";
import { Supervisor } from "../../src/supervisor/supervisor.ts";

export interface SupervisedOptions {
  readonly project: string;
  /** Rule lines of a flag's place in the order. */
  readonly rules?: readonly string[];
  readonly fence?: "auto" | "on" | "off";
  readonly landlockAbi?: number;
  readonly mediate?: readonly Category[];
  readonly logsImplicit?: boolean;
  /** Asked about a call: what the person says. Without it everything that would be asked is denied. */
  readonly answer?: (call: PendingCall, id: string, supervisor: Supervisor) => "allow" | "deny" | "later";
  readonly stdio?: readonly [number, number, number];
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Supervised {
  readonly supervisor: Supervisor;
  readonly ended: Promise<number>;
  readonly decisions: Omit<Decision, "time">[];
  readonly events: string[];
  readonly channel: PolicyChannel;
  readonly tmp: string;
  /** Puts other rule lines in force. */
  publish(rules: readonly string[]): void;
}

const TIER = { deny: Tier.deny, ask: Tier.ask, allow: Tier.allow } as const;

export function rulesFor(options: SupervisedOptions, tmp: string, command: readonly string[]): PlacedRule[] {
  const home = process.env.HOME ?? "/";
  const context = {
    home,
    cwd: options.project,
    disk: openDisk(),
    path: (process.env.PATH ?? "/usr/bin:/bin").split(":"),
  };
  const own = {
    config: `${home}/.config/hallpass`,
    state: `${home}/.local/state/hallpass`,
    runtime: "/run/hallpass",
    program: [],
  };
  const given = (options.rules ?? []).map((line, index) => {
    const rule = parseRuleLine(line, context);
    return settle(
      { ...rule, id: `given-${index}`, tier: TIER[rule.action], origin: { kind: "flag" } as const },
      context,
    );
  });
  return [
    ...builtinRules({ ...context, own }),
    ...given,
    ...implicitRules({ ...context, project: options.project, tmpdir: tmp, command }),
  ];
}

export async function supervise(command: readonly string[], options: SupervisedOptions): Promise<Supervised> {
  const tmp = realpathSync(mkdtempSync(join(tmpdir(), "hp-")));
  chmodSync(tmp, 0o700);
  const program = findProgram(command[0]!, { cwd: options.project, path: process.env.PATH ?? "" });
  const channel = PolicyChannel.create();
  channel.publish(compilePolicy(rulesFor(options, tmp, program.runs)).tables);
  const decisions: Omit<Decision, "time">[] = [];
  const events: string[] = [];
  const ended = Promise.withResolvers<number>();
  const start = readStartState();
  const environment = { ...process.env, TMPDIR: tmp, ...options.environment };
  const before = process.cwd();
  process.chdir(options.project);
  const supervisor: Supervisor = await Supervisor.start({
    launch: {
      start,
      program: program.path,
      arguments: [...command],
      environment: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
      stdio: options.stdio ?? [0, 1, 2],
      onEnded: ({ status }) => {
        ended.resolve(status);
        rmSync(tmp, { recursive: true, force: true });
      },
      onGone: () => ended.resolve(-1),
      onLost: () => ended.resolve(-1),
    },
    channel,
    project: options.project,
    tmpdir: tmp,
    home: process.env.HOME ?? "/",
    mediate: new Set(options.mediate ?? ["write", "exec"]),
    fence: options.fence ?? "auto",
    ...(options.landlockAbi === undefined ? {} : { landlockAbi: options.landlockAbi }),
    prompt: options.answer ? "ask" : "deny",
    logsImplicit: options.logsImplicit ?? false,
    hasImplicit: true,
    ptyNumber: -1,
    events: {
      asked: (id, call) => {
        events.push(`asked ${call.operation} ${call.target}`);
        const answer = options.answer?.(call, id, supervisor) ?? "deny";
        if (answer === "allow") supervisor.replay(id, call, 1, "test");
        else if (answer === "deny") supervisor.refuse(id, 13);
      },
      advance: (id) => supervisor.refuse(id, 38),
      gone: (id) => void events.push(`gone ${id}`),
      interrupted: (id) => void events.push(`interrupted ${id}`),
      decided: (decision) => void decisions.push(decision),
      failed: (error) => ended.reject(error),
      ended: () => void events.push("ended"),
    },
  });
  process.chdir(before);
  const publish = (rules: readonly string[]): void => {
    channel.publish(compilePolicy(rulesFor({ ...options, rules }, tmp, program.runs)).tables);
  };
  return { supervisor, ended: ended.promise, decisions, events, channel, tmp, publish };
}
