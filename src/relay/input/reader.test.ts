import { describe, expect, test } from "bun:test";
import { InputReader, type Token } from "./reader.ts";

const encoder = new TextEncoder();

function read(text: string): Token[] {
  return new InputReader().feed(encoder.encode(text));
}

function keys(text: string): string[] {
  return read(text).map((token) => (token.kind === "key" ? token.key : token.kind));
}

describe("keys", () => {
  test.each([
    ["o", ["o"]],
    ["?", ["?"]],
    ["\x03", ["ctrl-c"]],
    ["\x1d", ["ctrl-]"]],
    ["\x1c", ["ctrl-\\"]],
    ["\x1b[A\x1bOB", ["up", "down"]],
    ["\x1b[C\x1b[D", ["right", "left"]],
    ["\x1b[1;2A", [""]],
    ["\x1b[5~\x1b[6~", ["page-up", "page-down"]],
    ["\x1b[3~\x1b[15~", ["", ""]],
    ["\x1bo", [""]],
    ["漢é", ["漢", "é"]],
    ["\r\t\x7f", ["", "", ""]],
  ])("reads %j", (text, wanted) => {
    expect(keys(text)).toEqual(wanted);
  });

  test("reads the spellings of the kitty keyboard protocol", () => {
    expect(keys("\x1b[111u")).toEqual(["o"]);
    expect(keys("\x1b[111;1:1u\x1b[111;1:2u\x1b[111;1:3u")).toEqual(["o", "", ""]);
    expect(keys("\x1b[47:63;2u\x1b[63u")).toEqual(["?", "?"]);
    expect(keys("\x1b[27u\x1b[27;1:3u")).toEqual(["escape", ""]);
    expect(keys("\x1b[93;5u\x1b[93;133u")).toEqual(["ctrl-]", "ctrl-]"]);
    expect(keys("\x1b[99;5u\x1b[111;3u\x1b[111;65u")).toEqual(["ctrl-c", "", "o"]);
    expect(keys("\x1b[1;1:3A")).toEqual([""]);
  });

  test("reads the spellings of modifyOtherKeys and of Windows consoles", () => {
    expect(keys("\x1b[27;5;93~")).toEqual(["ctrl-]"]);
    expect(keys("\x1b[79;24;111;1;0;1_\x1b[79;24;111;0;0;1_")).toEqual(["o", ""]);
  });
});

describe("what is no key", () => {
  test.each([
    ["\x1b[0n", "reply"],
    ["\x1b[?1;2c", "reply"],
    ["\x1b[?2026;2$y", "reply"],
    ["\x1b[?0u", "reply"],
    ["\x1b[8;24;80t", "reply"],
    ["\x1b[>0;276;0c", "reply"],
    ["\x1bP1$r0m\x1b\\", "reply"],
    ["\x1b]11;rgb:0000/0000/0000\x07", "reply"],
    ["\x1b]11;rgb:0000/0000/0000\x1b\\", "reply"],
    ["\x1b_Gi=1;OK\x1b\\", "reply"],
    ["\x1b[I", "focus"],
    ["\x1b[O", "focus"],
    ["\x1b[<0;10;5M", "mouse"],
    ["\x1b[<0;10;5m", "mouse"],
    ["\x1b[M !!", "mouse"],
    ["\x1b[32;10;5M", "mouse"],
  ])("tells %j as %s", (text, kind) => {
    expect(read(text).map((token) => token.kind)).toEqual([kind as Token["kind"]]);
  });

  test("says where the cursor is", () => {
    expect(read("\x1b[12;40R")[0]?.position).toEqual({ x: 39, y: 11 });
  });

  test("a paste is pieces of one, whatever it holds", () => {
    const reader = new InputReader();
    const tokens = ["\x1b[200~oo", "\x1b[0n\x03\x1d", "a\x1b[20", "1~d"].flatMap((text) =>
      reader.feed(encoder.encode(text)),
    );
    expect(tokens.map((token) => (token.kind === "key" ? token.key : token.kind))).toEqual([
      "paste",
      "paste",
      "paste",
      "paste",
      "d",
    ]);
  });
});

test("loses and invents no byte, however the input is cut", () => {
  const text = "o\x1b[A\x1b[200~paste\x1b[201~\x1b]0;x\x07漢\x1b[<0;1;1M\x1bOA\x1b[M abc\x1b[27;5;93~\x1b\x1b[I";
  const whole = encoder.encode(text);
  for (let cut = 1; cut < whole.length; cut++) {
    const reader = new InputReader();
    const tokens = [...reader.feed(whole.subarray(0, cut)), ...reader.feed(whole.subarray(cut))];
    const bytes = Buffer.concat([...tokens.map((token) => token.bytes), reader.pending]);
    expect(bytes.equals(Buffer.from(whole))).toBe(true);
  }
});

test("an ESC waits for its tail, and is Esc only when it is given up", () => {
  const reader = new InputReader();
  expect(reader.feed(encoder.encode("\x1b"))).toEqual([]);
  expect(reader.isLoneEscape).toBe(true);
  expect(reader.giveUp()?.key).toBe("escape");
  expect(reader.feed(encoder.encode("\x1b"))).toEqual([]);
  expect(reader.feed(encoder.encode("[0n")).map((token) => token.kind)).toEqual(["reply"]);
});

test("the tail of an ESC that was given up is still read as one", () => {
  const reader = new InputReader();
  reader.feed(encoder.encode("\x1b"));
  reader.giveUp();
  reader.reopenEscape();
  expect(reader.feed(encoder.encode("[0n")).map((token) => token.kind)).toEqual(["reply"]);
});
