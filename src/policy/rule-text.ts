/** Changes to the text of a rule file that leave every other line, its comments and its order as they are. */
import { isBlank } from "./parse.ts";

/** A line that a change is about: its number (from 1) when it was read, and its text. */
export interface LinePlace {
  readonly line: number;
  readonly text: string;
}

export function appendLine(text: string, line: string): string {
  const before = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  return `${before}${line}\n`;
}

/** Undefined where the line is not there any more: somebody else has changed the file. */
export function replaceLine(text: string, place: LinePlace, line: string): string | undefined {
  return changeLine(text, place, [line]);
}

export function deleteLine(text: string, place: LinePlace): string | undefined {
  return changeLine(text, place, []);
}

function changeLine(text: string, place: LinePlace, lines: readonly string[]): string | undefined {
  const all = text.split("\n");
  const index = findLine(all, place);
  return index === undefined ? undefined : all.toSpliced(index, 1, ...lines).join("\n");
}

/** At its number, else at the nearest place where exactly that text stands. */
function findLine(lines: readonly string[], { line, text }: LinePlace): number | undefined {
  const isIt = (candidate: string) => !isBlank(candidate) && candidate.trim() === text.trim();
  const found = lines.flatMap((candidate, index) => (isIt(candidate) ? [index] : []));
  return found.toSorted((one, other) => Math.abs(one - (line - 1)) - Math.abs(other - (line - 1)))[0];
}
