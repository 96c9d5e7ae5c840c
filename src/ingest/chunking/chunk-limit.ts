import { ParseError } from '#src/documents/errors.ts';

/**
 * Maximum number of chunks per document. Each chunk is embedded and stored, and a small `chunk_size` creates
 * one chunk per word.
 */
export const MAX_CHUNKS = 100_000;

export function createTooManyChunksError(): ParseError {
  return new ParseError(
    'DOCUMENT_TOO_LARGE',
    `The file has more than ${MAX_CHUNKS} chunks. Use a larger chunk_size or a smaller chunk_overlap.`,
  );
}
