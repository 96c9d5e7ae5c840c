import type { Box, Page, Word } from '#src/documents/document.ts';
import type { Citation } from './evidence.ts';
import { firstOf, Places, type Spelled } from './places.ts';

/**
 * Keeps the candidates whose text is found on the page they name and gives them the boxes of the words they
 * consist of. A candidate without a page is looked for on all of them. Comparison ignores case, white space
 * and compatibility forms; everything else must agree, and the text must not be a part of a longer word or number.
 * Markdown that the page's text does not have is taken off.
 */
export function verifyCitations(
  pages: Page[],
  candidates: (Omit<Citation, 'page'> & { page?: number })[],
): Citation[] {
  const out = new Map<string, Citation>();
  for (const candidate of candidates) {
    const named = pages.filter(({ index }) => candidate.page === undefined || index + 1 === candidate.page);
    const given = candidate.matching_text.trim();
    const found = find(named, given) ?? find(named, withoutMarkdown(given));
    if (!found) continue;
    const { page, text } = found;
    const boxes = candidate.bounding_boxes ?? boxesOf(page, text);
    const citation: Citation = { page: page.index + 1, matching_text: text };
    if (boxes.length > 0) citation.bounding_boxes = boxes.map(rounded);
    if (page.width > 0 && page.height > 0)
      citation.page_dimensions = { width: page.width, height: page.height };
    out.set(JSON.stringify(citation), citation);
  }
  return [...out.values()];
}

function find(pages: Page[], text: string): { page: Page; text: string } | undefined {
  const wanted = spell(text).text;
  const placesOf = (page: Page) => cached(TEXTS, page, () => new Places(spell(page.text)));
  const page = pages.find((page) => placesOf(page).first(wanted) !== undefined);
  return page ? { page, text } : undefined;
}

/** Removes Markdown marks, which models copy from the pages. Takes linear time. */
function withoutMarkdown(text: string): string {
  return text
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/^[ \t]*(?:#+|>|[-*+])[ \t]+/gm, '')
    .replace(/\|?(?:\s{0,20}:?(?<!-)-{3,}:?\s{0,20}\|)+/g, ' ')
    .replace(/(?<![\p{L}\d])_+|_+(?![\p{L}\d])|\\(?=[^\p{L}\d\s])|[*`|]|~~/gu, ' ')
    .replace(/<\/?(?:t[rdh]|br|b|i|strong|em|su[bp])\b[^<>]*>/gi, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

const plain = (text: string) =>
  text
    .normalize('NFKC')
    .replace(/\u00ad/g, '')
    .toLowerCase();

/** Returns a text in the form in which it is compared. */
function spell(spaced: string): Spelled {
  const from = plain(spaced);
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

interface SpelledWords {
  places: Places;
  /** End of each word in the joined text. */
  ends: number[];
}

function spellWords(words: Word[]): SpelledWords {
  const parts = words.map(([word]) => plain(word).replace(/\s+/g, ''));
  let length = 0;
  const ends = parts.map((part) => {
    length += part.length;
    return length;
  });
  const breaks = new Uint8Array(length + 1);
  for (const end of ends) breaks[end] = 1;
  return { places: new Places({ text: parts.join(''), breaks }), ends };
}

const TEXTS = new WeakMap<Page, Places>();
const WORDS = new WeakMap<Page, SpelledWords>();

function cached<Value>(cache: WeakMap<Page, Value>, page: Page, make: () => Value): Value {
  const known = cache.get(page) ?? make();
  cache.set(page, known);
  return known;
}

/** Returns one box per line for the words that spell the text; empty if none do. */
function boxesOf(page: Page, text: string): Box[] {
  const { places, ends } = cached(WORDS, page, () => spellWords(page.words));
  const wanted = spell(text).text;
  const start = places.first(wanted);
  if (start === undefined) return [];
  const from = firstOf(ends.length, (word) => ends[word]! > start);
  const to = firstOf(ends.length, (word) => ends[word]! >= start + wanted.length);
  return lineBoxes(page.words.slice(from, to + 1));
}

/** Returns one box for each line of the words, which are in reading order. */
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

export function rounded(box: Box): Box {
  const round = (value: number) => Math.round(value * 100) / 100;
  return { x: round(box.x), y: round(box.y), w: round(box.w), h: round(box.h) };
}
