import type { InfiniteData } from '@tanstack/react-query';
import type { Answer, Query } from '../../api/types.ts';
import type { Item } from './columns.ts';

export const ITEMS = 'GET /api/v2/batches/{batch_id}/items';
/** Maximum number of files in a page. */
export const PAGE_ROWS = 50;

export type ItemPage = Answer<typeof ITEMS>;
export type ItemFilter = Pick<Query<typeof ITEMS>, 'status' | 'review_state' | 'confidence_below'>;

/** Returns the files of all loaded pages, and the number of files that match the filter. */
export function toRows({ pages }: InfiniteData<ItemPage>): { rows: readonly Item[]; total: number } {
  const rows = pages.flatMap(({ items }) => items);
  return { rows, total: pages.at(-1)?.total_size ?? rows.length };
}

/**
 * Replaces the pages from position `from` on by `fresh`. A page begins behind the last file of the previous
 * page. If files no longer match the filter, pages end elsewhere, so the pages behind the replaced ones are
 * removed and have to be read again. Returns `known` if its pages have changed since `fresh` was requested.
 */
export function mergePages(
  known: InfiniteData<ItemPage, string>,
  from: number,
  fresh: InfiniteData<ItemPage, string>,
): InfiniteData<ItemPage, string> {
  const newest = fresh.pages.at(-1);
  if (!newest || known.pageParams[from] !== fresh.pageParams[0]) return known;
  const next = from + fresh.pages.length;
  const isUnbroken = known.pageParams[next] === newest.next_page_token;
  function splice<Part>(before: readonly Part[], replacing: readonly Part[]): Part[] {
    const behind = isUnbroken ? before.slice(next) : [];
    return [...before.slice(0, from), ...replacing, ...behind];
  }
  return {
    pages: splice(known.pages, fresh.pages).map((page) => ({ ...page, total_size: newest.total_size })),
    pageParams: splice(known.pageParams, fresh.pageParams),
  };
}
