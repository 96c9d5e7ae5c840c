import type { Chunker } from '../chunker.ts';

/** Every segment is one chunk, whatever its size. */
export function noneChunker(): Chunker {
  return {
    async split({ text, startChar }) {
      return [{ startChar, endChar: startChar + text.length }];
    },
  };
}
