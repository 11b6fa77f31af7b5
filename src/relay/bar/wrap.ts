/** Text in rows of a width, counted in columns of a terminal; only text that `show` has made visible comes here. */
import { characterWidth, textWidth } from "../screen/width.ts";

export type Tone = "plain" | "title" | "asleep" | "target" | "claim" | "warning" | "key" | "off";

export interface Span {
  readonly text: string;
  readonly tone: Tone;
}

export type Row = readonly Span[];

/** A character with what joins it, and its columns. */
interface Cluster {
  readonly text: string;
  readonly width: number;
}

function* clusters(text: string): Generator<Cluster> {
  let open: Cluster | undefined;
  for (const character of text) {
    const width = characterWidth(character.codePointAt(0)!);
    if (width === 0 && open !== undefined) open = { text: open.text + character, width: open.width };
    else {
      if (open !== undefined) yield open;
      open = { text: character, width };
    }
  }
  if (open !== undefined) yield open;
}

/** Fills rows to the last column, breaking anywhere: nothing is left out, and a path stays one path. */
export function fill(spans: readonly Span[], columns: number): Row[] {
  const rows: Span[][] = [[]];
  let used = 0;
  for (const { text, tone } of spans) {
    for (const cluster of clusters(text)) {
      if (used + cluster.width > columns && used > 0) {
        rows.push([]);
        used = 0;
      }
      append(rows.at(-1)!, cluster.text, tone);
      used += cluster.width;
    }
  }
  return rows;
}

function append(row: Span[], text: string, tone: Tone): void {
  const last = row.at(-1);
  if (last?.tone === tone) row[row.length - 1] = { text: last.text + text, tone };
  else row.push({ text, tone });
}

/** Breaks between words; a word that is wider than a row is filled. */
export function wrap(text: string, tone: Tone, columns: number): Row[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    const joined = last === undefined ? word : `${last} ${word}`;
    if (last === undefined || textWidth(joined) > columns) lines.push(word);
    else lines[lines.length - 1] = joined;
  }
  return lines.flatMap((line) => fill([{ text: line, tone }], columns));
}

/** Groups stay whole and are parted by two spaces; one that is wider than a row is filled. */
export function flow(groups: readonly (readonly Span[])[], columns: number): Row[] {
  const rows: Row[] = [];
  let row: Span[] = [];
  for (const group of groups) {
    const gap = row.length === 0 ? 0 : 2;
    if (row.length > 0 && rowWidth(row) + gap + rowWidth(group) > columns) {
      rows.push(row);
      row = [];
    }
    if (row.length > 0) row.push({ text: "  ", tone: "plain" });
    row.push(...group);
  }
  if (row.length > 0) rows.push(row);
  return rows.flatMap((one) => (rowWidth(one) > columns ? fill(one, columns) : [one]));
}

export function rowWidth(row: Row): number {
  let width = 0;
  for (const { text } of row) for (const cluster of clusters(text)) width += cluster.width;
  return width;
}

export function rowText(row: Row): string {
  return row.map((span) => span.text).join("");
}

/** At most `limit` rows: where there are more, the middle gives way to a row that says how much is not seen. */
export function elide(rows: readonly Row[], limit: number, columns: number): readonly Row[] {
  if (rows.length <= limit) return rows;
  if (limit <= 0) return [];
  if (limit === 1) return rows.slice(0, 1).map((row) => cut(row, columns));
  const head = Math.ceil((limit - 1) / 2);
  const tail = limit - 1 - head;
  const hidden = rows.slice(head, rows.length - tail).reduce((sum, row) => sum + rowText(row).length, 0);
  const note: Row = cut([{ text: `… ${hidden} more characters …`, tone: "warning" }], columns);
  return [...rows.slice(0, head), note, ...(tail === 0 ? [] : rows.slice(-tail))];
}

/** One row, its end cut off where it is too long. */
export function cut(row: Row, columns: number): Row {
  if (rowWidth(row) <= columns) return row;
  const [first = []] = fill(row, Math.max(columns - 1, 1));
  if (columns < 2) return first;
  return [...first, { text: "…", tone: "warning" }];
}
