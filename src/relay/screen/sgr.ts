/** SGR: the parameters of CSI m, applied to a pen. */
import {
  BG_DIM,
  BG_OVERLINE,
  BG_PROTECTED,
  BG_RAPID_BLINK,
  COLOR_MASK,
  COLOR_PALETTE,
  COLOR_RGB,
  EXT_UNDERLINE,
  FG_BLINK,
  FG_BOLD,
  FG_INVERSE,
  FG_INVISIBLE,
  FG_ITALIC,
  FG_STRUCK,
  type Pen,
} from "./cell.ts";
import type { Extras } from "./extras.ts";
import type { Parameters } from "./parameters.ts";

export function applySgr(pen: Pen, parameters: Parameters, extras: Extras): void {
  if (parameters.count === 0) applyAttribute(pen, 0, extras);
  for (let i = 0; i < parameters.count; i++) i = applyOne(pen, parameters, i, extras);
}

function resetPen(pen: Pen): void {
  pen.fg = 0;
  pen.bg &= BG_PROTECTED;
  // A link is no rendition: it stays.
  pen.ext &= ~EXT_UNDERLINE;
}

const FG_ON: Readonly<Record<number, number>> = {
  1: FG_BOLD,
  3: FG_ITALIC,
  5: FG_BLINK,
  7: FG_INVERSE,
  8: FG_INVISIBLE,
  9: FG_STRUCK,
};

/** Returns the index of the last parameter that it used. */
function applyOne(pen: Pen, parameters: Parameters, at: number, extras: Extras): number {
  const code = parameters.get(at);
  if (code >= 30 && code <= 37) pen.fg = (pen.fg & ~COLOR_MASK) | COLOR_PALETTE | (code - 30);
  else if (code >= 40 && code <= 47) pen.bg = (pen.bg & ~COLOR_MASK) | COLOR_PALETTE | (code - 40);
  else if (code >= 90 && code <= 97) pen.fg = (pen.fg & ~COLOR_MASK) | COLOR_PALETTE | (code - 82);
  else if (code >= 100 && code <= 107) pen.bg = (pen.bg & ~COLOR_MASK) | COLOR_PALETTE | (code - 92);
  else if (code === 38 || code === 48 || code === 58) return applyColor(pen, code, parameters, at, extras);
  else if (code === 4) return applyUnderline(pen, parameters, at);
  else if (code < 30) applyAttribute(pen, code, extras);
  else applyLate(pen, code, extras);
  return parameters.endOfGroup(at);
}

function applyAttribute(pen: Pen, code: number, extras: Extras): void {
  const on = FG_ON[code];
  if (on !== undefined) {
    pen.fg |= on;
    return;
  }
  if (code === 0) {
    resetPen(pen);
    pen.ext = extras.withUnderlineColor(pen.ext, 0);
  } else if (code === 2) pen.bg |= BG_DIM;
  else if (code === 6) pen.bg |= BG_RAPID_BLINK;
  else if (code === 21) pen.ext = (pen.ext & ~EXT_UNDERLINE) | 2;
  else if (code === 22) {
    pen.fg &= ~FG_BOLD;
    pen.bg &= ~BG_DIM;
  } else if (code === 23) pen.fg &= ~FG_ITALIC;
  else if (code === 24) pen.ext &= ~EXT_UNDERLINE;
  else if (code === 25) {
    pen.fg &= ~FG_BLINK;
    pen.bg &= ~BG_RAPID_BLINK;
  } else if (code === 27) pen.fg &= ~FG_INVERSE;
  else if (code === 28) pen.fg &= ~FG_INVISIBLE;
  else if (code === 29) pen.fg &= ~FG_STRUCK;
}

function applyLate(pen: Pen, code: number, extras: Extras): void {
  if (code === 39) pen.fg &= ~COLOR_MASK;
  else if (code === 49) pen.bg &= ~COLOR_MASK;
  else if (code === 53) pen.bg |= BG_OVERLINE;
  else if (code === 55) pen.bg &= ~BG_OVERLINE;
  else if (code === 59) pen.ext = extras.withUnderlineColor(pen.ext, 0);
}

/** 4, or 4:STYLE. */
function applyUnderline(pen: Pen, parameters: Parameters, at: number): number {
  const end = parameters.endOfGroup(at);
  const style = end > at ? Math.min(parameters.get(at + 1), 5) : 1;
  pen.ext = (pen.ext & ~EXT_UNDERLINE) | style;
  return end;
}

/** 38;5;N 38;2;R;G;B and the same with colons, where 38:2::R:G:B has a color space in between. */
function applyColor(pen: Pen, code: number, parameters: Parameters, at: number, extras: Extras): number {
  const groupEnd = parameters.endOfGroup(at);
  const isGroup = groupEnd > at;
  const kind = parameters.get(at + 1);
  let end = at + 1;
  let color = -1;
  if (kind === 5) {
    end = at + 2;
    color = COLOR_PALETTE | (parameters.get(end) & 0xff);
  } else if (kind === 2) {
    const first = isGroup && groupEnd - at >= 5 ? at + 3 : at + 2;
    end = first + 2;
    color = COLOR_RGB | (byte(parameters, first) << 16) | (byte(parameters, first + 1) << 8) | byte(parameters, end);
  }
  if (color >= 0) setColor(pen, code, color, extras);
  return isGroup ? groupEnd : Math.min(end, parameters.count);
}

function byte(parameters: Parameters, at: number): number {
  return parameters.get(at) & 0xff;
}

function setColor(pen: Pen, code: number, color: number, extras: Extras): void {
  if (code === 38) pen.fg = (pen.fg & ~COLOR_MASK) | color;
  else if (code === 48) pen.bg = (pen.bg & ~COLOR_MASK) | color;
  else pen.ext = extras.withUnderlineColor(pen.ext, color);
}
