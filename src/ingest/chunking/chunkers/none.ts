import type { Chunker } from '#src/ingest/chunking/chunker.ts';

/** Turns each segment into one chunk. Only a segment above the maximum chunk size of the index is split. */
export function noneChunker(): Chunker {
  return {
    async split({ text, startChar }) {
      return [{ startChar, endChar: startChar + text.length }];
    },
  };
}
