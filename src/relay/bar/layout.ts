/** The bar as rows of text: pure, from its state to what is drawn. */
import { formatDuration } from "../../policy/duration.ts";
import { formatTarget } from "../../policy/format.ts";
import type { Category } from "../../policy/rule.ts";
import { show } from "../../policy/show.ts";
import type { ProcessClaim, Request, Warning } from "../../session/request.ts";
import { choiceOf, isGuarded, placeOf, shownRequest, type BarState } from "./state.ts";
import { cut, elide, fill, flow, wrap, type Row, type Span, type Tone } from "./wrap.ts";

export interface Place {
  readonly columns: number;
  /** The most rows the bar may take. */
  readonly rows: number;
  readonly now: number;
  /** Milliseconds since the epoch. */
  readonly date: number;
}

const VERBS: Readonly<Record<Category, string>> = { write: "write", exec: "run", connect: "connect to", read: "read" };
const PLAIN_OPERATIONS = new Set(["write", "run", "connect", "read"]);

const WARNINGS: Readonly<Record<Warning, string>> = {
  "outside-home-and-project": "outside your home and the project",
  "writable-program": "the sandbox can write this program: allowing it allows whatever is written there",
  "holds-keys": "holds keys",
  "symlink-leads-out": "a symlink inside the project leads there",
  "runs-later": "runs later, outside the sandbox",
  service: "a service that can act outside the sandbox",
};

/** No more than this of what a process says of itself, before `?`. */
const CLAIM_ROWS = 2;

/** The rows of the bar; none while nothing is asked and nothing is to be said. */
export function layOut(state: BarState, place: Place): readonly Row[] {
  if (state.notice !== undefined) return noticeRows(state.notice.lines, place);
  const request = shownRequest(state);
  if (request === undefined) return [];
  return state.isMore ? moreRows(state, request, place) : questionRows(state, request, place);
}

/** The whole bar wakes up when the guard is over, so that nobody wonders about keys that did nothing. */
function titleTone(state: BarState, { now }: Place): Tone {
  return isGuarded(state, now) ? "asleep" : "title";
}

function noticeRows(lines: readonly string[], { columns, rows }: Place): readonly Row[] {
  return lines.flatMap((line) => fill([{ text: show(line), tone: "plain" }], columns)).slice(0, rows);
}

function questionRows(state: BarState, request: Request, place: Place): readonly Row[] {
  const { columns, rows } = place;
  const title = wrap(titleOf(request), titleTone(state, place), columns);
  const keys = keyRows(state, request, place);
  const room = rows - title.length - keys.length;
  if (room < 1) return tightRows(state, request, place);
  const target = targetRows(request, columns);
  const wider = widerRows(state, request, columns);
  const notes = noteRows(request, columns);
  const by = elide(claimRows(request, columns), CLAIM_ROWS, columns);
  const share = allot(room, target.length, [wider.length, notes.length, by.length]);
  return [
    ...title,
    ...elide(target, share.target, columns),
    ...elide(by, share.others[2]!, columns),
    ...notes.slice(0, share.others[1]),
    ...elide(wider, share.others[0]!, columns),
    ...keys,
  ];
}

/** The target has half of the room for sure; the others come in their order, and what they leave is the target's. */
function allot(room: number, target: number, others: readonly number[]): { target: number; others: number[] } {
  let left = room - Math.min(target, Math.ceil(room / 2));
  const given = others.map((wanted) => {
    const got = Math.min(wanted, left);
    left -= got;
    return got;
  });
  return { target: Math.min(target, Math.ceil(room / 2) + left), others: given };
}

/** Too few rows for all: the question on one row, the answers on the last. */
function tightRows(state: BarState, request: Request, place: Place): readonly Row[] {
  const { columns, rows, now } = place;
  const keys = cut(shortKeys(state, now), columns);
  if (rows < 2) return [keys];
  const question: Span[] = [
    { text: `${titleOf(request)} `, tone: titleTone(state, place) },
    { text: show(request.call.target), tone: "target" },
  ];
  return [...elide(fill(question, columns), rows - 1, columns), keys];
}

export function titleOf({ call, by, count }: Request): string {
  const name = show(by[0]?.name ?? call.exe.slice(call.exe.lastIndexOf("/") + 1));
  const operation = PLAIN_OPERATIONS.has(call.operation) ? "" : ` (${call.operation})`;
  const times = count > 1 ? `, ${count} calls` : "";
  return `hallpass: ${name} (pid ${call.pid}) wants to ${VERBS[call.category]}${operation}${times}`;
}

function targetRows({ call }: Request, columns: number): Row[] {
  const rows = fill([{ text: show(call.target), tone: "target" }], columns);
  if (call.to !== undefined) rows.push(...fill(labelled("to: ", show(call.to), "target"), columns));
  if (call.spelled !== undefined) rows.push(...fill(labelled("spelled: ", show(call.spelled), "claim"), columns));
  return rows;
}

function labelled(label: string, text: string, tone: Tone): Span[] {
  return [
    { text: label, tone: "plain" },
    { text, tone },
  ];
}

function noteRows({ call, advance }: Request, columns: number): Row[] {
  const lines: Span[][] = call.warnings.map((warning) => [{ text: `! ${WARNINGS[warning]}`, tone: "warning" }]);
  if (call.service !== undefined) lines.push([{ text: `! ${show(call.service)}`, tone: "warning" }]);
  if (advance?.reason !== undefined) lines.push(labelled("reason (its own words): ", show(advance.reason), "claim"));
  return lines.flatMap((line) => elide(fill(line, columns), CLAIM_ROWS, columns));
}

function claimRows({ by }: Request, columns: number): Row[] {
  if (by.length === 0) return [];
  return fill(labelled("by: ", `${by.map(claimText).join(" ← ")} (its own words)`, "claim"), columns);
}

function claimText({ command, name }: ProcessClaim): string {
  return show(command.length > 0 ? command.join(" ") : name);
}

function widerRows(state: BarState, request: Request, columns: number): Row[] {
  const { wider } = choiceOf(state, request);
  const target = request.wider[wider];
  if (target === undefined) return [];
  const replaces = request.call.askRule === undefined ? "" : `  ([a] replaces: ${show(request.call.askRule)})`;
  const arrows =
    request.wider.length > 1 ? `  ${wider < request.wider.length - 1 ? "↑" : " "}${wider > 0 ? "↓" : " "}` : "";
  const spans: Span[] = [
    ...labelled("[t] and [a] allow: ", formatTarget(target), "target"),
    { text: `${arrows}${replaces}`.trimEnd(), tone: "plain" },
  ];
  return [...elide(fill(spans, columns), 2, columns)];
}

function keyGroup(key: string, label: string, isOff: boolean): Span[] {
  return [
    { text: `[${key}]`, tone: isOff ? "off" : "key" },
    { text: ` ${label}`, tone: isOff ? "off" : "plain" },
  ];
}

function keyRows(state: BarState, request: Request, { columns, now }: Place): Row[] {
  const isOff = isGuarded(state, now);
  const { duration } = choiceOf(state, request);
  const groups = [
    keyGroup("o", "once", isOff),
    keyGroup("t", `for ${formatDuration(duration)}`, isOff),
    keyGroup("a", "always", isOff),
    keyGroup("d", "deny", isOff),
    keyGroup("n", "never", isOff),
    keyGroup("w", "web", isOff),
    keyGroup("?", "more", isOff),
    keyGroup("Esc", "dismiss", isOff),
  ];
  if (state.requests.length > 1) groups.push([{ text: ` ${placeText(state)}`, tone: "plain" }]);
  return flow(groups, columns);
}

function placeText(state: BarState): string {
  return `${placeOf(state) + 1} of ${state.requests.length}`;
}

function shortKeys(state: BarState, now: number): Row {
  const tone = isGuarded(state, now) ? "off" : "key";
  const place = state.requests.length > 1 ? ` ${placeOf(state) + 1}/${state.requests.length}` : "";
  return [{ text: `o t a d n ? Esc${place}`, tone }];
}

/** `?`: everything that is known of the request, and what every key does. */
function moreRows(state: BarState, request: Request, place: Place): readonly Row[] {
  const { columns, rows, now, date } = place;
  const { call } = request;
  const body: Row[] = [
    ...wrap(titleOf(request), titleTone(state, place), columns),
    ...targetRows(request, columns),
    ...fill(labelled("program: ", show(call.exe), "plain"), columns),
    ...fill(
      labelled(
        "call: ",
        `${call.syscall} (${call.operation}), waiting ${formatDuration(Math.max(date - request.since, 1000))}`,
        "plain",
      ),
      columns,
    ),
    ...claimRows(request, columns),
    ...noteRows(request, columns),
    ...widerRows(state, request, columns),
    ...HELP.flatMap((line) => wrap(line, "plain", columns)),
  ];
  const keys = cut(shortKeys(state, now), columns);
  const room = Math.max(rows - 1, 1);
  const from = Math.min(state.scroll, Math.max(body.length - room, 0));
  const shown = body.slice(from, from + room);
  if (body.length > room) shown[shown.length - 1] = [{ text: "PgUp PgDn: more", tone: "key" }];
  return rows < 2 ? [keys] : [...shown, keys];
}

export const HELP: readonly string[] = [
  "o once: this call   d deny: this call   Esc dismiss: deny, and look no further",
  "t for a time, a always: what the line [t] and [a] allow says; ↑ wider, ↓ narrower, + longer, - shorter",
  "n never: this target is denied from now on   w: answer in the browser",
  "← → other requests   Ctrl-C dismisses and goes to the program   Ctrl-] full screen   ? back",
];
