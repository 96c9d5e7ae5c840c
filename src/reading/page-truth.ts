import type { Page } from '#src/documents/document.ts';
import type { PageTruth } from './verify/index.ts';

export const toPageTruth = ({ text, words, blocks, ocr }: Page): PageTruth => ({
  text,
  words,
  blocks,
  runningHeads: blocks.flatMap((block) =>
    block.type === 'header' || block.type === 'footer' ? block.text : [],
  ),
  source: ocr ? 'ocr' : 'text layer',
  ...(ocr?.confidence !== undefined && { confidence: ocr.confidence }),
});
