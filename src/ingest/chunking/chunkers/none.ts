import type { Chunker } from '#src/ingest/chunking/chunker.ts';

/** Each segment becomes one chunk, up to the maximum size of the index. */
export function noneChunker(): Chunker {
  return {
    async split({ text, startChar }) {
      return [{ startChar, endChar: startChar + text.length }];
    },
  };
}
