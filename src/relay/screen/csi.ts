/** Control sequences: what each CSI final does to the screen. */
import { BG_PROTECTED } from "./cell.ts";
import { Mode } from "./modes.ts";
import type { Parameters } from "./parameters.ts";
import { csiAsks } from "./questions.ts";
import type { Screen } from "./screen.ts";
import { applySgr } from "./sgr.ts";
import { characterWidth } from "./width.ts";

type Action = (screen: Screen, parameters: Parameters) => void;

const PLAIN: Readonly<Record<string, Action>> = {
  "@": (screen, p) => atCursor(screen, () => screen.grid.line.insert(screen.grid.x, p.count1(0), screen.background)),
  A: (screen, p) => moveUp(screen, p.count1(0)),
  B: (screen, p) => moveDown(screen, p.count1(0)),
  C: (screen, p) => moveBy(screen, p.count1(0)),
  D: (screen, p) => moveBy(screen, -p.count1(0)),
  E: (screen, p) => {
    moveDown(screen, p.count1(0));
    screen.grid.x = 0;
  },
  F: (screen, p) => {
    moveUp(screen, p.count1(0));
    screen.grid.x = 0;
  },
  G: (screen, p) => column(screen, p.count1(0)),
  H: (screen, p) => screen.moveTo(p.count1(1) - 1, p.count1(0) - 1),
  I: (screen, p) => screen.tab(p.count1(0)),
  J: (screen, p) => eraseDisplay(screen, p.get(0)),
  K: (screen, p) => eraseLine(screen, p.get(0)),
  L: (screen, p) => atCursor(screen, () => screen.grid.insertLines(p.count1(0), screen.background)),
  M: (screen, p) => atCursor(screen, () => screen.grid.deleteLines(p.count1(0), screen.background)),
  P: (screen, p) => atCursor(screen, () => screen.grid.line.delete(screen.grid.x, p.count1(0), screen.background)),
  S: (screen, p) => screen.grid.scrollRegion(p.count1(0), screen.background),
  T: (screen, p) => scrollDown(screen, p),
  X: (screen, p) => atCursor(screen, () => eraseCharacters(screen, p.count1(0))),
  Z: (screen, p) => screen.backTab(p.count1(0)),
  "`": (screen, p) => column(screen, p.count1(0)),
  a: (screen, p) => moveBy(screen, p.count1(0)),
  d: (screen, p) => screen.moveTo(screen.grid.x, p.count1(0) - 1),
  e: (screen, p) => relative(screen, 0, p.count1(0)),
  f: (screen, p) => screen.moveTo(p.count1(1) - 1, p.count1(0) - 1),
  g: (screen, p) => clearTabs(screen, p.get(0)),
  h: (screen, p) => ansiModes(screen, p, true),
  l: (screen, p) => ansiModes(screen, p, false),
  r: (screen, p) => margins(screen, p),
  s: (screen) => screen.saveCursor(),
  u: (screen) => screen.restoreCursor(),
};

const SPECIAL: Readonly<Record<string, Action>> = {
  "?h": (screen, p) => eachMode(p, (mode) => setMode(screen, mode, true)),
  "?l": (screen, p) => eachMode(p, (mode) => setMode(screen, mode, false)),
  "?s": (screen, p) => eachMode(p, (mode) => screen.modes.save(mode)),
  "?r": (screen, p) => eachMode(p, (mode) => restoreMode(screen, mode)),
  "?J": (screen, p) => eraseDisplay(screen, p.get(0)),
  "?K": (screen, p) => eraseLine(screen, p.get(0)),
  "!p": (screen) => screen.softReset(),
  '"q': (screen, p) => protect(screen, p.get(0)),
  " q": (screen, p) => void (screen.cursorStyle = p.get(0)),
  ">u": (screen, p) => keyboardStack(screen).push(p.get(0)),
  "<u": (screen, p) => void keyboardStack(screen).splice(-p.count1(0)),
  "=u": (screen, p) => setKeyboard(screen, p),
  ">m": (screen, p) => otherKeys(screen, p),
  "'}": (screen, p) => columns(screen, p.count1(0), true),
  "'~": (screen, p) => columns(screen, p.count1(0), false),
};

const SGR = 0x6d;

export function dispatchCsi(
  screen: Screen,
  intermediates: string,
  finalByte: number,
  parameters: Parameters,
  last: number,
): void {
  if (intermediates === "" && finalByte === SGR) return applySgr(screen.pen, parameters, screen.extras);
  const final = String.fromCharCode(finalByte);
  if (csiAsks(intermediates, final, parameters.get(0))) {
    screen.hasQuestion = true;
    if (final === "n" && parameters.get(0) === 6) screen.positionQuestions++;
  }
  if (intermediates === "" && final === "b") repeat(screen, last, parameters.count1(0));
  else if (intermediates === "") PLAIN[final]?.(screen, parameters);
  else SPECIAL[intermediates + final]?.(screen, parameters);
}

function atCursor(_screen: Screen, action: () => void): void {
  _screen.restrict();
  action();
}

/** Moves by columns and rows, never over the edge. */
function relative(screen: Screen, columnsBy: number, rowsBy: number): void {
  screen.restrict();
  screen.grid.x += columnsBy;
  screen.grid.y += rowsBy;
  screen.restrict();
}

function moveBy(screen: Screen, columnsBy: number): void {
  relative(screen, columnsBy, 0);
}

function moveUp(screen: Screen, count: number): void {
  if (count > screen.grid.y) screen.grid.mayBeAbove = true;
  const toMargin = screen.grid.y - screen.grid.top;
  relative(screen, 0, -(toMargin >= 0 ? Math.min(toMargin, count) : count));
}

function moveDown(screen: Screen, count: number): void {
  const toMargin = screen.grid.bottom - screen.grid.y;
  relative(screen, 0, toMargin >= 0 ? Math.min(toMargin, count) : count);
}

function column(screen: Screen, number: number): void {
  screen.grid.x = number - 1;
  screen.restrict();
}

function eraseDisplay(screen: Screen, how: number): void {
  screen.restrict(screen.columns);
  screen.grid.eraseDisplay(how, screen.background);
  if (how === 3) screen.grid.history.length = 0;
}

function eraseLine(screen: Screen, how: number): void {
  screen.restrict(screen.columns);
  screen.grid.eraseLine(how, screen.background);
}

function eraseCharacters(screen: Screen, count: number): void {
  const { grid } = screen;
  grid.line.erase(grid.x, grid.x + count, screen.background);
}

/** CSI T with more than one number is something else (mouse highlighting). */
function scrollDown(screen: Screen, parameters: Parameters): void {
  if (parameters.count <= 1) screen.grid.scrollRegion(-parameters.count1(0), 0);
}

function clearTabs(screen: Screen, how: number): void {
  if (how === 0) screen.tabs[Math.min(screen.grid.x, screen.columns - 1)] = 0;
  else if (how === 3) screen.tabs.fill(0);
}

function ansiModes(screen: Screen, parameters: Parameters, isOn: boolean): void {
  eachMode(parameters, (mode) => {
    if (mode === 4) screen.modes.isInsert = isOn;
    else if (mode === 20) screen.modes.isLineFeedNewLine = isOn;
  });
}

function eachMode(parameters: Parameters, action: (mode: number) => void): void {
  for (let i = 0; i < parameters.count; i++) action(parameters.get(i));
}

function setMode(screen: Screen, mode: number, isOn: boolean): void {
  screen.modes.set(mode, isOn);
  if (mode === Mode.origin) screen.moveTo(0, 0);
  else if (mode === Mode.alternate47 || mode === Mode.alternate1047 || mode === Mode.alternate1049) {
    screen.switchTo(isOn, mode);
  } else if (mode === Mode.saveCursor) {
    if (isOn) screen.saveCursor();
    else screen.restoreCursor();
  }
}

function restoreMode(screen: Screen, mode: number): void {
  const saved = screen.modes.saved(mode);
  if (saved !== undefined) setMode(screen, mode, saved);
}

/** DECSTBM. */
function margins(screen: Screen, parameters: Parameters): void {
  const top = parameters.count1(0);
  const given = parameters.get(1);
  const bottom = given === 0 || given > screen.rows ? screen.rows : given;
  if (bottom <= top) return;
  screen.grid.top = top - 1;
  screen.grid.bottom = bottom - 1;
  screen.moveTo(0, 0);
}

function protect(screen: Screen, how: number): void {
  if (how === 1) screen.pen.bg |= BG_PROTECTED;
  else screen.pen.bg &= ~BG_PROTECTED;
}

function keyboardStack(screen: Screen): number[] {
  const stack = screen.keyboardFlags[screen.isAlternate ? 1 : 0];
  if (stack.length > 32) stack.shift();
  screen.modes.generation++;
  return stack;
}

function setKeyboard(screen: Screen, parameters: Parameters): void {
  const stack = keyboardStack(screen);
  const before = stack.pop() ?? 0;
  const flags = parameters.get(0);
  const how = parameters.count1(1);
  stack.push(how === 2 ? before | flags : how === 3 ? before & ~flags : flags);
}

/** XTMODKEYS. */
function otherKeys(screen: Screen, parameters: Parameters): void {
  if (parameters.get(0) !== 4 && parameters.count > 0) return;
  screen.modifyOtherKeys = parameters.get(1);
  screen.modes.generation++;
}

/** DECIC and DECDC: whole columns between the margins. */
function columns(screen: Screen, count: number, isInsert: boolean): void {
  const { grid } = screen;
  screen.restrict();
  if (grid.y < grid.top || grid.y > grid.bottom) return;
  for (let row = grid.top; row <= grid.bottom; row++) {
    const line = grid.lines[row]!;
    if (isInsert) line.insert(grid.x, count, screen.background);
    else line.delete(grid.x, count, screen.background);
    line.isWrapped = false;
  }
}

/** REP: the character just printed with its marks, again; not more than fill the screen. */
function repeat(screen: Screen, last: number, count: number): void {
  if (last === 0) return;
  const { grid } = screen;
  const text = grid.line.text(Math.max(Math.min(grid.x, screen.columns) - characterWidth(last), 0));
  for (let i = Math.min(count, screen.columns * screen.rows); i > 0; i--) {
    for (const character of text) screen.printCharacter(character.codePointAt(0)!);
  }
  screen.last = 0;
}
