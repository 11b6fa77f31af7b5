/** Everything that @xterm/headless knows of a terminal, as lines of text, so that two can be compared and told apart. */
import type { IBufferCell, IBufferLine, Terminal } from "@xterm/headless";

/** What the public interface does not show; the version is pinned. */
interface Inside {
  readonly buffers: { readonly normal: InsideBuffer; readonly alt: InsideBuffer; readonly active: InsideBuffer };
  readonly coreService: {
    readonly isCursorHidden: boolean;
    readonly modes: Record<string, unknown>;
    readonly decPrivateModes: Record<string, unknown>;
  };
  readonly coreMouseService: { readonly activeProtocol: string; readonly activeEncoding: string };
  readonly _charsetService: { readonly glevel: number; readonly charset: unknown; readonly _charsets: unknown[] };
  readonly _inputHandler: {
    readonly _curAttrData: { readonly fg: number; readonly bg: number; readonly extended: Extended };
    readonly _windowTitle: string;
    readonly _parser: { readonly precedingJoinState: number };
  };
}

interface Extended {
  readonly ext: number;
  readonly urlId: number;
}

interface InsideBuffer {
  readonly x: number;
  readonly y: number;
  readonly ybase: number;
  readonly scrollTop: number;
  readonly scrollBottom: number;
  readonly savedX: number;
  readonly savedY: number;
  readonly tabs: Record<string, boolean>;
}

function inside(terminal: Terminal): Inside {
  return (terminal as unknown as { _core: Inside })._core;
}

/** At once, where `Terminal.write` would wait for a timer. */
export function write(terminal: Terminal, bytes: Uint8Array | string): void {
  (terminal as unknown as { _core: { writeSync(data: Uint8Array | string): void } })._core.writeSync(bytes);
}

/** The whole state, a line a fact: modes and cursor first, then every row of both screens with its scrollback. */
export function stateOf(terminal: Terminal): string[] {
  const { buffers, coreService, coreMouseService, _charsetService, _inputHandler } = inside(terminal);
  const { fg, bg, extended } = _inputHandler._curAttrData;
  const active = buffers.active === buffers.alt ? "alternate" : "main";
  return [
    `screen ${active}`,
    `cursor ${buffers.active.x},${buffers.active.y} ${coreService.isCursorHidden ? "hidden" : "visible"}`,
    `margins ${buffers.active.scrollTop} ${buffers.active.scrollBottom}`,
    `pen ${styleText(fg, bg, extended)}`,
    `title ${_inputHandler._windowTitle}`,
    `modes ${JSON.stringify(coreService.modes)} ${JSON.stringify(coreService.decPrivateModes)}`,
    `mouse ${coreMouseService.activeProtocol} ${coreMouseService.activeEncoding}`,
    `charset ${_charsetService.glevel} ${setName(_charsetService.charset)} ${[0, 1, 2, 3].map((slot) => setName(_charsetService._charsets[slot])).join(" ")}`,
    // In insert mode the character cannot be printed again, so a mark that follows the bar's end is lost.
    `last ${coreService.modes.insertMode === true ? 0 : _inputHandler._parser.precedingJoinState}`,
    ...screenOf("main", terminal.cols, buffers.normal, terminal.buffer.normal),
    ...(active === "alternate" ? screenOf("alternate", terminal.cols, buffers.alt, terminal.buffer.alternate) : []),
  ];
}

function screenOf(name: string, columns: number, within: InsideBuffer, buffer: Terminal["buffer"]["normal"]): string[] {
  const cell = buffer.getNullCell();
  return [
    `${name} saved ${Math.min(within.savedX || 0, columns - 1)},${Math.max((within.savedY || 0) - within.ybase, 0)} base ${within.ybase}`,
    `${name} tabs ${Object.entries(within.tabs)
      .filter(([, isSet]) => isSet)
      .map(([column]) => column)
      .join(" ")}`,
    ...Array.from({ length: buffer.length }, (_, row) => `${name} ${row}: ${rowOf(buffer.getLine(row)!, cell)}`),
  ];
}

function setName(set: unknown): string {
  return set === undefined || set === null ? "ascii" : Object.keys(set).includes("q") ? "drawing" : "national";
}

function rowOf(line: IBufferLine, cell: IBufferCell): string {
  let text = line.isWrapped ? "~" : "";
  let style = "";
  for (let column = 0; column < line.length; column++) {
    line.getCell(column, cell);
    const next = styleOf(cell);
    if (next !== style) text += `{${next}}`;
    style = next;
    // A cell that was never written is told from a space, save where half of a wide character was cut off.
    text += cell.getWidth() === 0 ? "" : cell.getChars() || (next.startsWith("0 ") || next === "" ? "·" : " ");
  }
  return text;
}

function styleOf(cell: IBufferCell): string {
  const { fg, bg, extended } = cell as unknown as { fg: number; bg: number; extended: Extended };
  return styleText(fg, bg, extended);
}

const HAS_EXTENDED = 0x10000000;
const UNDERLINED = 0x10000000;

/** Colors of a palette keep rubbish of the color before them, links have numbers of their own. */
function styleText(fg: number, bg: number, extended: Extended): string {
  const isExtended = (bg & HAS_EXTENDED) !== 0;
  const isLink = isExtended && extended.urlId !== 0;
  const underline = isExtended && !isLink ? `u${(extended.ext >>> 26) & 7}:${color(extended.ext & 0x3ffffff)}` : "";
  const flags = ((fg >>> 26) & (isLink || underline !== "" ? ~(UNDERLINED >>> 26) : ~0)).toString(16);
  const text = `${color(fg)}${flags} ${color(bg)}${((bg & ~HAS_EXTENDED) >>> 26).toString(16)} ${underline}${isLink ? "link" : ""}`;
  return text === "0 0 " ? "" : text;
}

function color(bits: number): string {
  const kind = (bits >>> 24) & 3;
  if (kind === 0) return "";
  return kind === 3 ? `#${(bits & 0xffffff).toString(16)}/` : `${bits & 0xff}/`;
}

/** The first lines that differ, both ways; empty where nothing does. */
export function difference(wanted: readonly string[], got: readonly string[], limit = 6): string {
  const lines: string[] = [];
  for (let i = 0; i < Math.max(wanted.length, got.length) && lines.length < limit; i++) {
    if (wanted[i] !== got[i]) lines.push(`wanted ${wanted[i]}`, `got    ${got[i]}`);
  }
  return lines.join("\n");
}
