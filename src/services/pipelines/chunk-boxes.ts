import type { ChunkableDocument } from '#src/ingest/chunking/chunker.ts';
import { lineBoxes, rounded } from '#src/jobs/extract/citations.ts';
import type { Box, Page, Word } from '#src/parsing/document.ts';

export interface PageBoxes {
  /** 0-based. */
  pageIndex: number;
  /** Points. */
  width: number;
  height: number;
  /** One for each line of print. */
  boxes: Box[];
}

/** What text and print agree in: letters and digits, without case, spaces, and the marks of Markdown. */
const bare = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');

const withoutLinks = (line: string) =>
  line.replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1').replace(/<\/?[a-z][^<>]*>/gi, ' ');

/** The part of a document's text that stands on a page, by the page's position among its pages. */
export function textOnPage(
  { text, pageStarts }: Pick<ChunkableDocument, 'text' | 'pageStarts'>,
  { startChar, endChar }: { startChar: number; endChar: number },
  position: number,
): string {
  const start = Math.max(startChar, pageStarts[position] ?? 0);
  const end = Math.min(endChar, pageStarts[position + 1] ?? text.length);
  return text.slice(start, Math.max(start, end));
}

/**
 * Where a piece of a page's Markdown is printed: line by line, each looked for behind the one before. Lines that
 * the page's words do not spell are left out.
 */
export function boxesOnPage(page: Page, markdown: string): PageBoxes {
  const print = spell(page.words);
  const found: Word[] = [];
  let cursor = 0;
  for (const line of markdown.split('\n')) {
    const wanted = bare(withoutLinks(line));
    if (wanted === '') continue;
    const behind = print.text.indexOf(wanted, cursor);
    const at = behind >= 0 ? behind : print.text.indexOf(wanted);
    if (at < 0) continue;
    cursor = at + wanted.length;
    const from = print.ends.findIndex((end) => end > at);
    const to = print.ends.findIndex((end) => end >= cursor);
    found.push(...page.words.slice(from, to + 1));
  }
  const { index: pageIndex, width, height } = page;
  return { pageIndex, width, height, boxes: lineBoxes(found).map(rounded) };
}

/** A page's words as one text, and where in it each ends. */
function spell(words: Word[]): { text: string; ends: number[] } {
  const parts = words.map(([word]) => bare(word));
  let length = 0;
  const ends = parts.map((part) => {
    length += part.length;
    return length;
  });
  return { text: parts.join(''), ends };
}
