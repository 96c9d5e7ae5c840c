import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call } from '../../api/client.ts';
import type { ApiError } from '../../api/errors.ts';
import { useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { usePagedRows } from '../../ui/use-paged-rows.ts';

const OPERATION = 'GET /api/v1/pipelines/{pipeline_id}/files/{file_id}/chunks';
/** Maximum number of chunks that one API call returns. */
const MAX_CHUNKS_PER_CALL = 500;

export type Chunk = Answer<typeof OPERATION>[number];

/** Operations whose results change with a setting of a chunk. */
export const CHANGED_BY_CHUNKS = [
  'GET /api/v1/pipelines/{pipeline_id}/nodes/{node_id}',
  OPERATION,
  'GET /api/v1/pipelines/{pipeline_id}/metadata-keys',
] as const;

/**
 * Loads the chunks of a file as they become visible. With a search text, only chunks that contain the text
 * are returned.
 */
export function useChunks(indexId: string, fileId: string, find: string) {
  const params = { pipeline_id: indexId, file_id: fileId };
  const document = useApiQuery('GET /api/v1/pipelines/{pipeline_id}/documents/{document_id}', {
    params: { pipeline_id: indexId, document_id: fileId },
  });
  const count = Number(document.data?.status_metadata?.chunk_count ?? 0);
  const pages = usePagedRows<Chunk>({
    queryKey: [OPERATION, indexId, fileId, count],
    async read(skip, limit, signal) {
      return { rows: await call(OPERATION, { params, query: { skip, limit } }, signal), total: count };
    },
  });
  const words = find.trim().toLowerCase();
  const all = useQuery<Chunk[], ApiError>({
    queryKey: [OPERATION, indexId, fileId, 'all'],
    enabled: words !== '',
    async queryFn({ signal }) {
      const read: Chunk[] = [];
      for (let isLast = false; !isLast; ) {
        const query = { skip: read.length, limit: MAX_CHUNKS_PER_CALL };
        const next = await call(OPERATION, { params, query }, signal);
        read.push(...next);
        isLast = next.length < MAX_CHUNKS_PER_CALL;
      }
      return read;
    },
  });
  const found = useMemo(
    () => (words ? all.data?.filter(({ text }) => text?.toLowerCase().includes(words)) : undefined),
    [words, all.data],
  );
  const isFinding = words !== '';
  return {
    /** Number of all chunks in the file. */
    count,
    /** Number of chunks in the list. With a search text, only matching chunks are counted. */
    total: isFinding ? (found?.length ?? 0) : count,
    isPending: document.isPending || (isFinding && all.isPending),
    error: document.error ?? pages.error ?? all.error,
    chunkAt: (position: number): Chunk | undefined => (isFinding ? found?.[position] : pages.rowAt(position)),
    /** Returns the position of a chunk in the list, or -1 if a search excludes it. */
    getPosition: ({ id_, order }: Pick<Chunk, 'id_' | 'order'>): number =>
      isFinding ? (found?.findIndex((each) => each.id_ === id_) ?? -1) : order,
    onRange: pages.onRange,
    refetch: () => Promise.all([document.refetch(), pages.refetch()]),
  };
}

export type Chunks = ReturnType<typeof useChunks>;
