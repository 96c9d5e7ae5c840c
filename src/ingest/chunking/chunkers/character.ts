import type { Chunker } from '#src/ingest/chunking/chunker.ts';
import { byParagraph, sentencesIn, words } from '#src/ingest/chunking/splitters.ts';
import type { ChunkingConfig } from '#src/ingest/chunking/transform-config.ts';
import { packedChunker } from './packed.ts';

/**
 * Chunks of up to `chunk_size` characters that end at a paragraph, otherwise a sentence, otherwise a word.
 */
export function characterChunker(config: Extract<ChunkingConfig, { mode: 'character' }>): Chunker {
  return packedChunker(
    { unit: 'characters', limit: config.chunk_size, overlap: config.chunk_overlap },
    sentencesIn(byParagraph, words),
  );
}
