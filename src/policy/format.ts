/** Rules to rule lines: the exact inverse of parsing, and safe to show (nothing unseen is left in them). */
import { formatDuration } from "./duration.ts";
import { encodePath } from "./path-text.ts";
import type { Rule } from "./rule.ts";
import { isUnseen, hexByte, show } from "./show.ts";

/** The rule as one line of SPEC §3. */
export function formatRule(rule: Rule): string {
  const duration = rule.duration === undefined ? "" : ` for ${formatDuration(rule.duration)}`;
  const note = rule.note === undefined || rule.note === "" ? "" : `  # ${formatNote(rule.note)}`;
  return `${rule.action} ${rule.category} ${formatTarget(rule.target)}${duration}${note}`;
}

/** A TARGET as a rule line has it: quoted where it must be, unseen characters and odd bytes as `\xNN`. */
export function formatTarget(target: string): string {
  let text = "";
  for (const character of target) {
    if (character === '"') text += '\\"';
    else if (isUnseen(character)) text += [...encodePath(character)].map(hexByte).join("");
    else text += character;
  }
  return /[\s#"]/.test(text) ? `"${text}"` : text;
}

function formatNote(note: string): string {
  const oneLine = note.replace(/\s+/g, " ").trim();
  return Array.from(oneLine, (character) => (isUnseen(character) ? show(character) : character)).join("");
}
