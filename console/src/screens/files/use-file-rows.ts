import { keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { call } from '../../api/client.ts';
import type { ApiError } from '../../api/errors.ts';
import { ROOT } from '../../api/folders.ts';
import type { Answer, Query } from '../../api/types.ts';
import { useProjectId } from '../../shell/project.ts';
import { openProjectQueue } from '../../uploads/targets.ts';
import { useUploads } from '../../uploads/use-uploads.ts';

const OPERATION = 'GET /api/v1/beta/files';
const PAGE_ROWS = 500;

export type ProjectFile = Answer<typeof OPERATION>['items'][number];
type Listing = Pick<
  Query<typeof OPERATION>,
  'name_contains' | 'file_types' | 'order_by' | 'folder' | 'include_subfolders' | 'tags' | 'expand'
>;

/**
 * Folder, filters and order of the list, stored in the page's address. A filter also finds files in subfolders of
 * the open folder.
 */
export function useListing() {
  const [params, setParams] = useSearchParams();
  const search = params.get('q') ?? '';
  const type = params.get('type') ?? '';
  const sort = params.get('sort') ?? 'created_at desc';
  const folder = params.get('folder') ?? '';
  const tagText = params.get('tags') ?? '';
  const tags = useMemo(() => tagText.split(',').filter(Boolean), [tagText]);
  const isNarrowed = Boolean(search || type || tagText);
  const query = useMemo<Listing>(
    () => ({
      order_by: sort,
      ...(search && { name_contains: search }),
      ...(type && { file_types: [type] }),
      ...(tags.length > 0 && { tags }),
      ...(!isNarrowed && { folder: folder || ROOT }),
      ...(isNarrowed && folder && { folder, include_subfolders: true }),
      expand: ['folder', 'tags'],
    }),
    [search, type, sort, folder, tags, isNarrowed],
  );
  const set = (changes: Record<string, string>) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        for (const [key, value] of Object.entries(changes)) {
          if (value) next.set(key, value);
          else next.delete(key);
        }
        return next;
      },
      { replace: true },
    );
  return { query, set, search, type, sort, folder, tags, isNarrowed };
}

/**
 * Loads the file list page by page until all visible rows are available. `isOld` is true while the rows of the
 * previous query are shown.
 */
export function useFileRows(query: Listing) {
  const project = useProjectId();
  const [last, setLast] = useState(0);
  const read = useInfiniteQuery<
    Answer<typeof OPERATION>,
    ApiError,
    ProjectFile[] & { total?: number },
    unknown[],
    string
  >({
    queryKey: [OPERATION, project, query],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      call(OPERATION, { query: { ...query, page_size: PAGE_ROWS, page_token: pageParam } }, signal),
    getNextPageParam: ({ next_page_token }) => next_page_token ?? undefined,
    select: ({ pages }) => {
      const rows = pages.flatMap(({ items }) => items);
      return Object.assign(rows, { total: pages.at(-1)?.total_size ?? rows.length });
    },
    placeholderData: keepPreviousData,
  });
  const { data: rows, hasNextPage, isFetching, isPlaceholderData, fetchNextPage } = read;
  useEffect(() => {
    if (rows && last >= rows.length && hasNextPage && !isFetching) void fetchNextPage();
  }, [rows, last, hasNextPage, isFetching, fetchNextPage]);
  const onRange = useCallback((_first: number, to: number) => setLast(to), []);
  const current = useRef(query);
  current.current = query;
  /** Returns no rows if the query changes before all rows are loaded, because positions then mean other files. */
  const rowsBetween = async (from: number, to: number): Promise<ProjectFile[]> => {
    if (isPlaceholderData) return [];
    let known: ProjectFile[] = rows ?? [];
    for (let isMore = hasNextPage; isMore && known.length <= to; ) {
      const next = await fetchNextPage();
      if (current.current !== query) return [];
      if (next.error) throw next.error;
      known = next.data ?? [];
      isMore = next.hasNextPage;
    }
    return known.slice(from, to + 1);
  };
  return {
    total: rows?.total,
    isOld: isPlaceholderData,
    error: read.error,
    refetch: read.refetch,
    rowAt: (index: number): ProjectFile | undefined => rows?.[index],
    rowsBetween,
    onRange,
  };
}

export function useProjectUploads() {
  const client = useQueryClient();
  const projectId = useProjectId();
  return useUploads(openProjectQueue(client, projectId));
}
