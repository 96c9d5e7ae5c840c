import { sentenceBounds } from '#src/lib/text/sentences.ts';
import { TOKEN_PIECES } from '#src/tokenizer/tokenizer.ts';
import type { Segment } from './chunker.ts';
import { BREAK, type Budget, type Piece, refine } from './pack.ts';
import { codePoints, cutAfter, cutAfterText, type Splitter } from './ranges.ts';

export const bySentence: Splitter = (text, { start, end }) =>
  sentenceBounds(text.slice(start, end)).map(([from, to]) => ({ start: start + from, end: start + to }));

export const byParagraph = cutAfter(/\n[^\S\n]*\n\s*/g);
export const byLine = cutAfter(/\n+/g);

/** Splitters for text without sentence ends. They split at words first and at single code points last. */
export const wordSplitters: [Splitter, number][] = [
  [cutAfter(/\s+/g), BREAK.word],
  [cutAfter(TOKEN_PIECES), BREAK.word],
  [codePoints, BREAK.word],
];

/** Returns splitters that split at the caller's separator first, then at words and code points. */
export function createWordSplitters(separator: string): [Splitter, number][] {
  return [[cutAfterText(separator), BREAK.word], ...wordSplitters];
}

export const sentenceSplitters: [Splitter, number][] = [[bySentence, BREAK.sentence], ...wordSplitters];

/**
 * Creates a function that splits paragraphs into sentences, and long sentences into smaller pieces. A chunk
 * preferably begins with the first sentence of a paragraph.
 */
export const createSentenceSplitter =
  (paragraphs: Splitter, finer: [Splitter, number][]) =>
  async ({ text }: Segment, budget: Budget): Promise<Piece[]> => {
    const pieces: Piece[] = [];
    for (const paragraph of paragraphs(text, { start: 0, end: text.length })) {
      const from = pieces.length;
      const found = await refine(text, paragraph, budget, [[bySentence, BREAK.sentence], ...finer]);
      for (const piece of found) pieces.push(piece);
      if (pieces[from]) pieces[from].breakBefore = BREAK.block;
    }
    return pieces;
  };
