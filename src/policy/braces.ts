/** `{a,b}` written out, with a limit: nested braces multiply, and a rule file must not be able to fill the memory. */

/** How many patterns one rule may stand for. */
export const BRACE_LIMIT = 256;

/** The patterns that a glob stands for, or undefined where they are more than the limit. Escapes are kept. */
export function expandBraces(glob: string, limit = BRACE_LIMIT): string[] | undefined {
  const done: string[] = [];
  const waiting: { text: string; from: number }[] = [{ text: glob, from: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const group = firstGroup(next.text, next.from);
    if (group === undefined) done.push(next.text);
    else waiting.push(...writeOut(next.text, group).toReversed());
    if (done.length + waiting.length > limit) return undefined;
  }
  return done;
}

interface Group {
  readonly open: number;
  readonly close: number;
  readonly parts: readonly string[];
}

function writeOut(text: string, { open, close, parts }: Group): { text: string; from: number }[] {
  const before = text.slice(0, open);
  const after = text.slice(close + 1);
  return parts.map((part) => ({ text: before + part + after, from: open }));
}

/** The first brace with a partner and a comma of its own; every other brace means itself. */
function firstGroup(text: string, from: number): Group | undefined {
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "{") {
      const group = groupAt(text, at);
      if (group !== undefined && group.parts.length > 1) return group;
    }
  }
  return undefined;
}

function groupAt(text: string, open: number): Group | undefined {
  const parts: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let at = open + 1; at < text.length; at++) {
    const character = text[at];
    if (character === "\\") at++;
    else if (character === "{") depth++;
    else if (character === "," && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    } else if (character === "}" && depth-- === 0) {
      parts.push(text.slice(start, at));
      return { open, close: at, parts };
    }
  }
  return undefined;
}
