/**
 * What is done to the real terminal where hallpass is lost (a crash, kill -9): kept in a memfd that the launcher has as
 * well, and written by whoever is left. Layout: u32 length of the text, 44 bytes of termios, the text.
 */
import { AT_FDCWD } from "../../ffi/constants.ts";
import { cstring } from "../../ffi/bytes.ts";
import { pread, writeFile } from "../../ffi/fd.ts";
import { TERMIOS_BYTES } from "../../ffi/terminal.ts";
import { Mode } from "./screen/modes.ts";
import type { Screen } from "./screen/screen.ts";

const TEXT = 4 + TERMIOS_BYTES;
const MAX_TEXT = 4096;
const encoder = new TextEncoder();

export class Testament {
  readonly #path: Uint8Array;
  readonly #record = new Uint8Array(TEXT + MAX_TEXT);
  #written = "";

  constructor(fd: number, termios: Uint8Array) {
    this.#path = cstring(`/proc/self/fd/${fd}`);
    this.#record.set(termios, 4);
    this.#write("");
  }

  update(text: string): void {
    if (text !== this.#written) this.#write(text);
  }

  #write(text: string): void {
    this.#written = text;
    const { written } = encoder.encodeInto(text, this.#record.subarray(TEXT));
    new DataView(this.#record.buffer).setUint32(0, written, true);
    writeFile(AT_FDCWD, this.#path, this.#record);
  }

  /** The text, for the main thread on its way out. */
  static read(fd: number): Uint8Array {
    const record = new Uint8Array(TEXT + MAX_TEXT);
    const length = pread(fd, record);
    if (length < TEXT) return new Uint8Array();
    const text = new DataView(record.buffer).getUint32(0, true);
    return record.subarray(TEXT, TEXT + Math.min(text, MAX_TEXT));
  }
}

/** Makes the terminal fit for a shell again, whatever the program had turned on. "" where it turned on nothing. */
export function resetFor(screen: Screen): string {
  const { modes, pen, grid, keyboardFlags } = screen;
  const parts = modes
    .changed()
    .filter(([mode]) => !isScreenMode(mode))
    .map(([mode, isOn]) => `\x1b[?${mode}${isOn ? "l" : "h"}`);
  if (keyboardFlags[screen.isAlternate ? 1 : 0].length > 0) parts.push("\x1b[<99u");
  if (screen.isAlternate) parts.push("\x1b[?1049l");
  if (screen.isAlternate && keyboardFlags[0].length > 0) parts.push("\x1b[<99u");
  if (screen.modifyOtherKeys !== 0) parts.push("\x1b[>4m");
  if (modes.isInsert) parts.push("\x1b[4l");
  if (grid.top !== 0 || grid.bottom !== screen.rows - 1) parts.push("\x1b7\x1b[r\x1b8");
  if (pen.fg !== 0 || pen.bg !== 0 || pen.ext !== 0) parts.push("\x1b[0m\x1b]8;;\x1b\\");
  if (screen.sets.shift !== 0 || screen.sets.designated[0] !== "B") parts.push("\x1b(B\x0f");
  if (screen.cursorStyle !== 0) parts.push("\x1b[0 q");
  return parts.join("");
}

function isScreenMode(mode: number): boolean {
  return (
    mode === Mode.alternate47 || mode === Mode.alternate1047 || mode === Mode.alternate1049 || mode === Mode.saveCursor
  );
}
