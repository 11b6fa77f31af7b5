import { expect, test } from "bun:test";
import {
  CODES,
  outcomeOf,
  reasonOf,
  settle,
  unknown,
  vetted,
  type Code,
  type UnknownCode,
} from "../../src/checks/codes.ts";
import { decisionOf } from "../../src/checks/decision.ts";

test("only one code allows and three deny", () => {
  const of = (outcome: string): string[] => Object.keys(CODES).filter((code) => outcomeOf(code as Code) === outcome);
  expect(of("allow")).toEqual(["allowed"]);
  expect(of("deny")).toEqual(["denied", "user_not_found"]);
});

test("a result whose outcome disagrees with its code follows the code", () => {
  const finding = settle({ code: "denied", outcome: "allow", decision: "allow", text: "" });
  expect(decisionOf(finding, 200, false)).toMatchObject({ decision: "deny", allowed: false });
});

test("a result without a code of the set is unsupported", () => {
  for (const result of [
    { decision: "allow" },
    { code: "yes" },
    { code: "toString" },
    undefined,
    null,
    true,
    "allowed",
  ]) {
    expect(settle(result).code).toBe("unsupported");
  }
});

test("an unknown cannot be built from a code that says yes or no", () => {
  expect(unknown("allowed" as UnknownCode, "x")).toEqual({ code: "unsupported", text: "x" });
  expect(unknown("denied" as UnknownCode, "x").code).toBe("unsupported");
});

test("a text is one line", () => expect(settle({ code: "denied", text: "a\nb\u2028c\u0007d" }).text).toBe("a b c d"));

test("a reason is the code alone when there is no text", () => {
  expect(reasonOf({ code: "denied", text: "" })).toBe("denied");
  expect(reasonOf({ code: "denied", text: "no" })).toBe("denied: no");
});

test("only a short plain token of a vendor's is repeated", () => {
  expect(vetted("AccessDenied")).toBe("AccessDenied");
  for (const token of ["", "two words", "a".repeat(65), "<b>", 7, undefined])
    expect(vetted(token)).toBe("an unnamed error");
});
