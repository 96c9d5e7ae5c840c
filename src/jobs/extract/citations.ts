import type { Box, Page, Word } from '#src/parsing/document.ts';
import type { Citation } from './evidence.ts';

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
  const out: Citation[] = [];
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
    const double = out.some((other) => JSON.stringify(other) === JSON.stringify(citation));
    if (!double) out.push(citation);
  }
  return out;
}

function find(pages: Page[], text: string): { page: Page; text: string } | undefined {
  const wanted = spell(text).text;
  const holds = (page: Page) => {
    const spelled = cached(TEXTS, page, () => spell(page.text));
    return places(spelled, wanted).next().value !== undefined;
  };
  const page = wanted && pages.find(holds);
  return page ? { page, text } : undefined;
}

/** What Markdown shows: models read pages as Markdown, and copy its marks. No run is read twice: time is linear. */
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

/** A text as it is compared, without white space, and where that was (1). */
interface Spelled {
  text: string;
  breaks: Uint8Array;
}

const plain = (text: string) =>
  text
    .normalize('NFKC')
    .replace(/\u00ad/g, '')
    .toLowerCase();

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

interface SpelledWords extends Spelled {
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
  return { text: parts.join(''), breaks, ends };
}

const TEXTS = new WeakMap<Page, Spelled>();
const WORDS = new WeakMap<Page, SpelledWords>();

function cached<Value>(cache: WeakMap<Page, Value>, page: Page, make: () => Value): Value {
  const known = cache.get(page) ?? make();
  cache.set(page, known);
  return known;
}

/** Where a text stands without being a part of a word or number. */
function* places({ text, breaks }: Spelled, wanted: string): Generator<number, undefined> {
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    if (isEdge(text, breaks, at) && isEdge(text, breaks, at + wanted.length)) yield at;
  }
  return undefined;
}

/** Scripts that write words without spaces have no edges to tell. */
const LETTER = /(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}])\p{L}/u;
const isDigit = (text: string, at: number) => /\d/.test(text.charAt(at));
const isMark = (text: string, at: number) => /[.,'’]/.test(text.charAt(at));

function isEdge(text: string, breaks: Uint8Array, at: number): boolean {
  if (breaks[at] || at === 0) return true;
  if (LETTER.test(text.charAt(at - 1)) && LETTER.test(text.charAt(at))) return false;
  if (isDigit(text, at - 1) && isDigit(text, at)) return false;
  // "12" of "12.50" and "800" of "1,800".
  const endsInside = isDigit(text, at - 1) && isMark(text, at) && isDigit(text, at + 1) && !breaks[at + 1];
  const startsInside = isDigit(text, at - 2) && isMark(text, at - 1) && isDigit(text, at) && !breaks[at - 1];
  return !endsInside && !startsInside;
}

/** The boxes, one per line, of the run of words that spells the text; none when no run does. */
function boxesOf(page: Page, text: string): Box[] {
  const spelled = cached(WORDS, page, () => spellWords(page.words));
  const { breaks, ends } = spelled;
  const wanted = spell(text).text;
  // A value may begin inside a word ("(EUR" or "No.123") and end inside one; whole words are surer.
  let first: number | undefined;
  for (const at of places(spelled, wanted)) {
    const isWhole = (at === 0 || breaks[at]) && breaks[at + wanted.length];
    if (isWhole || first === undefined) first = at;
    if (isWhole) break;
  }
  if (first === undefined) return [];
  const start = first;
  const from = ends.findIndex((end) => end > start);
  const to = ends.findIndex((end) => end >= start + wanted.length);
  return lineBoxes(page.words.slice(from, to + 1));
}

/** One box for each line that the words, in reading order, stand in. */
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
