import type { Chunker, Segment } from '#src/ingest/chunking/chunker.ts';
import { readTextBlocks, type TextBlock } from '#src/ingest/chunking/markdown-blocks.ts';
import { BREAK, type Budget, fits, type Piece, refine } from '#src/ingest/chunking/pack.ts';
import type { Range, Splitter } from '#src/ingest/chunking/ranges.ts';
import { byLine, bySentence, sentenceSplitters, wordSplitters } from '#src/ingest/chunking/splitters.ts';
import { packedChunker } from './packed.ts';

/**
 * Number of tokens by which a heading joined with its text may exceed the sum of their separate token counts.
 */
const JOIN_TOKENS = 2;
const rowSplitters: [Splitter, number][] = [[byLine, BREAK.sentence], ...wordSplitters];

/**
 * Default chunker. Joins whole sentences up to `chunk_size` tokens. Chunks preferably begin at a heading or
 * block. Headings stay with the following text, and tables and code stay whole if they fit.
 */
export function autoChunker(config: { chunk_size: number; chunk_overlap: number }): Chunker {
  return packedChunker(
    { unit: 'tokens', limit: config.chunk_size, overlap: config.chunk_overlap },
    splitIntoPieces,
  );
}

async function splitIntoPieces({ text, blocks }: Segment, budget: Budget): Promise<Piece[]> {
  const pieces: Piece[] = [];
  let headings: Range | undefined;
  for (const block of blocks ?? (await readTextBlocks({ text, pageStarts: [] }, budget.pace))) {
    const [first, ...rest] = await splitBlock(text, block, budget);
    if (!first) continue;
    const isHeading = block.kind === 'heading';
    const from = pieces.length;
    const start =
      headings && !isHeading ? await splitBelowHeadings(text, first, block, headings, budget) : [first];
    for (const piece of start) pieces.push(piece);
    for (const piece of rest) pieces.push(piece);
    if (headings) pieces[from]!.breakBefore = BREAK.never;
    else pieces[from]!.breakBefore = isHeading ? BREAK.heading : BREAK.block;
    headings = isHeading ? { start: headings?.start ?? block.start, end: block.end } : undefined;
  }
  return pieces;
}

/**
 * Splits a text that is too large to fit into a chunk with its heading. The beginning of the text stays with
 * the heading.
 */
async function splitBelowHeadings(
  text: string,
  piece: Piece,
  { kind }: TextBlock,
  headings: Range,
  budget: Budget,
): Promise<Piece[]> {
  if (fits(text, { start: headings.start, end: piece.end }, budget)) return [piece];
  const limit = budget.limit - budget.measure.size(headings.start, headings.end) - JOIN_TOKENS;
  // If the heading nearly fills the chunk, the text is not split, because only a few words would fit beside
  // the heading.
  if (limit < budget.limit / 4) return [piece];
  return refine(text, piece, { ...budget, limit }, kind === 'text' ? wordSplitters : rowSplitters);
}

async function splitBlock(text: string, block: TextBlock, budget: Budget): Promise<Piece[]> {
  switch (block.kind) {
    case 'heading':
    case 'table':
    case 'code':
      if (fits(text, block, budget)) {
        return [{ start: block.start, end: block.end, breakBefore: BREAK.block }];
      }
      return refine(text, block, budget, rowSplitters);
    case 'list':
      return refine(text, block, budget, [[byLine, BREAK.sentence], ...sentenceSplitters]);
    case 'text':
      return refine(text, block, budget, [[bySentence, BREAK.sentence], ...wordSplitters]);
  }
}
