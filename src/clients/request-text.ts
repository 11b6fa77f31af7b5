/** A request in lines of plain text, for clients that have no screen of their own. Nothing in it can move a cursor. */
import { formatDuration } from "../policy/duration.ts";
import { formatTarget } from "../policy/format.ts";
import { show } from "../policy/show.ts";
import type { SessionEvent } from "../control/messages.ts";
import type { ProcessClaim, Request, Warning } from "../session/request.ts";

export const TIMED_DEFAULT = 300_000;

const WARNINGS: Record<Warning, string> = {
  "outside-home-and-project": "outside your home and the project",
  "writable-program": "the sandbox can write this program: allowing it lets it run anything it writes there",
  "holds-keys": "holds keys",
  "symlink-leads-out": "a symlink inside the project leads there",
  "runs-later": "runs later, outside the sandbox",
  service: "a service that can act outside the sandbox",
};

/** What is asked: "node (pid 41237) wants to create". */
export function headline({ call, by, count }: Request): string {
  const name = by[0]?.name ?? call.exe.slice(call.exe.lastIndexOf("/") + 1);
  const verb = call.operation === "connect" || call.operation === "send" ? `${call.operation} to` : call.operation;
  const more = count > 1 ? ` (${count} times)` : "";
  return `${show(name)} (pid ${call.pid}) wants to ${verb}${more}`;
}

export function requestLines(request: Request, wider: string | undefined): string[] {
  const { call, by, advance } = request;
  return [
    headline(request),
    `  ${show(call.target)}`,
    ...(call.to === undefined ? [] : [`  to: ${show(call.to)}`]),
    ...(call.spelled === undefined ? [] : [`  spelled: ${show(call.spelled)}`]),
    ...(by.length > 0 ? [`  by: ${byText(by)} (its own words)`] : []),
    ...(advance?.reason === undefined ? [] : [`  reason: ${show(advance.reason)} (its own words)`]),
    ...(call.service === undefined ? [] : [`  service: ${show(call.service)}`]),
    ...call.warnings.map((warning) => `  careful: ${WARNINGS[warning]}`),
    ...(wider === undefined
      ? []
      : [
          `  [t] and [a] allow: ${formatTarget(wider)}${call.askRule === undefined ? "" : " ([a] replaces the rule that asks)"}`,
        ]),
  ];
}

const CLAIM_LENGTH = 160;

export function byText(by: readonly ProcessClaim[]): string {
  return by.map(claimText).join(" ← ");
}

function claimText({ command, name }: ProcessClaim): string {
  const text = show(command.length > 0 ? command.join(" ") : name);
  return text.length > CLAIM_LENGTH ? `${text.slice(0, CLAIM_LENGTH)}…` : text;
}

/** How a request ended, as the other clients hear it. */
export function resolvedText(event: Extract<SessionEvent, { type: "resolved" }>): string {
  const by = event.client === undefined ? "" : ` by ${show(event.client)}`;
  const what: Record<typeof event.answer, string> = {
    once: "allowed once",
    timed: "allowed for a time",
    always: "allowed always",
    deny: "denied",
    never: "denied for good",
    dismiss: "dismissed",
    gone: "gone: its process went away",
    timeout: "denied: nobody answered in time",
    rule: "decided by a rule",
    ended: "over: the session ended",
  };
  return `request ${event.request} is ${what[event.answer]}${by}`;
}

export function keysLine(duration: number, place: string): string {
  return `  [o] once  [t] for ${formatDuration(duration)}  [a] always  [d] deny  [n] never  [x] dismiss  [+] wider  [-] narrower  [>] next  [<] previous  [q] quit${place}`;
}
