import { expect, test } from "bun:test";
import { formatDuration, parseDuration } from "./duration.ts";
import { decodePath } from "./path-text.ts";
import { show } from "./show.ts";

test("what could move a cursor, hide or reorder is written out", () => {
  const cases: readonly [string, string][] = [
    ["plain /häuser/日本", "plain /häuser/日本"],
    ["a\nb\r\tc", "a\\nb\\r\\tc"],
    ["\x1b[2J\x07\x7f\x9b", "\\x1b[2J\\x07\\x7f\\u{9b}"],
    ["a\u202eb\u2066c\u200fd", "a\\u{202e}b\\u{2066}c\\u{200f}d"],
    ["a\u200bb\u2060c\ufeffd\u00ade", "a\\u{200b}b\\u{2060}c\\u{feff}d\\u{ad}e"],
    ["a\u00a0b\u3000c\u2028d", "a\\u{a0}b\\u{3000}c\\u{2028}d"],
    ["\u0301a\u0301", "\\u{301}a\u0301"],
    ["\u{e0041}\ue000", "\\u{e0041}\\u{e000}"],
    ["a\\b", "a\\\\b"],
    [decodePath(Uint8Array.of(97, 0xff, 0xc3)), "a\\xff\\xc3"],
  ];
  expect(cases.map(([text]) => show(text))).toEqual(cases.map(([, shown]) => shown));
});

test("two different texts are never shown alike", () => {
  const texts = ["\n", "\\n", "\\\\n", "\\x0a", "\u202e", "\\u{202e}", "\udcff", "\\xff", "ÿ"];
  expect(new Set(texts.map(show)).size).toBe(texts.length);
});

test("durations are read and written", () => {
  const cases: readonly [string, number][] = [
    ["90s", 90_000],
    ["10m", 600_000],
    ["2h", 7_200_000],
    ["1h30m", 5_400_000],
  ];
  for (const [text, milliseconds] of cases) expect(parseDuration(text)).toBe(milliseconds);
  expect([90_000, 600_000, 5_400_000, 3_661_000, 1].map(formatDuration)).toEqual([
    "1m30s",
    "10m",
    "1h30m",
    "1h1m1s",
    "1s",
  ]);
  for (const text of ["", "5", "0s", "m", "1m1h", "1d", "-1s", "1.5h", "99999h"])
    expect([text, parseDuration(text)]).toEqual([text, undefined]);
});
