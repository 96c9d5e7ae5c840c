import type { Box, Page, Word } from '#src/documents/document.ts';
import type { Citation } from './evidence.ts';
import { findFirstIndex, type NormalizedText, WordEdgeIndex } from './word-edge-index.ts';

/**
 * Keeps citations whose text occurs on the cited page as whole words and numbers, and adds the boxes of the
 * words. Without a page number, all pages are searched. Case, white space and compatibility forms are
 * ignored. If the text is not found, Markdown formatting is removed from it.
 */
export function verifyCitations(
  pages: Page[],
  candidates: (Omit<Citation, 'page'> & { page?: number })[],
): Citation[] {
  const out = new Map<string, Citation>();
  for (const candidate of candidates) {
    const named = pages.filter(({ index }) => candidate.page === undefined || index + 1 === candidate.page);
    const given = candidate.matching_text.trim();
    const found = findPage(named, given) ?? findPage(named, stripMarkdown(given));
    if (!found) continue;
    const { page, text } = found;
    const boxes = candidate.bounding_boxes ?? findWordBoxes(page, text);
    const citation: Citation = { page: page.index + 1, matching_text: text };
    if (boxes.length > 0) citation.bounding_boxes = boxes.map(roundBox);
    if (page.width > 0 && page.height > 0)
      citation.page_dimensions = { width: page.width, height: page.height };
    out.set(JSON.stringify(citation), citation);
  }
  return [...out.values()];
}

function findPage(pages: Page[], text: string): { page: Page; text: string } | undefined {
  const wanted = normalizeText(text).text;
  const getIndex = (page: Page) => cached(TEXTS, page, () => new WordEdgeIndex(normalizeText(page.text)));
  const page = pages.find((page) => getIndex(page).findFirst(wanted) !== undefined);
  return page ? { page, text } : undefined;
}

/**
 * Removes Markdown formatting from a citation, because models copy it from the pages. Runs in linear time.
 */
function stripMarkdown(text: string): string {
  return (
    text
      .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
      // Pages of a PDF print the mark of a footnote. Other formats number footnotes themselves.
      .replace(/\[\^p\d{1,6}-([^[\]\s]{1,20})\]:?|\[\^[^[\]\s]{1,40}\]:?/g, ' $1 ')
      .replace(/^[ \t]*(?:#+|>|[-*+])[ \t]+/gm, '')
      .replace(/\|?(?:\s{0,20}:?(?<!-)-{3,}:?\s{0,20}\|)+/g, ' ')
      .replace(/(?<![\p{L}\d])_+|_+(?![\p{L}\d])|\\(?=[^\p{L}\d\s])|[*`|]|~~/gu, ' ')
      .replace(/<\/?(?:t[rdh]|br|b|i|strong|em|su[bp])\b[^<>]*>/gi, ' ')
      .replace(/\s+/g, ' ')
      .trim()
  );
}

const foldText = (text: string) =>
  text
    .normalize('NFKC')
    .replace(/\u00ad/g, '')
    .toLowerCase();

/** Normalizes text for comparison, and returns it with the positions of its white space. */
function normalizeText(spaced: string): NormalizedText {
  const from = foldText(spaced);
  const text = from.replace(/\s+/g, '');
  const breaks = new Uint8Array(text.length + 1);
  breaks[text.length] = 1;
  let gone = 0;
  for (const { index, 0: space } of from.matchAll(/\s+/g)) {
    breaks[index - gone] = 1;
    gone += space.length;
  }
  return { text, breaks };
}

interface NormalizedWords {
  places: WordEdgeIndex;
  ends: number[];
}

function normalizeWords(words: Word[]): NormalizedWords {
  const parts = words.map(([word]) => foldText(word).replace(/\s+/g, ''));
  let length = 0;
  const ends = parts.map((part) => {
    length += part.length;
    return length;
  });
  const breaks = new Uint8Array(length + 1);
  for (const end of ends) breaks[end] = 1;
  return { places: new WordEdgeIndex({ text: parts.join(''), breaks }), ends };
}

const TEXTS = new WeakMap<Page, WordEdgeIndex>();
const WORDS = new WeakMap<Page, NormalizedWords>();

function cached<Value>(cache: WeakMap<Page, Value>, page: Page, make: () => Value): Value {
  const known = cache.get(page) ?? make();
  cache.set(page, known);
  return known;
}

/**
 * Returns the boxes of the words that spell a text, one box per line. Returns an empty list if the page does
 * not contain the text.
 */
function findWordBoxes(page: Page, text: string): Box[] {
  const { places, ends } = cached(WORDS, page, () => normalizeWords(page.words));
  const wanted = normalizeText(text).text;
  const start = places.findFirst(wanted);
  if (start === undefined) return [];
  const from = findFirstIndex(ends.length, (word) => ends[word]! > start);
  const to = findFirstIndex(ends.length, (word) => ends[word]! >= start + wanted.length);
  return lineBoxes(page.words.slice(from, to + 1));
}

/** Joins the boxes of words to one box per printed line. The words must be in reading order. */
export function lineBoxes(words: Word[]): Box[] {
  const boxes: Box[] = [];
  for (const [, x, y, w, h] of words) {
    const last = boxes.at(-1);
    const middle = y + h / 2;
    if (last && x >= last.x && middle > last.y && middle < last.y + last.h) {
      const right = Math.max(last.x + last.w, x + w);
      const bottom = Math.max(last.y + last.h, y + h);
      last.y = Math.min(last.y, y);
      last.w = right - last.x;
      last.h = bottom - last.y;
    } else boxes.push({ x, y, w, h });
  }
  return boxes;
}

export function roundBox(box: Box): Box {
  const round = (value: number) => Math.round(value * 100) / 100;
  return { x: round(box.x), y: round(box.y), w: round(box.w), h: round(box.h) };
}
