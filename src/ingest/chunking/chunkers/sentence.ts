import type { Chunker } from '#src/ingest/chunking/chunker.ts';
import { cutAfterText } from '#src/ingest/chunking/ranges.ts';
import { sentencesIn, wordsBy } from '#src/ingest/chunking/splitters.ts';
import type { ChunkingConfig } from '#src/ingest/chunking/transform-config.ts';
import { packedChunker } from './packed.ts';

/**
 * Chunks of whole sentences up to `chunk_size` tokens. A longer sentence is split at `separator`, then inside
 * words.
 */
export function sentenceChunker(config: Extract<ChunkingConfig, { mode: 'sentence' }>): Chunker {
  return packedChunker(
    { unit: 'tokens', limit: config.chunk_size, overlap: config.chunk_overlap },
    sentencesIn(cutAfterText(config.paragraph_separator), wordsBy(config.separator)),
  );
}
