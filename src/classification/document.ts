import type { Page } from '#src/documents/document.ts';
import { countWords } from '#src/lib/text/count-words.ts';

/** Content of a document that a classifier reads. */
export interface ClassifyDocument {
  pages: Pick<Page, 'index' | 'width' | 'height' | 'text' | 'blocks'>[];
  /** File name, including its extension. */
  name?: string | undefined;
  title?: string | undefined;
}

/**
 * Result of classifying a document. `type` is null if no rule fits the document. `confidence` is the
 * probability that the result is right, also for null.
 */
export interface ClassifyResult {
  type: string | null;
  /** Confidence from 0 to 1. */
  confidence: number;
  reasoning: string;
}

/** Measurements of a document's layout, by which a classifier distinguishes documents. */
export interface LayoutFeatures {
  landscape: number;
  wordsPerPage: number;
  /** Share of the text's lines that belong to tables or lists, from 0 to 1. */
  tableLines: number;
  bulletLines: number;
  sentencesPerHundredWords: number;
  codeBlocks: number;
  extension: string;
}

/** Maximum number of pages whose layout is measured. */
export const LAYOUT_PAGES = 40;

/** Matches the end of a sentence. Chinese and Japanese have marks of their own, without a space after them. */
const SENTENCE_END = /\p{Ll}[.!?](?=\s|$)|[。！？]/gu;

const MAX_SAMPLE_CHARACTERS = 120_000;

/**
 * Returns the text of a document that is classified. A long document is reduced to a sample: half from the
 * beginning, the rest from the middle and end.
 */
export function sampleText(pages: ClassifyDocument['pages']): string {
  const text = pages.map((page) => page.text).join('\n\n');
  if (text.length <= MAX_SAMPLE_CHARACTERS) return text;
  const quarter = MAX_SAMPLE_CHARACTERS / 4;
  const middle = Math.floor(text.length / 2);
  return [text.slice(0, quarter * 2), text.slice(middle, middle + quarter), text.slice(-quarter)].join('\n');
}

/** Measures the layout of a document. `text` is the text that is classified. */
export function measureLayout(document: ClassifyDocument, text: string): LayoutFeatures {
  const pages = document.pages.slice(0, LAYOUT_PAGES);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const words = countWords(text);
  const blocks = pages.flatMap((page) => page.blocks);
  const count = (test: (line: string) => boolean) => lines.filter(test).length / Math.max(1, lines.length);
  const blockLines = (type: string) =>
    blocks
      .filter((block) => block.type === type)
      .reduce((sum, block) => sum + block.text.split('\n').length, 0);
  return {
    landscape: pages.filter((page) => page.width > page.height * 1.15).length / Math.max(1, pages.length),
    wordsPerPage: words / Math.max(1, pages.length),
    tableLines: Math.max(
      Math.min(1, blockLines('table') / Math.max(1, lines.length)),
      count((line) => /\t|\|.*\||^(?:[^,;]*[,;]){3,}[^,;.]*$/.test(line)),
    ),
    bulletLines: Math.max(
      count((line) => /^\s*[-–•·●▪*]\s/.test(line)),
      Math.min(1, blockLines('list') / Math.max(1, lines.length)),
    ),
    sentencesPerHundredWords: ((text.match(SENTENCE_END)?.length ?? 0) / Math.max(1, words)) * 100,
    codeBlocks: blocks.filter((block) => block.type === 'code').length,
    extension: /\.([a-z0-9]{1,5})$/i.exec(document.name ?? '')?.[1]?.toLowerCase() ?? '',
  };
}
