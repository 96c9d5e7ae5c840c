import { useInfiniteQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import type { ApiError } from '../../api/errors.ts';
import type { Answer } from '../../api/types.ts';
import { useProjectId } from '../../shell/project.ts';

const FOLDERS = 'GET /api/v2/files/folders';
const TAGS = 'GET /api/v2/files/tags';

interface CountedPage<Item> {
  items: Item[];
  next_page_token?: string | null | undefined;
}

/** Reads a list page by page. `readMore` is absent if there is no further page. */
function useCounted<Item>(
  key: unknown[],
  read: (pageToken: string, signal: AbortSignal) => Promise<CountedPage<Item>>,
) {
  const query = useInfiniteQuery<CountedPage<Item>, ApiError, Item[], unknown[], string>({
    queryKey: key,
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    getNextPageParam: ({ next_page_token }) => next_page_token ?? undefined,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
  });
  return {
    items: query.data ?? [],
    error: query.error,
    refetch: query.refetch,
    readMore: query.hasNextPage ? () => void query.fetchNextPage() : undefined,
  };
}

/** Returns the subfolders of a folder with the number of their files. */
export function useFolders(parent: string) {
  const project = useProjectId();
  return useCounted<Answer<typeof FOLDERS>['items'][number]>(
    [FOLDERS, project, parent],
    (page_token, signal) => call(FOLDERS, { query: { parent, page_token } }, signal),
  );
}

/** Returns the tags of the project's files with the number of files. */
export function useTags() {
  const project = useProjectId();
  return useCounted<Answer<typeof TAGS>['items'][number]>([TAGS, project], (page_token, signal) =>
    call(TAGS, { query: { page_size: 20, page_token } }, signal),
  );
}
