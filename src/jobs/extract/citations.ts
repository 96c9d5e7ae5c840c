import type { Box, Page, Word } from '../../ingest/parsing/document.ts';
import type { Citation } from './evidence.ts';

/**
 * Keeps the candidates whose text is found on the page they name and gives them the boxes of the words they
 * consist of. A candidate without a page is looked for on all of them. Comparison ignores case, white space
 * and compatibility forms; everything else must agree.
 */
export function verifyCitations(
  pages: Page[],
  candidates: (Omit<Citation, 'page'> & { page?: number })[],
): Citation[] {
  const out: Citation[] = [];
  for (const candidate of candidates) {
    const wanted = comparable(candidate.matching_text);
    if (wanted === '') continue;
    const page = pages.find(
      (item) => (candidate.page === undefined || item.index + 1 === candidate.page) && contains(item, wanted),
    );
    if (!page) continue;
    const boxes = candidate.bounding_boxes ?? boxesOf(page.words, wanted);
    const citation: Citation = { page: page.index + 1, matching_text: candidate.matching_text.trim() };
    if (boxes.length > 0) citation.bounding_boxes = boxes.map(rounded);
    if (page.width > 0 && page.height > 0)
      citation.page_dimensions = { width: page.width, height: page.height };
    const double = out.some((other) => JSON.stringify(other) === JSON.stringify(citation));
    if (!double) out.push(citation);
  }
  return out;
}

function comparable(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\u00ad/g, '')
    .replace(/\s+/g, '')
    .toLowerCase();
}

const CACHE = new WeakMap<Page, string>();

function contains(page: Page, wanted: string): boolean {
  let text = CACHE.get(page);
  if (text === undefined) {
    text = comparable(page.text);
    CACHE.set(page, text);
  }
  return text.includes(wanted);
}

/** The boxes, one per line, of the first run of words that spells the text; none when no run does. */
export function boxesOf(words: Word[], wanted: string): Box[] {
  const spelled = words.map((word) => comparable(word[0]));
  for (let start = 0; start < words.length; start++) {
    const first = spelled[start]!;
    if (first === '') continue;
    // A value may begin inside a word ("(EUR" or "No.123") and end inside one.
    const into = offsetInside(first, wanted);
    if (into < 0) continue;
    let text = first.slice(into);
    let end = start;
    while (text.length < wanted.length && end + 1 < words.length && wanted.startsWith(text)) {
      end++;
      text += spelled[end];
    }
    if (text.startsWith(wanted)) return lineBoxes(words.slice(start, end + 1));
  }
  return [];
}

function offsetInside(word: string, wanted: string): number {
  const inside = word.indexOf(wanted);
  if (inside >= 0) return inside;
  for (let from = 0; from < word.length; from++) if (wanted.startsWith(word.slice(from))) return from;
  return -1;
}

function lineBoxes(words: Word[]): Box[] {
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

function rounded(box: Box): Box {
  const round = (value: number) => Math.round(value * 100) / 100;
  return { x: round(box.x), y: round(box.y), w: round(box.w), h: round(box.h) };
}
