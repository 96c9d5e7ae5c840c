import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import type { ApiError } from '../api/errors.ts';

export const PAGE_ROWS = 100;

export interface RowPage<Row> {
  rows: Row[];
  total: number;
}

interface PagedRowsProps<Row> {
  /** Cache key that identifies the list and its filters. */
  queryKey: readonly unknown[];
  read: (offset: number, limit: number, signal: AbortSignal) => Promise<RowPage<Row>>;
  /** Interval in milliseconds at which the rows are fetched again. `false` turns polling off. */
  refetchInterval?: number | false;
}

/**
 * Loads the visible rows of a long list in pages. After a change of filters or order, the old rows stay
 * visible until the first new page has loaded.
 */
export function usePagedRows<Row>({ queryKey, read, refetchInterval = false }: PagedRowsProps<Row>) {
  const client = useQueryClient();
  const [[first, last], setPages] = useState<[number, number]>([0, 0]);
  const buildPageQuery = (page: number) => ({
    queryKey: [...queryKey, 'page', page],
    queryFn: ({ signal }: { signal: AbortSignal }) => read(page * PAGE_ROWS, PAGE_ROWS, signal),
    refetchInterval,
  });
  const pages = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  const reads = useQueries({ queries: pages.map(buildPageQuery) });
  const error = reads.find((each) => each.error)?.error as ApiError | undefined;
  const known = reads.find((each) => each.data)?.data;

  const shown = useRef<{ total: number; byPage: Map<number, Row[]> }>(undefined);
  if (known) {
    shown.current = {
      total: known.total,
      byPage: new Map(pages.flatMap((page, at) => (reads[at]?.data ? [[page, reads[at].data.rows]] : []))),
    };
  }
  const current = shown.current;
  const rowAt = (index: number): Row | undefined =>
    current?.byPage.get(Math.floor(index / PAGE_ROWS))?.[index % PAGE_ROWS];

  const onRange = useCallback((from: number, to: number) => {
    const next: [number, number] = [Math.floor(from / PAGE_ROWS), Math.floor(to / PAGE_ROWS)];
    setPages((before) => (before[0] === next[0] && before[1] === next[1] ? before : next));
  }, []);
  const rowsBetween = async (from: number, to: number): Promise<Row[]> => {
    const pageReads = [];
    for (let page = Math.floor(from / PAGE_ROWS); page <= Math.floor(to / PAGE_ROWS); page += 1) {
      pageReads.push(client.fetchQuery({ ...buildPageQuery(page), staleTime: 60_000 }));
    }
    const rows = (await Promise.all(pageReads)).flatMap((page) => page.rows);
    const start = from % PAGE_ROWS;
    return rows.slice(start, start + to - from + 1);
  };
  return {
    total: current?.total,
    isOld: known === undefined,
    error,
    rowAt,
    rowsBetween,
    onRange,
    refetch: () => Promise.all(reads.map((each) => each.refetch())),
  };
}
