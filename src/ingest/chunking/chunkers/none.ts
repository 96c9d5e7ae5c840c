import type { Chunker } from '../chunker.ts';

/** Every segment is one chunk, up to what an index can store. */
export function noneChunker(): Chunker {
  return {
    async split({ text, startChar }) {
      return [{ startChar, endChar: startChar + text.length }];
    },
  };
}
