/** What the bar shows and what keys do to it: pure. The session decides; the bar only sends answers. */
import type { Answer, AnswerKind, Request } from "../../session/request.ts";
import type { Notice } from "../messages.ts";

/** Keys within this time after the shown request appears or changes were meant for the program (SPEC §2). */
export const GUARD_MS = 500;
export const TIMED_DEFAULT = 300_000;
/** What `+` and `-` go through. */
export const DURATIONS: readonly number[] = [1, 5, 15, 30, 60, 240, 1440].map((minutes) => minutes * 60_000);

/** What the person has set for one request. */
interface Choice {
  readonly wider: number;
  readonly duration: number;
}

export interface BarState {
  /** Oldest first; those answered here and not yet resolved are left out. */
  readonly requests: readonly Request[];
  readonly answered: ReadonlySet<number>;
  /** The id of the request that is shown; undefined while there is none. */
  readonly shown: number | undefined;
  /** When it appeared or last changed. */
  readonly since: number;
  readonly choices: ReadonlyMap<number, Choice>;
  readonly isMore: boolean;
  /** Rows of the long view that are scrolled away. */
  readonly scroll: number;
  readonly notice: Notice | undefined;
}

export const EMPTY: BarState = {
  requests: [],
  answered: new Set(),
  shown: undefined,
  since: 0,
  choices: new Map(),
  isMore: false,
  scroll: 0,
  notice: undefined,
};

export type BarEffect =
  | { readonly type: "answer"; readonly answer: Answer }
  | { readonly type: "web"; readonly request: number };

export interface Step {
  readonly state: BarState;
  readonly effect?: BarEffect;
}

export function shownRequest(state: BarState): Request | undefined {
  return state.requests.find((request) => request.id === state.shown);
}

export function placeOf(state: BarState): number {
  return state.requests.findIndex((request) => request.id === state.shown);
}

export function choiceOf(state: BarState, request: Request): Choice {
  const duration = request.advance?.duration ?? TIMED_DEFAULT;
  return state.choices.get(request.id) ?? { wider: request.widerIndex, duration };
}

export function isGuarded(state: BarState, now: number): boolean {
  return now - state.since < GUARD_MS;
}

/** What a person judges a request by: a change of it starts the guard anew, one of the count alone does not. */
function substance(request: Request): string {
  const { call, by, wider, widerIndex } = request;
  return JSON.stringify([call.category, call.operation, call.target, call.to, call.exe, by[0], wider, widerIndex]);
}

/** The session's list has changed. */
export function withRequests(state: BarState, all: readonly Request[], now: number): BarState {
  const ids = new Set(all.map((request) => request.id));
  const answered = new Set([...state.answered].filter((id) => ids.has(id)));
  const requests = all.filter((request) => !answered.has(request.id));
  const choices = new Map([...state.choices].filter(([id]) => ids.has(id)));
  return settle({ ...state, requests, answered, choices }, shownRequest(state), placeOf(state), now);
}

/** Chooses what is shown after the list has changed: the same request, else the one that took its place. */
function settle(state: BarState, before: Request | undefined, place: number, now: number): BarState {
  const same = before && state.requests.find((request) => request.id === before.id);
  if (before && same) return substance(before) === substance(same) ? state : { ...state, since: now };
  const next = state.requests[Math.min(Math.max(place, 0), state.requests.length - 1)];
  return { ...state, shown: next?.id, since: now, isMore: false, scroll: 0 };
}

const ANSWERS: Readonly<Record<string, AnswerKind>> = {
  o: "once",
  t: "timed",
  a: "always",
  d: "deny",
  n: "never",
  escape: "dismiss",
  "ctrl-c": "dismiss",
};

/** A key that is typed while the bar is up. Whether it also goes to the program is not decided here. */
export function press(state: BarState, key: string, now: number): Step {
  const request = shownRequest(state);
  if (request === undefined || isGuarded(state, now)) return { state };
  const kind = ANSWERS[key];
  if (kind !== undefined && state.isMore && key === "escape") return { state: { ...state, isMore: false, scroll: 0 } };
  if (kind !== undefined) return answer(state, request, kind, now);
  if (key === "w") return { state, effect: { type: "web", request: request.id } };
  return { state: look(state, request, key, now) };
}

function answer(state: BarState, request: Request, kind: AnswerKind, now: number): Step {
  const answered = new Set(state.answered).add(request.id);
  const requests = state.requests.filter((other) => other.id !== request.id);
  const next = settle({ ...state, requests, answered }, request, placeOf(state), now);
  return { state: next, effect: { type: "answer", answer: answerOf(state, request, kind) } };
}

function answerOf(state: BarState, request: Request, kind: AnswerKind): Answer {
  const choice = choiceOf(state, request);
  const target = request.wider[choice.wider];
  const wide = (kind === "timed" || kind === "always") && target !== undefined ? { target } : {};
  return { request: request.id, kind, ...wide, ...(kind === "timed" ? { duration: choice.duration } : {}) };
}

/** Keys that answer nothing. */
function look(state: BarState, request: Request, key: string, now: number): BarState {
  if (key === "?") return { ...state, isMore: !state.isMore, scroll: 0 };
  if (key === "left" || key === "right") return turnTo(state, key === "right" ? 1 : -1, now);
  if (state.isMore && (key === "page-up" || key === "page-down")) {
    return { ...state, scroll: Math.max(0, state.scroll + (key === "page-down" ? 5 : -5)) };
  }
  const choice = choiceOf(state, request);
  const changed = change(choice, request, key);
  if (changed === undefined) return state;
  return { ...state, choices: new Map(state.choices).set(request.id, changed) };
}

function turnTo(state: BarState, step: number, now: number): BarState {
  const { length } = state.requests;
  if (length < 2) return state;
  const next = state.requests[(placeOf(state) + step + length) % length]!;
  return { ...state, shown: next.id, since: now, isMore: false, scroll: 0 };
}

function change(choice: Choice, request: Request, key: string): Choice | undefined {
  const last = request.wider.length - 1;
  if (key === "up") return { ...choice, wider: Math.min(choice.wider + 1, last) };
  if (key === "down") return { ...choice, wider: Math.max(choice.wider - 1, 0) };
  if (key === "+" || key === "=")
    return { ...choice, duration: DURATIONS.find((one) => one > choice.duration) ?? choice.duration };
  if (key === "-")
    return { ...choice, duration: DURATIONS.findLast((one) => one < choice.duration) ?? choice.duration };
  return undefined;
}

/** The session refused an answer: its request is a question again. */
export function unanswered(state: BarState, id: number, all: readonly Request[], now: number): BarState {
  const answered = new Set(state.answered);
  answered.delete(id);
  return withRequests({ ...state, answered }, all, now);
}
