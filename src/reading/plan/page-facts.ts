import type { Block, Box, Figure } from '#src/documents/document.ts';
import type { StoredPage } from '#src/documents/page-store.ts';

// What is told of a page that the parser has laid out, for rules that ask for it.

/** From this share of the page on a picture is the page itself: a scan. */
export const FULL_PAGE = 0.8;

/** What is no logo, rule or spacer, in the order of the page. */
export const picturesOf = ({ figures }: StoredPage): Figure[] =>
  figures.filter(({ isLikelyNoise }) => !isLikelyNoise);

/** The share of the page that the picture covers; 0 where nobody knows. */
export function coverOf({ box }: { box?: Box }, { width, height }: StoredPage): number {
  return box && width > 0 && height > 0 ? (box.w * box.h) / (width * height) : 0;
}

/** Pictures on the page, beside one that is the page itself. */
export const smallPicturesOf = (page: StoredPage): Figure[] =>
  picturesOf(page).filter((figure) => coverOf(figure, page) < FULL_PAGE);

export const blocksOf = ({ blocks }: StoredPage, type: Block['type']): Block[] =>
  blocks.filter((block) => block.type === type);

/** Words of two characters or more, as their writers part them. */
export const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word.length > 1);

/** Words that are numbers, with the signs that are written beside digits. */
export const numbersOf = (text: string): string[] =>
  text.split(/\s+/).filter((word) => /\d/.test(word) && /^[\p{Sc}(+-]?[\d.,'’/:%-]+[)\p{Sc}%]?$/u.test(word));

/** No page of plain text has so many. */
const MOST_BLOCKS = 500;

/** Whether two blocks stand beside each other: text in columns. */
export function hasColumns({ blocks }: StoredPage): boolean {
  const boxes = blocks.flatMap(({ type, box }) =>
    box && type !== 'header' && type !== 'footer' ? [box] : [],
  );
  if (boxes.length > MOST_BLOCKS) return true;
  const sorted = boxes.toSorted((a, b) => a.y - b.y);
  return sorted.some((box, at) => {
    // Those that begin below its end cannot be beside it.
    for (let next = at + 1; next < sorted.length && sorted[next]!.y < box.y + box.h; next += 1) {
      if (isBeside(box, sorted[next]!)) return true;
    }
    return false;
  });
}

/** Shares at least half of the lower one's height, and nothing of its width. */
function isBeside(a: Box, b: Box): boolean {
  const shared = Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y);
  const isApart = a.x + a.w <= b.x || b.x + b.w <= a.x;
  return isApart && shared > Math.min(a.h, b.h) / 2;
}
