import type { Block, Box, Figure } from '#src/documents/document.ts';
import type { StoredPage } from '#src/documents/page-store.ts';

// Facts about a parsed page that page rules refer to.

/** Share of the page from which a picture counts as a scan of the whole page. */
export const FULL_PAGE_SHARE = 0.8;

/** Returns the pictures in page order, without logos, rules and spacers. */
export const listRelevantFigures = ({ figures }: StoredPage): Figure[] =>
  figures.filter(({ isLikelyNoise }) => !isLikelyNoise);

/** Returns the share of the page that the box covers, or 0 if it is unknown. */
export function getCoverage({ box }: { box?: Box }, { width, height }: StoredPage): number {
  return box && width > 0 && height > 0 ? (box.w * box.h) / (width * height) : 0;
}

/** Returns the pictures of the page, without scans of the whole page. */
export const listPartialFigures = (page: StoredPage): Figure[] =>
  listRelevantFigures(page).filter((figure) => getCoverage(figure, page) < FULL_PAGE_SHARE);

export const filterBlocks = ({ blocks }: StoredPage, type: Block['type']): Block[] =>
  blocks.filter((block) => block.type === type);

export const splitIntoWords = (text: string): string[] => text.split(/\s+/).filter((word) => word.length > 1);

/** Returns the words that are numbers, including a sign, currency symbol or percent sign. */
export const findNumbers = (text: string): string[] =>
  text.split(/\s+/).filter((word) => /\d/.test(word) && /^[\p{Sc}(+-]?[\d.,'’/:%-]+[)\p{Sc}%]?$/u.test(word));

/**
 * Number of blocks above which a page is assumed to have columns. No page of plain text has as many blocks.
 */
const MAX_BLOCKS = 500;

/** Returns whether two blocks of the page are side by side, as in columns. */
export function hasColumns({ blocks }: StoredPage): boolean {
  const boxes = blocks.flatMap(({ type, box }) =>
    box && type !== 'header' && type !== 'footer' ? [box] : [],
  );
  if (boxes.length > MAX_BLOCKS) return true;
  const sorted = boxes.toSorted((a, b) => a.y - b.y);
  return sorted.some((box, at) => {
    // All further blocks begin below this block, so they cannot be beside it.
    for (let next = at + 1; next < sorted.length && sorted[next]!.y < box.y + box.h; next += 1) {
      if (areSideBySide(box, sorted[next]!)) return true;
    }
    return false;
  });
}

/**
 * Two boxes are side by side if they overlap vertically by more than half of the smaller height and do not
 * overlap horizontally.
 */
function areSideBySide(a: Box, b: Box): boolean {
  const shared = Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y);
  const isApart = a.x + a.w <= b.x || b.x + b.w <= a.x;
  return isApart && shared > Math.min(a.h, b.h) / 2;
}
