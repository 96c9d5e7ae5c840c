import type { Page } from '#src/documents/document.ts';

/** What a classifier sees of a document. */
export interface ClassifyDocument {
  pages: Pick<Page, 'index' | 'width' | 'height' | 'text' | 'blocks'>[];
  /** The file's name, with its extension. */
  name?: string | undefined;
  title?: string | undefined;
}

/** `type` is null when no rule fits; confidence is how probable it is that the answer, also a null one, is right. */
export interface ClassifyResult {
  type: string | null;
  /** 0..1 */
  confidence: number;
  reasoning: string;
}

/** Layout in numbers, counted once per document. */
export interface LayoutFeatures {
  landscape: number;
  wordsPerPage: number;
  /** Shares of the text's lines, 0..1. */
  tableLines: number;
  bulletLines: number;
  sentencesPerHundredWords: number;
  codeBlocks: number;
  extension: string;
}

/** Pages whose layout is looked at. */
export const LAYOUT_PAGES = 40;

const MOST_CHARACTERS = 120_000;

/** The text that is judged: the beginning whole, long documents also from their middle and end. */
export function sampleText(pages: ClassifyDocument['pages']): string {
  const text = pages.map((page) => page.text).join('\n\n');
  if (text.length <= MOST_CHARACTERS) return text;
  const third = MOST_CHARACTERS / 4;
  const middle = Math.floor(text.length / 2);
  return [text.slice(0, third * 2), text.slice(middle, middle + third), text.slice(-third)].join('\n');
}

/** `text` is the document's sample. */
export function layoutFeatures(document: ClassifyDocument, text: string): LayoutFeatures {
  const pages = document.pages.slice(0, LAYOUT_PAGES);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const words = text.match(/\S+/g) ?? [];
  const blocks = pages.flatMap((page) => page.blocks);
  const count = (test: (line: string) => boolean) => lines.filter(test).length / Math.max(1, lines.length);
  const blockLines = (type: string) =>
    blocks
      .filter((block) => block.type === type)
      .reduce((sum, block) => sum + block.text.split('\n').length, 0);
  return {
    landscape: pages.filter((page) => page.width > page.height * 1.15).length / Math.max(1, pages.length),
    wordsPerPage: words.length / Math.max(1, pages.length),
    tableLines: Math.max(
      Math.min(1, blockLines('table') / Math.max(1, lines.length)),
      count((line) => /\t|\|.*\||^(?:[^,;]*[,;]){3,}[^,;.]*$/.test(line)),
    ),
    bulletLines: Math.max(
      count((line) => /^\s*[-–•·●▪*]\s/.test(line)),
      Math.min(1, blockLines('list') / Math.max(1, lines.length)),
    ),
    sentencesPerHundredWords:
      ((text.match(/\p{Ll}[.!?](?=\s|$)/gu)?.length ?? 0) / Math.max(1, words.length)) * 100,
    codeBlocks: blocks.filter((block) => block.type === 'code').length,
    extension: /\.([a-z0-9]{1,5})$/i.exec(document.name ?? '')?.[1]?.toLowerCase() ?? '',
  };
}
