import type { Chunker } from '#src/ingest/chunking/chunker.ts';
import { type MarkdownBlock, markdownBlocks } from '#src/ingest/chunking/markdown-blocks.ts';
import { BREAK, type Budget, fits, type Piece, refine } from '#src/ingest/chunking/pack.ts';
import { byLine, bySentence, sentencesThenWords, words } from '#src/ingest/chunking/splitters.ts';
import { packedChunker } from './packed.ts';

/**
 * The default: whole sentences in chunks of up to `chunk_size` tokens that prefer to begin at a heading or a
 * block, keep a heading with what follows it, and keep tables and code whole where they fit.
 */
export function autoChunker(config: { chunk_size: number; chunk_overlap: number }): Chunker {
  return packedChunker(
    { unit: 'tokens', limit: config.chunk_size, overlap: config.chunk_overlap },
    blockPieces,
  );
}

async function blockPieces(text: string, budget: Budget): Promise<Piece[]> {
  const pieces: Piece[] = [];
  let afterHeading = false;
  for (const block of markdownBlocks(text)) {
    const from = pieces.length;
    for (const piece of await piecesOf(text, block, budget)) pieces.push(piece);
    const first = pieces[from];
    if (!first) continue;
    if (afterHeading) first.breakBefore = BREAK.never;
    else first.breakBefore = block.kind === 'heading' ? BREAK.heading : BREAK.block;
    afterHeading = block.kind === 'heading';
  }
  return pieces;
}

async function piecesOf(text: string, block: MarkdownBlock, budget: Budget): Promise<Piece[]> {
  switch (block.kind) {
    case 'heading':
    case 'table':
    case 'code':
      if (fits(text, block, budget)) {
        return [{ start: block.start, end: block.end, breakBefore: BREAK.block }];
      }
      return refine(text, block, budget, [[byLine, BREAK.sentence], ...words]);
    case 'list':
      return refine(text, block, budget, [[byLine, BREAK.sentence], ...sentencesThenWords]);
    case 'text':
      return refine(text, block, budget, [[bySentence, BREAK.sentence], ...words]);
  }
}
