import { describe, expect, test } from "bun:test";
import type { Request } from "../../session/request.ts";
import { EMPTY, press, shownRequest, unanswered, withRequests, type BarState, type Step } from "./state.ts";

function request(id: number, more: Partial<Request> = {}): Request {
  return {
    id,
    call: {
      category: "write",
      operation: "create",
      target: `/home/me/.npm/${id}`,
      syscall: "openat",
      tid: 7,
      pid: 7,
      exe: "/usr/bin/node",
      warnings: [],
    },
    by: [{ pid: 7, name: "node", command: ["npm", "install"] }],
    wider: [`/home/me/.npm/${id}`, "/home/me/.npm/**", "/home/me/.cache/**"],
    widerIndex: 1,
    since: 0,
    count: 1,
    ...more,
  };
}

const NOW = 10_000;
const up = (...requests: Request[]): BarState => withRequests(EMPTY, requests, NOW);

/** Presses keys one second apart, the first a second after NOW. */
function type(state: BarState, ...keys: string[]): Step & { effects: unknown[] } {
  const effects: unknown[] = [];
  let step: Step = { state };
  for (const [index, key] of keys.entries()) {
    step = press(step.state, key, NOW + (index + 1) * 1000);
    if (step.effect !== undefined) effects.push(step.effect);
  }
  return { ...step, effects };
}

describe("answers", () => {
  test.each([
    ["o", { request: 1, kind: "once" }],
    ["t", { request: 1, kind: "timed", target: "/home/me/.npm/**", duration: 300_000 }],
    ["a", { request: 1, kind: "always", target: "/home/me/.npm/**" }],
    ["d", { request: 1, kind: "deny" }],
    ["n", { request: 1, kind: "never" }],
    ["escape", { request: 1, kind: "dismiss" }],
    ["ctrl-c", { request: 1, kind: "dismiss" }],
  ])("%s", (key, answer) => {
    expect(type(up(request(1)), key).effects).toEqual([{ type: "answer", answer }]);
  });

  test("other keys do nothing", () => {
    for (const key of ["", "x", "y", "O", "ctrl-z", "漢", "enter"])
      expect(type(up(request(1)), key).effects).toEqual([]);
  });

  test("w asks for the web interface and leaves the request", () => {
    const step = type(up(request(1)), "w");
    expect(step.effects).toEqual([{ type: "web", request: 1 }]);
    expect(shownRequest(step.state)?.id).toBe(1);
  });
});

describe("the first half second", () => {
  test("belongs to the program", () => {
    const state = up(request(1));
    expect(press(state, "o", NOW + 499).effect).toBeUndefined();
    expect(press(state, "o", NOW + 500).effect).toBeDefined();
  });

  test("begins again when the shown request changes, and when another takes its place", () => {
    const later = withRequests(up(request(1)), [{ ...request(1), wider: ["/home/me/**"], widerIndex: 0 }], NOW + 5000);
    expect(press(later, "o", NOW + 5400).effect).toBeUndefined();
    const { state } = type(up(request(1), request(2)), "o");
    expect(shownRequest(state)?.id).toBe(2);
    expect(press(state, "o", NOW + 1499).effect).toBeUndefined();
    expect(press(state, "o", NOW + 1500).effect).toBeDefined();
  });

  test("does not begin again for one more call of the same kind: a flood cannot keep the keys away", () => {
    const later = withRequests(up(request(1)), [request(1, { count: 2 })], NOW + 5000);
    expect(press(later, "o", NOW + 5001).effect).toBeDefined();
  });

  test("does not begin again for a request that waits behind the shown one", () => {
    const later = withRequests(up(request(1)), [request(1), request(2)], NOW + 5000);
    expect(press(later, "o", NOW + 5001).effect).toBeDefined();
  });
});

describe("several requests", () => {
  test("the arrows go round", () => {
    const state = up(request(1), request(2), request(3));
    expect(shownRequest(type(state, "right").state)?.id).toBe(2);
    expect(shownRequest(type(state, "left").state)?.id).toBe(3);
    expect(shownRequest(type(state, "right", "right", "right").state)?.id).toBe(1);
  });

  test("one that is gone takes nothing else with it", () => {
    const { state } = type(up(request(1), request(2), request(3)), "right");
    expect(shownRequest(withRequests(state, [request(1), request(3)], NOW + 9000))?.id).toBe(3);
    expect(shownRequest(withRequests(state, [request(2)], NOW + 9000))?.id).toBe(2);
    expect(shownRequest(withRequests(state, [], NOW + 9000))).toBeUndefined();
  });

  test("one that was answered does not come back before the session has settled it, unless it refuses the answer", () => {
    const all = [request(1), request(2)];
    const { state } = type(up(...all), "o");
    expect(shownRequest(withRequests(state, all, NOW + 2000))?.id).toBe(2);
    expect(unanswered(state, 1, all, NOW + 2000).requests.map((one) => one.id)).toEqual([1, 2]);
  });
});

describe("what [t] and [a] allow", () => {
  test("is widened and narrowed within what the request offers", () => {
    const allowed = (...keys: string[]): unknown =>
      (type(up(request(1)), ...keys, "a").effects[0] as { answer: { target: string } }).answer.target;
    expect(allowed("up")).toBe("/home/me/.cache/**");
    expect(allowed("up", "up", "up")).toBe("/home/me/.cache/**");
    expect(allowed("down")).toBe("/home/me/.npm/1");
    expect(allowed("down", "down", "down", "up")).toBe("/home/me/.npm/**");
  });

  test("lasts as long as + and - say", () => {
    const lasts = (...keys: string[]): unknown =>
      (type(up(request(1)), ...keys, "t").effects[0] as { answer: { duration: number } }).answer.duration;
    expect(lasts("+")).toBe(15 * 60_000);
    expect(lasts("-")).toBe(60_000);
    expect(lasts("-", "-", "-")).toBe(60_000);
    expect(lasts("+", "+", "+", "+", "+", "+", "+", "+")).toBe(24 * 3_600_000);
  });

  test("begins with the time that a request in advance asks for", () => {
    const { effects } = type(up(request(1, { advance: { duration: 7_200_000 } })), "t");
    expect(effects).toEqual([
      { type: "answer", answer: { request: 1, kind: "timed", target: "/home/me/.npm/**", duration: 7_200_000 } },
    ]);
  });
});

test("Esc leaves the long view before it dismisses", () => {
  const step = type(up(request(1)), "?", "escape");
  expect(step.effects).toEqual([]);
  expect(step.state.isMore).toBe(false);
});
