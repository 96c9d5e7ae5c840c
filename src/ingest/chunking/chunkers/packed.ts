import type { Chunker } from '../chunker.ts';
import { inCharacters, inTokens } from '../measure.ts';
import { type Budget, type Piece, pack } from '../pack.ts';

export interface PackedOptions {
  unit: 'characters' | 'tokens';
  limit: number;
  overlap: number;
}

/** The shape most chunkers share: cut into pieces as fine as needed, then join them up to the limit. */
export function packedChunker(
  { unit, limit, overlap }: PackedOptions,
  piecesOf: (text: string, budget: Budget) => Piece[],
): Chunker {
  return {
    async split({ text, startChar }, tools) {
      const measure = unit === 'tokens' ? inTokens(text, tools) : inCharacters;
      const budget: Budget = { measure, limit, overlap };
      return pack(text, piecesOf(text, budget), budget).map(({ start, end }) => ({
        startChar: startChar + start,
        endChar: startChar + end,
      }));
    },
  };
}
