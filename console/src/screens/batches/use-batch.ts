import { keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { call } from '../../api/client.ts';
import type { ApiError } from '../../api/errors.ts';
import type { Answer, Query } from '../../api/types.ts';
import { useProjectId } from '../../shell/project.ts';
import type { Item } from './columns.ts';

const OPERATION = 'GET /api/v2/batches/{batch_id}/items';
const PAGE_ROWS = 50;
/** Milliseconds between two reads of the visible rows while jobs are running. */
const POLL_MS = 3_000;

type ItemPage = Answer<typeof OPERATION>;
type Filter = Pick<Query<typeof OPERATION>, 'status' | 'review_state' | 'confidence_below'>;

/** Loads the files of a batch page by page until all visible rows are available. */
export function useItems(batchId: string, filter: Filter, isOn: boolean) {
  const client = useQueryClient();
  const project = useProjectId();
  const [last, setLast] = useState(0);
  const queryKey = [OPERATION, project, batchId, filter];
  const read = useInfiniteQuery<ItemPage, ApiError, { rows: Item[]; total: number }, unknown[], string>({
    queryKey,
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      call(
        OPERATION,
        {
          params: { batch_id: batchId },
          query: { ...filter, expand: ['result'], page_size: PAGE_ROWS, page_token: pageParam },
        },
        signal,
      ),
    getNextPageParam: ({ next_page_token }) => next_page_token ?? undefined,
    select: ({ pages }) => {
      const rows = pages.flatMap(({ items }) => items);
      return { rows, total: pages.at(-1)?.total_size ?? rows.length };
    },
    placeholderData: keepPreviousData,
    refetchInterval: isOn ? POLL_MS : false,
  });
  const { data, hasNextPage, isFetching, fetchNextPage } = read;
  const rows = data?.rows;
  useEffect(() => {
    if (rows && last >= rows.length && hasNextPage && !isFetching) void fetchNextPage();
  }, [rows, last, hasNextPage, isFetching, fetchNextPage]);
  const onRange = useCallback((to: number) => setLast(to), []);

  /** Replaces a file in the loaded pages, so that a saved review is visible at once. */
  const replace = (item: Item) =>
    client.setQueryData<{ pages: ItemPage[]; pageParams: unknown[] }>(queryKey, (known) =>
      known
        ? {
            ...known,
            pages: known.pages.map((page) => ({
              ...page,
              items: page.items.map((each) => (each.position === item.position ? item : each)),
            })),
          }
        : known,
    );
  const loadAll = async (): Promise<Item[]> => {
    let known = read;
    while (known.hasNextPage) {
      const next = await fetchNextPage();
      if (next.error) throw next.error;
      known = next as typeof read;
    }
    return known.data?.rows ?? [];
  };
  return {
    rows: rows ?? [],
    total: data?.total,
    error: read.error,
    refetch: read.refetch,
    onRange,
    replace,
    loadAll,
  };
}
