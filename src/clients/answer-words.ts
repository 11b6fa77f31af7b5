/** What a line typed at `hallpass answer` means. */
import { parseDuration } from "../policy/duration.ts";
import type { AnswerKind } from "../session/request.ts";

export type AnswerLine =
  | {
      readonly type: "answer";
      /** The one that is shown, where absent. */
      readonly request?: number;
      readonly kind: AnswerKind;
      readonly duration?: number;
      /** A target as the request shows it. */
      readonly target?: string;
    }
  | { readonly type: "move"; readonly by: "next" | "previous" | "wider" | "narrower" }
  | { readonly type: "quit" }
  | { readonly type: "nothing" }
  | { readonly type: "mistake"; readonly message: string };

const KINDS: Record<string, AnswerKind> = {
  o: "once",
  once: "once",
  t: "timed",
  timed: "timed",
  a: "always",
  always: "always",
  d: "deny",
  deny: "deny",
  n: "never",
  never: "never",
  x: "dismiss",
  dismiss: "dismiss",
};

const MOVES: Record<string, "next" | "previous" | "wider" | "narrower"> = {
  ">": "next",
  next: "next",
  "<": "previous",
  previous: "previous",
  "+": "wider",
  wider: "wider",
  "-": "narrower",
  narrower: "narrower",
};

/** `[REQUEST] ANSWER [DURATION] [TARGET]`, or a move. */
export function readAnswerLine(line: string): AnswerLine {
  const words = line.trim().split(/\s+/);
  const request = /^\d+$/.test(words[0] ?? "") ? Number(words.shift()) : undefined;
  const word = words.shift() ?? "";
  if (request === undefined) {
    if (word === "") return { type: "nothing" };
    if (word === "q" || word === "quit") return { type: "quit" };
    if (Object.hasOwn(MOVES, word)) return { type: "move", by: MOVES[word]! };
  }
  if (!Object.hasOwn(KINDS, word))
    return { type: "mistake", message: `${word || line} is no answer: once, timed, always, deny, never or dismiss` };
  const duration = KINDS[word] === "timed" && words[0] !== undefined ? parseDuration(words[0]) : undefined;
  if (duration !== undefined) words.shift();
  const target = words.join(" ");
  return {
    type: "answer",
    kind: KINDS[word]!,
    ...(request === undefined ? {} : { request }),
    ...(duration === undefined ? {} : { duration }),
    ...(target === "" ? {} : { target }),
  };
}
