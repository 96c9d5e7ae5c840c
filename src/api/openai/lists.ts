import { z } from 'zod';
import type { IdPage, IdPageQuery } from '#src/db/paging-by-id.ts';

const MAX_ITEMS = 100;
const DEFAULT_ITEMS = 20;

/** Query parameters of a list of the OpenAI protocol. */
export function buildListQuery(mostItems = MAX_ITEMS) {
  return z.object({
    limit: z.number().int().min(1).max(mostItems).nullish().describe('Maximum number of items per page.'),
    order: z.enum(['asc', 'desc']).nullish().describe('Sort order by creation. Default: `desc`.'),
    after: z.string().max(200).nullish().describe('Id of the last item of the previous page.'),
    before: z.string().max(200).nullish().describe('Id of the first item of the following page.'),
  });
}

/** Converts query parameters to the requested part of a list. */
export const toIdPageQuery = (
  query: z.output<ReturnType<typeof buildListQuery>>,
  defaultItems = DEFAULT_ITEMS,
): IdPageQuery => ({
  limit: query.limit ?? defaultItems,
  order: query.order ?? 'desc',
  after: query.after,
  before: query.before,
});

export const buildListSchema = <Item extends z.ZodType>(item: Item) =>
  z.object({
    object: z.literal('list'),
    data: z.array(item),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  });

/** Presents a page as a list of the protocol. */
export function presentList<Row, Item extends { id: string }>(
  page: IdPage<Row>,
  present: (row: Row) => Item,
) {
  const data = page.items.map(present);
  return {
    object: 'list' as const,
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: page.hasMore,
  };
}

/** Time in seconds since 1970, as the protocol has it. */
export const toSeconds = (date: Date): number => Math.floor(date.getTime() / 1000);
