import type { Chunker, Segment } from '#src/ingest/chunking/chunker.ts';
import { inCharacters, inTokens } from '#src/ingest/chunking/measure.ts';
import { Pace } from '#src/ingest/chunking/pace.ts';
import { type Budget, type Piece, pack } from '#src/ingest/chunking/pack.ts';

export interface PackedOptions {
  unit: 'characters' | 'tokens';
  limit: number;
  overlap: number;
}

/** Basis of most chunkers: splits text into pieces that are small enough, then joins them up to the limit. */
export function packedChunker(
  { unit, limit, overlap }: PackedOptions,
  piecesOf: (segment: Segment, budget: Budget) => Promise<Piece[]>,
): Chunker {
  return {
    async split(segment, tools) {
      const { text, startChar } = segment;
      const pace = new Pace(tools);
      const measure = unit === 'tokens' ? await inTokens(text, tools, pace) : inCharacters;
      const budget: Budget = { measure, limit, overlap, pace };
      const chunks = await pack(text, await piecesOf(segment, budget), budget);
      return chunks.map(({ start, end }) => ({
        startChar: startChar + start,
        endChar: startChar + end,
      }));
    },
  };
}
