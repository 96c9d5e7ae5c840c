import type { Chunker } from '../chunker.ts';
import { cutAfterText } from '../ranges.ts';
import { sentencesIn, wordsBy } from '../splitters.ts';
import type { ChunkingConfig } from '../transform-config.ts';
import { packedChunker } from './packed.ts';

/** Whole sentences up to `chunk_size` tokens; a longer sentence is cut at `separator`, then inside words. */
export function sentenceChunker(config: Extract<ChunkingConfig, { mode: 'sentence' }>): Chunker {
  return packedChunker(
    { unit: 'tokens', limit: config.chunk_size, overlap: config.chunk_overlap },
    sentencesIn(cutAfterText(config.paragraph_separator), wordsBy(config.separator)),
  );
}
