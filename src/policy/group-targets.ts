/** What the lines of a group name, read without the whole parser: a session begins with a thousand of them. */
import { GROUP_FILES } from "./group-files.ts";
import { isBlank, parseRules } from "./parse.ts";
import { absoluteGlob, type Places } from "./paths.ts";
import type { Category } from "./rule.ts";

/** Every line of a group of programs but those with quotes or escapes. */
const PLAIN_LINE = /^allow exec ([^\s"\\#]+)$/;

/** The canonical targets of a group's lines, as `parseRules` gives them (a test compares). */
export function groupTargets(name: string, category: Category, places: Places): string[] {
  const text = Object.hasOwn(GROUP_FILES, name) ? GROUP_FILES[name]! : "";
  if (category !== "exec") return parseRules(text, { ...places, file: `${name}.rules` }).map(({ rule }) => rule.target);
  return text.split("\n").flatMap((line) => {
    const plain = PLAIN_LINE.exec(line)?.[1];
    if (plain !== undefined) return [plain.includes("/") ? absoluteGlob(plain, places) : plain];
    if (isBlank(line)) return [];
    return parseRules(line, { ...places, file: `${name}.rules` }).map(({ rule }) => rule.target);
  });
}
