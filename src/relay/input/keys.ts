/** What a key on the keyboard is called here: its character, or "escape", "up", "ctrl-c", …; "" where it is none we know. */

const ARROWS: Readonly<Record<string, string>> = { A: "up", B: "down", C: "right", D: "left" };
const NUMBERED: Readonly<Record<number, string>> = { 5: "page-up", 6: "page-down" };

/** Shifted keys that mean something here, for terminals that do not say what they make. */
const SHIFTED: Readonly<Record<number, number>> = { 0x2f: 0x3f, 0x3d: 0x2b };

const SHIFT = 1;
const CTRL = 4;
/** Caps lock and num lock are no part of a key. */
const LOCKS = 64 | 128;

/** A byte or character typed as itself. */
export function plainKey(text: string): string {
  const code = text.codePointAt(0)!;
  if (code === 0x1b) return "escape";
  if (code === 0x1d) return "ctrl-]";
  if (code === 0x1c) return "ctrl-\\";
  if (code < 0x1b && code > 0 && code !== 0x0d && code !== 0x09) return `ctrl-${String.fromCharCode(code + 0x60)}`;
  return code < 0x20 || code === 0x7f ? "" : text;
}

/** A key spelled by CSI: arrows, `CSI code;modifiers:event u`, `CSI 27;modifiers;code ~`. */
export function csiKey(body: string, final: string): string {
  const fields = body.split(";");
  if (final in ARROWS) return isPressedPlain(fields[1]) ? ARROWS[final]! : "";
  if (final === "u") return codedKey(fields[0] ?? "", fields[1] ?? "");
  if (final === "~" && fields[0] === "27") return codedKey(fields[2] ?? "", fields[1] ?? "");
  if (final === "~" && isPressedPlain(fields[1])) return NUMBERED[Number(fields[0])] ?? "";
  return "";
}

function isPressedPlain(modifiers: string | undefined): boolean {
  return modifiers === undefined || (modifiersOf(modifiers) === 0 && !isRelease(modifiers));
}

function modifiersOf(field: string): number {
  const [modifiers = "1"] = field.split(":");
  return Math.max(Number(modifiers || "1") - 1, 0) & ~LOCKS;
}

/** A key that is let go, and one that repeats because it is held, answers nothing. */
function isRelease(field: string): boolean {
  const event = field.split(":")[1];
  return event === "3" || event === "2";
}

function codedKey(codes: string, modifiers: string): string {
  const [code, shifted] = codes.split(":").map(Number);
  if (code === undefined || !Number.isInteger(code) || code > 0x10ffff || isRelease(modifiers)) return "";
  const held = modifiersOf(modifiers);
  if (held === CTRL) return controlKey(code);
  if ((held & ~SHIFT) !== 0) return "";
  return plainKey(String.fromCodePoint(held === SHIFT ? (shifted ?? SHIFTED[code] ?? code) : code));
}

function controlKey(code: number): string {
  const letter = String.fromCodePoint(code).toLowerCase();
  return /^[a-z\\\]]$/.test(letter) ? `ctrl-${letter}` : "";
}

/** `CSI Vk;Sc;Uc;Kd;Cs;Rc _`: what Windows consoles send where the program asked for it. */
export function win32Key(body: string): string {
  const [, , character, isDown] = body.split(";").map(Number);
  if (isDown !== 1 || character === undefined || character === 0 || !(character <= 0xffff)) return "";
  return plainKey(String.fromCharCode(character));
}
