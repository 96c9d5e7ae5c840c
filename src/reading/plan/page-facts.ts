import type { Block, Box, Figure } from '#src/documents/document.ts';
import type { StoredPage } from '#src/documents/page-store.ts';

// Facts about a parsed page that rules refer to.

/** Share of the page from which a picture counts as a scan of the page. */
export const FULL_PAGE = 0.8;

/** Returns pictures except logos, rules and spacers, in page order. */
export const picturesOf = ({ figures }: StoredPage): Figure[] =>
  figures.filter(({ isLikelyNoise }) => !isLikelyNoise);

/** Returns the share of the page that the picture covers; 0 if unknown. */
export function coverOf({ box }: { box?: Box }, { width, height }: StoredPage): number {
  return box && width > 0 && height > 0 ? (box.w * box.h) / (width * height) : 0;
}

/** Returns the pictures of the page, except one that is the scanned page itself. */
export const smallPicturesOf = (page: StoredPage): Figure[] =>
  picturesOf(page).filter((figure) => coverOf(figure, page) < FULL_PAGE);

export const blocksOf = ({ blocks }: StoredPage, type: Block['type']): Block[] =>
  blocks.filter((block) => block.type === type);

/** Splits text at white space and returns words of at least two characters. */
export const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word.length > 1);

/** Returns words that are numbers, with their signs. */
export const numbersOf = (text: string): string[] =>
  text.split(/\s+/).filter((word) => /\d/.test(word) && /^[\p{Sc}(+-]?[\d.,'’/:%-]+[)\p{Sc}%]?$/u.test(word));

/** Maximum number of blocks; no page of plain text has more. */
const MOST_BLOCKS = 500;

/** Returns whether two blocks stand beside each other, as in columns. */
export function hasColumns({ blocks }: StoredPage): boolean {
  const boxes = blocks.flatMap(({ type, box }) =>
    box && type !== 'header' && type !== 'footer' ? [box] : [],
  );
  if (boxes.length > MOST_BLOCKS) return true;
  const sorted = boxes.toSorted((a, b) => a.y - b.y);
  return sorted.some((box, at) => {
    // Blocks that begin below its end cannot be beside it.
    for (let next = at + 1; next < sorted.length && sorted[next]!.y < box.y + box.h; next += 1) {
      if (isBeside(box, sorted[next]!)) return true;
    }
    return false;
  });
}

/** Requires an overlap of half of the smaller height, and none of the widths. */
function isBeside(a: Box, b: Box): boolean {
  const shared = Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y);
  const isApart = a.x + a.w <= b.x || b.x + b.w <= a.x;
  return isApart && shared > Math.min(a.h, b.h) / 2;
}
