/** A terminal's screen as an SVG picture. */
import type { IBufferCell, Terminal } from "@xterm/headless";

const CELL_WIDTH = 8.4;
const LINE_HEIGHT = 18;
const MARGIN = 12;
const FOREGROUND = "#d8dee9";
const BACKGROUND = "#1d2128";

const DARK = ["#2e3440", "#d0606a", "#8fbf7f", "#e0b96a", "#6f9fd8", "#b48ead", "#6fbfbf", "#d8dee9"];
const BRIGHT = ["#5b6475", "#e57b85", "#a7d699", "#f0cf85", "#8fb8ec", "#cda6c6", "#8ed6d6", "#f4f6fa"];
const BASIC = [...DARK, ...BRIGHT];

interface Look {
  readonly fg: string;
  readonly bg: string;
  readonly isBold: boolean;
  readonly isDim: boolean;
  readonly isUnderlined: boolean;
}

interface Run {
  readonly column: number;
  readonly look: Look;
  text: string;
  width: number;
}

function palette(index: number): string {
  const basic = BASIC[index];
  if (basic !== undefined) return basic;
  if (index >= 232) return gray(8 + (index - 232) * 10);
  const step = (value: number): number => (value === 0 ? 0 : 55 + value * 40);
  const at = index - 16;
  return hex(step(Math.floor(at / 36)), step(Math.floor(at / 6) % 6), step(at % 6));
}

function hex(...parts: number[]): string {
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

function gray(value: number): string {
  return hex(value, value, value);
}

function color(isDefault: boolean, isRgb: boolean, value: number, byDefault: string): string {
  if (isDefault) return byDefault;
  return isRgb ? `#${value.toString(16).padStart(6, "0")}` : palette(value);
}

function lookOf(cell: IBufferCell): Look {
  const fg = color(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor(), FOREGROUND);
  const bg = color(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor(), BACKGROUND);
  const isInverse = cell.isInverse() !== 0;
  return {
    fg: isInverse ? bg : fg,
    bg: isInverse ? fg : bg,
    isBold: cell.isBold() !== 0,
    isDim: cell.isDim() !== 0,
    isUnderlined: cell.isUnderline() !== 0,
  };
}

function runsOf(screen: Terminal, row: number): Run[] {
  const line = screen.buffer.active.getLine(screen.buffer.active.viewportY + row);
  const runs: Run[] = [];
  for (let column = 0; column < screen.cols; column += 1) {
    const cell = line?.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const look = lookOf(cell);
    const last = runs.at(-1);
    const run = last !== undefined && Bun.deepEquals(last.look, look) ? last : { column, look, text: "", width: 0 };
    if (run !== last) runs.push(run);
    run.text += cell.getChars() || " ";
    run.width += cell.getWidth();
  }
  return runs;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function round(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function drawn({ column, look, text: all, width: allWidth }: Run, row: number): string[] {
  const text = look.bg === BACKGROUND ? all.trimEnd() : all;
  const width = allWidth - (all.length - text.length);
  const x = MARGIN + column * CELL_WIDTH;
  const y = MARGIN + row * LINE_HEIGHT;
  const size = round(width * CELL_WIDTH);
  const box = `<rect x="${round(x)}" y="${round(y)}" width="${size}" height="${LINE_HEIGHT}" fill="${look.bg}"/>`;
  const style = [
    look.isBold ? ' font-weight="bold"' : "",
    look.isDim ? ' opacity="0.6"' : "",
    look.isUnderlined ? ' text-decoration="underline"' : "",
  ].join("");
  const at = `x="${round(x)}" y="${round(y + LINE_HEIGHT - 5)}" textLength="${size}" fill="${look.fg}"`;
  const words = `<text ${at}${style} xml:space="preserve">${escape(text)}</text>`;
  return [...(look.bg === BACKGROUND ? [] : [box]), ...(text.trim() === "" ? [] : [words])];
}

export function svg(screen: Terminal, title: string): string {
  const width = round(screen.cols * CELL_WIDTH + 2 * MARGIN);
  const height = round(screen.rows * LINE_HEIGHT + 2 * MARGIN);
  const rows = Array.from({ length: screen.rows }, (_, row) => runsOf(screen, row).flatMap((run) => drawn(run, row)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title>${escape(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="6" fill="${BACKGROUND}"/>`,
    `<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, monospace" font-size="14">`,
    ...rows.flat(),
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}
