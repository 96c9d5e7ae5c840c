import type { Chunker, Segment } from '#src/ingest/chunking/chunker.ts';
import { type TextBlock, textBlocks } from '#src/ingest/chunking/markdown-blocks.ts';
import { BREAK, type Budget, fits, type Piece, refine } from '#src/ingest/chunking/pack.ts';
import type { Range, Splitter } from '#src/ingest/chunking/ranges.ts';
import { byLine, bySentence, sentencesThenWords, words } from '#src/ingest/chunking/splitters.ts';
import { packedChunker } from './packed.ts';

/** Tokens by which a heading and its text may exceed the sum of their counts when joined. */
const JOINT = 2;
const rowsThenWords: [Splitter, number][] = [[byLine, BREAK.sentence], ...words];

/**
 * Default chunker: whole sentences up to `chunk_size` tokens. Chunks preferably begin at a heading or block,
 * headings stay with the following text, and tables and code stay whole if they fit.
 */
export function autoChunker(config: { chunk_size: number; chunk_overlap: number }): Chunker {
  return packedChunker(
    { unit: 'tokens', limit: config.chunk_size, overlap: config.chunk_overlap },
    blockPieces,
  );
}

async function blockPieces({ text, blocks }: Segment, budget: Budget): Promise<Piece[]> {
  const pieces: Piece[] = [];
  let headings: Range | undefined;
  for (const block of blocks ?? (await textBlocks({ text, pageStarts: [] }, budget.pace))) {
    const [first, ...rest] = await piecesOf(text, block, budget);
    if (!first) continue;
    const isHeading = block.kind === 'heading';
    const from = pieces.length;
    const start =
      headings && !isHeading ? await besideHeadings(text, first, block, headings, budget) : [first];
    for (const piece of start) pieces.push(piece);
    for (const piece of rest) pieces.push(piece);
    if (headings) pieces[from]!.breakBefore = BREAK.never;
    else pieces[from]!.breakBefore = isHeading ? BREAK.heading : BREAK.block;
    headings = isHeading ? { start: headings?.start ?? block.start, end: block.end } : undefined;
  }
  return pieces;
}

/**
 * If a heading and its text are too large together, the text is split and its beginning stays with the
 * heading.
 */
async function besideHeadings(
  text: string,
  piece: Piece,
  { kind }: TextBlock,
  headings: Range,
  budget: Budget,
): Promise<Piece[]> {
  if (fits(text, { start: headings.start, end: piece.end }, budget)) return [piece];
  const limit = budget.limit - budget.measure.size(headings.start, headings.end) - JOINT;
  // If a heading nearly fills the chunk, a few words of text beside it would be useless.
  if (limit < budget.limit / 4) return [piece];
  return refine(text, piece, { ...budget, limit }, kind === 'text' ? words : rowsThenWords);
}

async function piecesOf(text: string, block: TextBlock, budget: Budget): Promise<Piece[]> {
  switch (block.kind) {
    case 'heading':
    case 'table':
    case 'code':
      if (fits(text, block, budget)) {
        return [{ start: block.start, end: block.end, breakBefore: BREAK.block }];
      }
      return refine(text, block, budget, rowsThenWords);
    case 'list':
      return refine(text, block, budget, [[byLine, BREAK.sentence], ...sentencesThenWords]);
    case 'text':
      return refine(text, block, budget, [[bySentence, BREAK.sentence], ...words]);
  }
}
