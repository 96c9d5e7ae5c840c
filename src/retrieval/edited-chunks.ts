import type { ChunkMetadata, DisabledChunks, Filters, StoredChunk } from '#src/ports/index-types.ts';
import type { Sink } from '#src/ports/sink.ts';
import { listFilterKeys } from '#src/search/filters.ts';

/** Settings of single chunks, which clients changed after the chunks were indexed. */
export interface ChunkEdits {
  /** Chunks that queries must not find. */
  disabled: DisabledChunks[];
  /** Metadata that was set for single chunks. */
  chunkMetadata: ChunkMetadata[];
}

/** Functions that apply the settings of single chunks to listed chunks. */
export interface EditedChunks {
  /** Returns whether a chunk is disabled. */
  isDisabled: (chunk: StoredChunk) => boolean;
  /** Returns the chunk with the metadata that was set for it. */
  addChunkMetadata: (chunk: StoredChunk) => StoredChunk;
}

/**
 * Applies the settings of single chunks to an opened index. Its searches then leave disabled chunks out and use the
 * metadata of the chunks, in every kind of store. Lists of chunks stay unchanged.
 */
export function applyChunkEdits<Opened extends { sink: Sink }>(
  opened: Opened,
  { disabled, chunkMetadata }: ChunkEdits,
): Opened & EditedChunks {
  const hashes = new Map(disabled.map((each) => [each.documentId, new Set(each.hashes)]));
  const own = new Map(chunkMetadata.map((each) => [each.documentId, each.chunks]));
  const addChunkMetadata = (chunk: StoredChunk) => {
    const metadata = own.get(chunk.documentId)?.[chunk.hash];
    return metadata ? { ...chunk, metadata: { ...chunk.metadata, ...metadata } } : chunk;
  };
  const { sink } = opened;
  const query: Sink['query'] = async (asked) => {
    const filtered = selectFiltered(chunkMetadata, asked.filters);
    const answer = await sink.query({
      ...asked,
      ...(disabled.length > 0 && { disabled }),
      ...(filtered.length > 0 && { chunkMetadata: filtered }),
    });
    return { ...answer, chunks: answer.chunks.map(addChunkMetadata) };
  };
  return {
    ...opened,
    ...((disabled.length > 0 || chunkMetadata.length > 0) && { sink: { ...sink, query } }),
    isDisabled: ({ documentId, hash }) => hashes.get(documentId)?.has(hash) ?? false,
    addChunkMetadata,
  };
}

/** Returns the metadata of chunks under the keys of the filters. Other keys cannot change which chunks match. */
function selectFiltered(chunkMetadata: ChunkMetadata[], filters: Filters | undefined): ChunkMetadata[] {
  if (!filters) return [];
  const keys = listFilterKeys(filters);
  return chunkMetadata.flatMap(({ documentId, chunks }) => {
    const selected = Object.entries(chunks).flatMap(([hash, metadata]) => {
      const entries = Object.entries(metadata).filter(([key]) => keys.has(key));
      return entries.length > 0 ? [[hash, Object.fromEntries(entries)] as const] : [];
    });
    return selected.length > 0 ? [{ documentId, chunks: Object.fromEntries(selected) }] : [];
  });
}
