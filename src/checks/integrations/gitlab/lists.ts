/** GitLab's lists, a hundred entries a page (CHECKS §4.4). */
import { z } from "zod";
import type { Call } from "../../call.ts";
import type { Api } from "../../http/api.ts";
import type { Query } from "../../http/path.ts";
import { allPages, pages, type Page, type Pages } from "../../shared/paging.ts";

const FULL = 100;

/** What is in the first `cap` pages. */
export async function listSome<S extends z.ZodType>(
  item: S,
  api: Api,
  call: Call,
  path: string,
  query: Query,
  cap: number,
): Promise<Pages<z.output<S>>> {
  return await pages(1, async (page) => await readPage(item, api, call, path, { ...query, page }), cap);
}

/** The whole list, or `unsupported` for one that is too long. */
export async function listAll<S extends z.ZodType>(
  item: S,
  api: Api,
  call: Call,
  path: string,
): Promise<readonly z.output<S>[]> {
  return await allPages(1, async (page: number) => await readPage(item, api, call, path, { page }));
}

async function readPage<S extends z.ZodType>(
  item: S,
  api: Api,
  call: Call,
  path: string,
  { page, ...query }: Query & { readonly page: number },
): Promise<Page<z.output<S>, number>> {
  const reply = await api.get(call, path, { query: { ...query, per_page: FULL, page } });
  const items = reply.json(z.array(item));
  const named = reply.headers["x-next-page"];
  const hasMore = named === undefined ? items.length >= FULL : named !== "";
  return { items, next: hasMore ? page + 1 : undefined };
}
