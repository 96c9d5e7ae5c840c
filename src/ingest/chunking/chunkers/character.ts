import type { Chunker } from '#src/ingest/chunking/chunker.ts';
import { byParagraph, sentencesIn, words } from '#src/ingest/chunking/splitters.ts';
import type { ChunkingConfig } from '#src/ingest/chunking/transform-config.ts';
import { packedChunker } from './packed.ts';

/** Up to `chunk_size` characters, ending at a paragraph, else a sentence, else a word. */
export function characterChunker(config: Extract<ChunkingConfig, { mode: 'character' }>): Chunker {
  return packedChunker(
    { unit: 'characters', limit: config.chunk_size, overlap: config.chunk_overlap },
    sentencesIn(byParagraph, words),
  );
}
