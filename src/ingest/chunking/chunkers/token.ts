import type { Chunker } from '#src/ingest/chunking/chunker.ts';
import { BREAK, refine } from '#src/ingest/chunking/pack.ts';
import { cutAfterText } from '#src/ingest/chunking/ranges.ts';
import { wordSplitters } from '#src/ingest/chunking/splitters.ts';
import type { ChunkingConfig } from '#src/ingest/chunking/transform-config.ts';
import { packedChunker } from './packed.ts';

/**
 * Creates chunks of up to `chunk_size` tokens that end at `separator`. Text without a separator that is too
 * long for a chunk is split elsewhere.
 */
export function tokenChunker(config: Extract<ChunkingConfig, { mode: 'token' }>): Chunker {
  const split = cutAfterText(config.separator);
  return packedChunker(
    { unit: 'tokens', limit: config.chunk_size, overlap: config.chunk_overlap },
    ({ text }, budget) =>
      refine(text, { start: 0, end: text.length }, budget, [[split, BREAK.word], ...wordSplitters]),
  );
}
