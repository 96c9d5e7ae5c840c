import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call } from '../../api/client.ts';
import type { ApiError } from '../../api/errors.ts';
import { useAnswer } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { usePagedRows } from '../../ui/use-paged-rows.ts';

const OPERATION = 'GET /api/v1/pipelines/{pipeline_id}/files/{file_id}/chunks';
/** The most chunks that one call answers. */
const AT_ONCE = 500;

export type Chunk = Answer<typeof OPERATION>[number];

/** The chunks of a file, read as they come into view; with words to find, those that have them. */
export function useChunks(indexId: string, fileId: string, find: string) {
  const params = { pipeline_id: indexId, file_id: fileId };
  const document = useAnswer('GET /api/v1/pipelines/{pipeline_id}/documents/{document_id}', {
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
        const query = { skip: read.length, limit: AT_ONCE };
        const next = await call(OPERATION, { params, query }, signal);
        read.push(...next);
        isLast = next.length < AT_ONCE;
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
    /** Of the file. */
    count,
    /** Of those listed. */
    total: isFinding ? (found?.length ?? 0) : count,
    isPending: document.isPending || (isFinding && all.isPending),
    error: document.error ?? pages.error ?? all.error,
    chunkAt: (position: number): Chunk | undefined => (isFinding ? found?.[position] : pages.rowAt(position)),
    /** In the list; -1 when it is not in it. */
    positionOf: ({ id_, order }: Pick<Chunk, 'id_' | 'order'>): number =>
      isFinding ? (found?.findIndex((each) => each.id_ === id_) ?? -1) : order,
    onRange: pages.onRange,
    refetch: () => Promise.all([document.refetch(), pages.refetch()]),
  };
}

export type Chunks = ReturnType<typeof useChunks>;
