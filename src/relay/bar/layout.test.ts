import { describe, expect, test } from "bun:test";
import type { Request } from "../../session/request.ts";
import { layOut, type Place } from "./layout.ts";
import { EMPTY, press, withRequests, type BarState } from "./state.ts";
import { rowText, rowWidth } from "./wrap.ts";

const NPM: Request = {
  id: 1,
  call: {
    category: "write",
    operation: "write",
    target: "/home/me/.npm/_cacache/tmp/x",
    syscall: "openat",
    tid: 41237,
    pid: 41237,
    exe: "/usr/bin/node",
    warnings: [],
  },
  by: [
    { pid: 41237, name: "node", command: ["npm", "install"] },
    { pid: 3, name: "bash", command: ["bash"] },
    { pid: 2, name: "copilot", command: ["copilot"] },
  ],
  wider: ["/home/me/.npm/_cacache/tmp/x", "/home/me/.npm/**"],
  widerIndex: 1,
  since: 0,
  count: 1,
};

const other = (id: number, call: Partial<Request["call"]> = {}, more: Partial<Request> = {}): Request => ({
  ...NPM,
  id,
  ...more,
  call: { ...NPM.call, ...call },
});

const NOW = 1_000;
const up = (...requests: Request[]): BarState => withRequests(EMPTY, requests, NOW);

function rows(state: BarState, place: Partial<Place> = {}): string[] {
  const at = { columns: 80, rows: 16, now: NOW + 1000, date: 5_000, ...place };
  const laid = layOut(state, at);
  for (const row of laid) expect(rowWidth(row)).toBeLessThanOrEqual(at.columns);
  expect(laid.length).toBeLessThanOrEqual(at.rows);
  return laid.map(rowText);
}

test("shows the question as the contract draws it", () => {
  expect(rows(up(NPM, other(2), other(3)), { columns: 120 })).toEqual([
    "hallpass: node (pid 41237) wants to write",
    "/home/me/.npm/_cacache/tmp/x",
    "by: npm install ← bash ← copilot (its own words)",
    "[t] and [a] allow: /home/me/.npm/**   ↓",
    "[o] once  [t] for 5m  [a] always  [d] deny  [n] never  [w] web  [?] more  [Esc] dismiss   1 of 3",
  ]);
});

test("is nothing while nothing is asked", () => {
  expect(rows(EMPTY)).toEqual([]);
});

test("names the operation, the second path, the spelling, the warnings and the rule that [a] replaces", () => {
  const call = {
    operation: "rename to",
    target: "/etc/a",
    to: "/etc/b",
    spelled: "../etc/a",
    warnings: ["outside-home-and-project", "holds-keys"],
    askRule: "ask write /etc/**",
  } as const;
  const shown = rows(up(other(1, call, { count: 3 }))).join("\n");
  for (const text of [
    "wants to write (rename to), 3 calls",
    "to: /etc/b",
    "spelled: ../etc/a",
    "! outside your home and the project",
    "! holds keys",
    "([a] replaces: ask write /etc/**)",
  ]) {
    expect(shown).toContain(text);
  }
});

test("says what is wanted of programs and of the network", () => {
  expect(rows(up(other(1, { category: "exec", operation: "run", target: "/usr/bin/curl" })))[0]).toBe(
    "hallpass: node (pid 41237) wants to run",
  );
  expect(rows(up(other(1, { category: "connect", operation: "connect", target: "tcp:1.2.3.4:443" })))[0]).toBe(
    "hallpass: node (pid 41237) wants to connect to",
  );
});

describe("text that a program controls", () => {
  const HOSTILE = [
    "/a\x1b[2Khidden",
    "/b\rfake question",
    "/c\nsecond line",
    "/d\u202egnp.exe",
    "/e\u009b2J",
    "/f\u0007\u200b\u2066",
    "/g\udc9b2J",
  ];

  test.each(HOSTILE)("is made visible: %j", (target) => {
    const claim = { pid: 1, name: `n${target}`, command: [`c${target}`] };
    const call = { target, to: target, spelled: target, service: target, exe: target };
    const request = other(1, call, { by: [claim], wider: [target], widerIndex: 0, advance: { reason: target } });
    for (const state of [up(request), press(up(request), "?", NOW + 900).state]) {
      for (const row of rows(state)) expect(row).toMatch(/^[\x20-\x7e←→↑↓…]*$/);
    }
  });

  test("is cut in the middle where it is long, with both ends to be seen, and never pushes the answers away", () => {
    const target = `/start/${"x".repeat(4000)}/end`;
    const shown = rows(up(other(1, { target }, { wider: [target], widerIndex: 0 })));
    expect(shown.join("\n")).toContain("/start/");
    expect(shown.join("\n")).toContain("/end");
    expect(shown.join("\n")).toMatch(/… \d+ more characters …/);
    expect(shown.join("\n")).toContain("[o] once");
    expect(shown[0]).toBe("hallpass: node (pid 41237) wants to write");
  });

  test("keeps its columns where characters are wide or combined", () => {
    const target = `/${"漢字かな".repeat(30)}/e\u0301o\u0308${"\u0301".repeat(50)}`;
    for (const columns of [20, 21, 33, 80]) rows(up(other(1, { target })), { columns });
  });
});

describe("little room", () => {
  test("20 columns", () => {
    expect(rows(up(NPM), { columns: 20 })).toEqual([
      "hallpass: node (pid",
      "41237) wants to",
      "write",
      "/home/me/.npm/_cacac",
      "he/tmp/x",
      "by: npm install ← ba",
      "… 28 more character…",
      "[t] and [a] allow: /",
      "home/me/.npm/**   ↓",
      "[o] once  [t] for 5m",
      "[a] always  [d] deny",
      "[n] never  [w] web",
      "[?] more",
      "[Esc] dismiss",
    ]);
  });

  test("four rows: the question and the keys", () => {
    const shown = rows(up(NPM), { columns: 40, rows: 4 });
    expect(shown.at(-1)).toBe("o t a d n ? Esc");
    expect(shown[0]).toBe("hallpass: node (pid 41237) wants to writ");
  });

  test("one row: the keys", () => {
    expect(rows(up(NPM, other(2)), { rows: 1 })).toEqual(["o t a d n ? Esc 1/2"]);
  });

  test("any size holds", () => {
    const target = `/${"long/".repeat(100)}`;
    for (let columns = 1; columns < 100; columns += 7) {
      for (let height = 1; height < 20; height++) rows(up(other(1, { target }), other(2)), { columns, rows: height });
    }
  });
});

describe("?", () => {
  const more = press(up(NPM), "?", NOW + 900).state;

  test("tells everything and what each key does", () => {
    const shown = rows(more, { rows: 30, date: 65_000 }).join("\n");
    for (const text of [
      "program: /usr/bin/node",
      "call: openat (write), waiting 1m5s",
      "o once: this call",
      "↑ wider",
    ]) {
      expect(shown).toContain(text);
    }
  });

  test("goes on below where there is no room for all", () => {
    const first = rows(more, { rows: 8 });
    expect(first.at(-2)).toBe("PgUp PgDn: more");
    const second = rows(press(more, "page-down", NOW + 2000).state, { rows: 8 });
    expect(second[0]).not.toBe(first[0]);
  });
});

test("a notice takes the question's place, and the question comes back", () => {
  const state = { ...up(NPM), notice: { lines: ["code: 123456", "http://127.0.0.1:1\x1b[2J"] } };
  expect(rows(state)).toEqual(["code: 123456", "http://127.0.0.1:1\\x1b[2J"]);
  expect(rows({ ...state, notice: undefined })[0]).toContain("wants to write");
});
