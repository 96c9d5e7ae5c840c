import type { Chunker } from '#src/ingest/chunking/chunker.ts';
import { byParagraph, createSentenceSplitter, wordSplitters } from '#src/ingest/chunking/splitters.ts';
import type { ChunkingConfig } from '#src/ingest/chunking/transform-config.ts';
import { packedChunker } from './packed.ts';

/**
 * Creates chunks of up to `chunk_size` characters that end at a paragraph, otherwise a sentence, otherwise a
 * word.
 */
export function characterChunker(config: Extract<ChunkingConfig, { mode: 'character' }>): Chunker {
  return packedChunker(
    { unit: 'characters', limit: config.chunk_size, overlap: config.chunk_overlap },
    createSentenceSplitter(byParagraph, wordSplitters),
  );
}
