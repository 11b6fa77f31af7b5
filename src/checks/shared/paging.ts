/** Reading all pages of a list, of the kinds that vendors use; never more than 50 (CHECKS §1.10). */
import { stop } from "../codes.ts";

export const MAX_PAGES = 50;

export interface Page<T, C> {
  readonly items: readonly T[];
  /** Where the next page begins; undefined on the last. */
  readonly next: C | undefined;
}

export interface Pages<T> {
  readonly items: readonly T[];
  /** True when the cap ended the reading: what is not in `items` may still exist. */
  readonly truncated: boolean;
}

/** All items. `fetch` gets the cursor of a page: a path, a page number, an offset, a token. */
export async function pages<T, C>(
  first: C,
  fetch: (cursor: C) => Promise<Page<T, C>>,
  cap = MAX_PAGES,
): Promise<Pages<T>> {
  const items: T[] = [];
  let cursor = first;
  for (let count = 0; count < cap; count++) {
    const page = await fetch(cursor);
    items.push(...page.items);
    if (page.next === undefined) return { items, truncated: false };
    cursor = page.next;
  }
  return { items, truncated: true };
}

/** All items, or `unsupported` when there are more pages than may be read: an incomplete list proves no "no". */
export async function allPages<T, C>(
  first: C,
  fetch: (cursor: C) => Promise<Page<T, C>>,
  cap = MAX_PAGES,
): Promise<readonly T[]> {
  const { items, truncated } = await pages(first, fetch, cap);
  if (truncated) throw stop("unsupported", "the system has more pages than a check may read");
  return items;
}

/** Reads on until `find` gives something; `truncated` says that a miss is not certain. */
export async function firstInPages<T, C, R>(
  first: C,
  fetch: (cursor: C) => Promise<Page<T, C>>,
  find: (items: readonly T[]) => R | undefined,
  cap = MAX_PAGES,
): Promise<{ found: R | undefined; truncated: boolean }> {
  let cursor = first;
  for (let count = 0; count < cap; count++) {
    const page = await fetch(cursor);
    const found = find(page.items);
    if (found !== undefined || page.next === undefined) return { found, truncated: false };
    cursor = page.next;
  }
  return { found: undefined, truncated: true };
}

/** The `rel="next"` target of a Link header (RFC 8288). */
export function linkNext(header: string | undefined): string | undefined {
  for (const part of (header ?? "").split(/,\s*(?=<)/)) {
    const match = /^\s*<([^>]*)>(.*)$/.exec(part);
    if (match && /;\s*rel="?(?:[^"]*\s)?next(?:\s[^"]*)?"?\s*(?:;|$)/i.test(match[2] ?? "")) return match[1];
  }
  return undefined;
}
