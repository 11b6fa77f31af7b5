/** Requests in advance (SPEC §6): a program asks before it acts, and the errno of one execve is the reply. */
import { type Advance, grantOf, Reply } from "./advance-reply.ts";
import type { SessionInput } from "./event.ts";
import { allow, refuse, wait } from "./requests.ts";
import { place, setRules } from "./rules.ts";
import type { Waiter } from "./state.ts";
import type { Turn } from "./turn.ts";

type Input = Extract<SessionInput, { type: "advance" }>;

export function advanced(turn: Turn, input: Input): void {
  const { id, advance } = input;
  if (advance.action === "release") return reply(turn, id, release(turn, advance));
  const { verdict } = turn.judge.judgeTarget(turn.state.rules, advance.category, advance.target);
  if (verdict === "deny") reply(turn, id, Reply.denied);
  else if (verdict === "allow") reply(turn, id, Reply.alreadyAllowed);
  else if (advance.action === "check") reply(turn, id, Reply.wouldAsk);
  else ask(turn, input);
}

function reply(turn: Turn, id: string, errno: number): void {
  turn.add({ type: "refuse", id, errno });
}

/** Only what requests of this session were granted for exactly this target; never another rule. */
function release(turn: Turn, { category, target }: Advance): number {
  const { rules } = turn.state;
  const left = rules.filter(
    (one) => one.origin.kind !== "request" || one.category !== category || one.target !== target,
  );
  if (left.length === rules.length) return Reply.noGrant;
  setRules(turn, left);
  return Reply.released;
}

function ask(turn: Turn, { id, advance, call, by }: Input): void {
  const { config, rules } = turn.state;
  const waiter: Waiter = { id, call, by, since: turn.now, advance };
  if (config.prompt === "deny") return refuse(turn, waiter, { reason: "policy" });
  if (config.prompt !== "allow") return wait(turn, waiter);
  allow(turn, waiter, { reason: "audit" });
  if (!turn.state.logFull) setRules(turn, [...rules, place(turn, grantOf(advance), "session", { kind: "request" })]);
}
