import type { IndexedDocument } from '#src/ports/index-types.ts';
import type { SearchChunk } from '#src/sinks/native/search-store.ts';
import type { NewRecord } from './chunk-store.ts';

/**
 * Returns the records of a document's chunks. Each record has the ids of the previous and the next chunk. If a chunk does
 * not name them, they are taken from the given chunks by position.
 */
export function toNewRecords(
  { documentId, version, title, keywords = '', metadata }: IndexedDocument,
  chunks: SearchChunk[],
): Omit<NewRecord, 'meanLength'>[] {
  const ids = new Map(chunks.map(({ position, id }) => [position, id]));
  return chunks.map(({ rowId, analysed, vector, headings = [], ...chunk }) => {
    const previousId = chunk.previousId ?? ids.get(chunk.position - 1);
    const nextId = chunk.nextId ?? ids.get(chunk.position + 1);
    return {
      rowId,
      version,
      keywords,
      length: analysed.length,
      chunk: {
        ...chunk,
        headings,
        documentId,
        title,
        metadata,
        language: analysed.language,
        ...(previousId !== undefined && { previousId }),
        ...(nextId !== undefined && { nextId }),
      },
      analysed,
      vector,
    };
  });
}
