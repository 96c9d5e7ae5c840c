import { ParseError } from '#src/documents/errors.ts';

/**
 * Maximum number of chunks per document. Each is embedded and stored, and a small `chunk_size` creates one
 * per word.
 */
export const MOST_CHUNKS = 100_000;

export function tooManyChunks(): ParseError {
  return new ParseError(
    'DOCUMENT_TOO_LARGE',
    `The file makes more than ${MOST_CHUNKS} chunks; a larger chunk_size or a smaller chunk_overlap makes fewer.`,
  );
}
