import type { Chunker } from '#src/ingest/chunking/chunker.ts';
import { cutAfterText } from '#src/ingest/chunking/ranges.ts';
import { createSentenceSplitter, createWordSplitters } from '#src/ingest/chunking/splitters.ts';
import type { ChunkingConfig } from '#src/ingest/chunking/transform-config.ts';
import { packedChunker } from './packed.ts';

/**
 * Creates chunks of whole sentences up to `chunk_size` tokens. A longer sentence is split at `separator`, and
 * if necessary inside words.
 */
export function sentenceChunker(config: Extract<ChunkingConfig, { mode: 'sentence' }>): Chunker {
  return packedChunker(
    { unit: 'tokens', limit: config.chunk_size, overlap: config.chunk_overlap },
    createSentenceSplitter(cutAfterText(config.paragraph_separator), createWordSplitters(config.separator)),
  );
}
