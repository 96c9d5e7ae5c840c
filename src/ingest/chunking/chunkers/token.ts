import type { Chunker } from '../chunker.ts';
import { BREAK, refine } from '../pack.ts';
import { cutAfterText } from '../ranges.ts';
import { words } from '../splitters.ts';
import type { ChunkingConfig } from '../transform-config.ts';
import { packedChunker } from './packed.ts';

/** Windows of up to `chunk_size` tokens, cut at `separator` and inside only what is longer than a window. */
export function tokenChunker(config: Extract<ChunkingConfig, { mode: 'token' }>): Chunker {
  const split = cutAfterText(config.separator);
  return packedChunker(
    { unit: 'tokens', limit: config.chunk_size, overlap: config.chunk_overlap },
    (text, budget) => refine(text, { start: 0, end: text.length }, budget, [[split, BREAK.word], ...words]),
  );
}
