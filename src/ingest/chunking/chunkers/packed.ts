import type { Chunker, Segment } from '#src/ingest/chunking/chunker.ts';
import { characterMeasure, createTokenMeasure } from '#src/ingest/chunking/measure.ts';
import { Pace } from '#src/ingest/chunking/pace.ts';
import { type Budget, type Piece, pack } from '#src/ingest/chunking/pack.ts';

export interface PackedOptions {
  unit: 'characters' | 'tokens';
  limit: number;
  overlap: number;
}

/**
 * Creates a chunker that splits text into sufficiently small pieces and joins them up to the size limit. Most
 * chunkers are based on this function.
 */
export function packedChunker(
  { unit, limit, overlap }: PackedOptions,
  splitSegment: (segment: Segment, budget: Budget) => Promise<Piece[]>,
): Chunker {
  return {
    async split(segment, tools) {
      const { text, startChar } = segment;
      const pace = new Pace(tools);
      const measure = unit === 'tokens' ? await createTokenMeasure(text, tools, pace) : characterMeasure;
      const budget: Budget = { measure, limit, overlap, pace };
      const chunks = await pack(text, await splitSegment(segment, budget), budget);
      return chunks.map(({ start, end }) => ({
        startChar: startChar + start,
        endChar: startChar + end,
      }));
    },
  };
}
