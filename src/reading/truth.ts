import type { Page } from '#src/documents/document.ts';
import type { PageTruth } from './verify/index.ts';

/** What of a page as the parser laid it out is held against what a model writes of it. */
export const truthOf = ({ text, words, blocks, ocr }: Page): PageTruth => ({
  text,
  words,
  blocks,
  runningHeads: blocks.flatMap((block) =>
    block.type === 'header' || block.type === 'footer' ? block.text : [],
  ),
  source: ocr ? 'ocr' : 'text layer',
  ...(ocr?.confidence !== undefined && { confidence: ocr.confidence }),
});
