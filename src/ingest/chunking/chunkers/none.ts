import type { Chunker } from '#src/ingest/chunking/chunker.ts';

/** Every segment is one chunk, up to what an index can store. */
export function noneChunker(): Chunker {
  return {
    async split({ text, startChar }) {
      return [{ startChar, endChar: startChar + text.length }];
    },
  };
}
