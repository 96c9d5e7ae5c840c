import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { call } from '../../api/client.ts';
import type { ApiError } from '../../api/errors.ts';
import { useProjectId } from '../../shell/project.ts';
import type { Item } from './columns.ts';
import { ITEMS, type ItemFilter, type ItemPage, mergePages, PAGE_ROWS, toRows } from './item-pages.ts';

/** Milliseconds between two reads of the visible rows while jobs are running. */
const POLL_MS = 3_000;

type ItemPages = InfiniteData<ItemPage, string>;

/**
 * Loads the files of a batch page by page until all visible rows are available. While jobs are running, the
 * pages with visible rows are read again and again. When the last job has ended, all loaded pages are.
 */
export function useItems(batchId: string, filter: ItemFilter, isRunning: boolean) {
  const client = useQueryClient();
  const project = useProjectId();
  const [[first, last], setRange] = useState<[number, number]>([0, 0]);
  const listKey = [ITEMS, project, batchId];
  const pollKey = ['poll', ...listKey];
  const queryKey = [...listKey, filter];
  const readPage = (token: string, signal: AbortSignal) => {
    const query = { ...filter, expand: ['result' as const], page_size: PAGE_ROWS, page_token: token };
    return call(ITEMS, { params: { batch_id: batchId }, query }, signal);
  };
  const read = useInfiniteQuery<ItemPage, ApiError, ReturnType<typeof toRows>, unknown[], string>({
    queryKey,
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => readPage(pageParam, signal),
    getNextPageParam: ({ next_page_token }) => next_page_token ?? undefined,
    select: toRows,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  const { data, hasNextPage, isFetching, isPlaceholderData, fetchNextPage } = read;
  const rows = data?.rows ?? NO_ROWS;
  useEffect(() => {
    if (rows.length > 0 && last >= rows.length && hasNextPage && !isFetching) void fetchNextPage();
  }, [rows, last, hasNextPage, isFetching, fetchNextPage]);
  const onRange = useCallback((from: number, to: number) => setRange([from, to]), []);

  useQuery({
    queryKey: [...pollKey, filter],
    enabled: isRunning && data !== undefined && !isPlaceholderData,
    // The visible rows have just been read when polling begins.
    initialData: 0,
    gcTime: 0,
    staleTime: POLL_MS,
    refetchInterval: POLL_MS,
    queryFn: async ({ signal }) => {
      const known = client.getQueryData<ItemPages>(queryKey);
      const from = Math.floor(first / PAGE_ROWS);
      const fresh: ItemPages = { pages: [], pageParams: [] };
      let token = known?.pageParams[from];
      for (let at = from; at <= Math.floor(last / PAGE_ROWS) && token !== undefined; at += 1) {
        const page = await readPage(token, signal);
        fresh.pages.push(page);
        fresh.pageParams.push(token);
        token = page.next_page_token ?? undefined;
      }
      signal.throwIfAborted();
      client.setQueryData<ItemPages>(queryKey, (now) => now && mergePages(now, from, fresh));
      return Date.now();
    },
  });
  const wasRunning = useRef(isRunning);
  useEffect(() => {
    const hasEnded = wasRunning.current && !isRunning;
    wasRunning.current = isRunning;
    if (!hasEnded) return;
    // A read that began earlier could otherwise replace the last state of the jobs by an older one.
    const stopped = client.cancelQueries({ queryKey: ['poll', ITEMS] });
    void stopped.then(() => client.invalidateQueries({ queryKey: [ITEMS] }));
  }, [isRunning, client]);

  /** True if a saved review has interrupted a read, which then has to be repeated. */
  const isInterrupted = useRef(false);
  /**
   * Replaces a file in the loaded pages, so that a saved review is visible at once. Reads that are under way
   * are cancelled, because they may have begun before the review was saved.
   */
  const replace = async (item: Item) => {
    const reads = [{ queryKey: listKey }, { queryKey: pollKey }];
    isInterrupted.current ||= reads.some((each) => client.isFetching(each) > 0);
    await Promise.all(reads.map((each) => client.cancelQueries(each)));
    client.setQueriesData<ItemPages>({ queryKey: listKey }, (known) =>
      known
        ? {
            ...known,
            pages: known.pages.map((page) => ({
              ...page,
              items: page.items.map((each) => (each.job_id === item.job_id ? item : each)),
            })),
          }
        : known,
    );
  };
  /** Repeats the reads that saved reviews have interrupted. */
  const settle = () => {
    if (isInterrupted.current) void client.invalidateQueries({ queryKey: listKey });
    isInterrupted.current = false;
  };
  const loadAll = async (signal: AbortSignal): Promise<readonly Item[]> => {
    let known = read;
    while (known.hasNextPage) {
      signal.throwIfAborted();
      const next = await fetchNextPage();
      if (next.error) throw next.error;
      known = next as typeof read;
    }
    return known.data?.rows ?? [];
  };
  return {
    rows,
    total: data?.total,
    /** True while the rows of the previous filter are shown. */
    isOld: isPlaceholderData,
    error: read.error,
    refetch: read.refetch,
    onRange,
    replace,
    settle,
    loadAll,
  };
}

const NO_ROWS: readonly Item[] = [];
