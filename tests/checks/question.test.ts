import { describe, expect, test } from "bun:test";
import { Stop } from "../../src/checks/codes.ts";
import { readQuestion, readResource, type Question } from "../../src/checks/question.ts";

const good: Question = { user: "dana@example.com", connection: "c", action: "a.b", resource: "thing:1" };

function codeOf(change: Partial<Question>): string {
  try {
    readQuestion({ ...good, ...change });
    return "accepted";
  } catch (error) {
    return error instanceof Stop ? error.finding.code : String(error);
  }
}

const bad = (user: string): string => codeOf({ user });

describe("the user", () => {
  const refused = {
    "is empty": "",
    "has no @": "a",
    "has two @": "a@b@c",
    "has nothing before the @": "@x",
    "has nothing after the @": "x@",
    "has a space": "a b@example.com",
    "has a no-break space": "a\u00a0b@example.com",
    "has a control character": "a\u0007@example.com",
    "has a C1 control": "a\u0085@example.com",
    "has a line separator": "a\u2028@example.com",
    "has a byte order mark": "\ufeffa@example.com",
    "has a dotted capital I": "dan\u0130@example.com",
    "has a dotless i": "dan\u0131@example.com",
    "has a long s": "\u017fam@example.com",
    "has a Kelvin sign": "\u212aim@example.com",
    "has a lone surrogate": "a\ud800@example.com",
    "is of 321 bytes": `${"a".repeat(309)}@example.com`,
    "is of 321 bytes in fewer letters": `${"é".repeat(154)}a@example.com`,
  };
  for (const [what, user] of Object.entries(refused)) {
    test(`is refused when it ${what}`, () => expect(bad(user)).toBe("invalid_request"));
  }
  test("is accepted with 320 bytes", () => expect(bad(`${"a".repeat(308)}@example.com`)).toBe("accepted"));
  test("is lower-cased and split for integrations", () => {
    const { subject } = readQuestion({ ...good, user: "Dana@Example.COM" });
    expect(subject).toEqual({ email: "dana@example.com", local: "dana", domain: "example.com", groups: [] });
  });
});

describe("groups", () => {
  test("may be 200, not 201", () => {
    const groups = Array.from({ length: 200 }, (_, index) => `g${index}`);
    expect(codeOf({ groups })).toBe("accepted");
    expect(codeOf({ groups: [...groups, "one more"] })).toBe("invalid_request");
  });
  test("may hold spaces, ideographic ones too", () => expect(codeOf({ groups: ["a b", "a\u3000b"] })).toBe("accepted"));
  test("are refused empty, with a newline, or of 257 bytes", () => {
    for (const group of ["", "a\nb", "a\u2029b", "a".repeat(257)])
      expect(codeOf({ groups: [group] })).toBe("invalid_request");
    expect(codeOf({ groups: ["a".repeat(256)] })).toBe("accepted");
  });
});

describe("the action", () => {
  test("has letters, digits and _ . : / * - and begins with a letter or digit", () => {
    for (const action of ["raw:get:pods/log", "A9_.:/*-"]) expect(codeOf({ action })).toBe("accepted");
    for (const action of ["", "a b", "-a", "raw:é", "a\n", "a".repeat(201)])
      expect(codeOf({ action })).toBe("invalid_request");
  });
});

describe("the resource", () => {
  test("is cut at the first ? and the first colon", () => {
    const { type, id, params } = readResource("repo:a/b:c@x?key=1%20+2&other=");
    expect([type, id]).toEqual(["repo", "a/b:c@x"]);
    expect([...params]).toEqual([
      ["key", "1  2"],
      ["other", ""],
    ]);
  });
  test("may be a type alone", () => expect(readResource("global")).toMatchObject({ type: "global", id: "" }));
  test("keeps invalid UTF-8 in a value as the replacement character", () => {
    expect(readResource("a:b?k=%ff").params.get("k")).toBe("\ufffd");
  });
  const refused = [
    "",
    "Type:x",
    "1a:x",
    ":x",
    "a:b?x=1&x=2",
    "a:b?k=%C2%85",
    "a:b?k=%0a",
    "a:b?x=1;y=2",
    "a:b?x=%4",
    "a:b?x=%zz",
    "a:b?X=1",
    "a:b?=1",
    "a:b?&",
    "a:b\u0000",
    "a:b\ud800",
  ];
  for (const resource of refused) {
    test(`is refused as ${JSON.stringify(resource)}`, () => expect(codeOf({ resource })).toBe("invalid_request"));
  }
  test("is of 1024 bytes at most", () => {
    expect(codeOf({ resource: `a:${"b".repeat(1022)}` })).toBe("accepted");
    expect(codeOf({ resource: `a:${"b".repeat(1023)}` })).toBe("invalid_request");
  });
});

test("an empty connection is refused", () => expect(codeOf({ connection: "" })).toBe("invalid_request"));
