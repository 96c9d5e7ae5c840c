import type { Block, Box, Figure } from '#src/documents/document.ts';
import type { StoredPage } from '#src/documents/page-store.ts';

/** Share of the page's area, from 0 to 1, from which a picture counts as a scan of the whole page. */
export const FULL_PAGE_SHARE = 0.8;

/** Returns the pictures of a page in order, without logos, lines and spacers. */
export const listRelevantFigures = ({ figures }: StoredPage): Figure[] =>
  figures.filter(({ isLikelyNoise }) => !isLikelyNoise);

/**
 * Returns the share of the page's area that a box covers, from 0 to 1. Returns 0 if the box or the page size
 * is unknown.
 */
export function getCoverage({ box }: { box?: Box }, { width, height }: StoredPage): number {
  return box && width > 0 && height > 0 ? (box.w * box.h) / (width * height) : 0;
}

/** Returns the pictures of a page, except scans of the whole page. */
export const listPartialFigures = (page: StoredPage): Figure[] =>
  listRelevantFigures(page).filter((figure) => getCoverage(figure, page) < FULL_PAGE_SHARE);

export const filterBlocks = ({ blocks }: StoredPage, type: Block['type']): Block[] =>
  blocks.filter((block) => block.type === type);

export const splitIntoWords = (text: string): string[] => text.split(/\s+/).filter((word) => word.length > 1);

/** Returns the numbers in a text. A number may have a sign, currency symbol or percent sign. */
export const findNumbers = (text: string): string[] =>
  text.split(/\s+/).filter((word) => /\d/.test(word) && /^[\p{Sc}(+-]?[\d.,'’/:%-]+[)\p{Sc}%]?$/u.test(word));

/**
 * Number of blocks above which a page is assumed to have columns without being checked. Pages of plain text
 * have fewer blocks.
 */
const MAX_BLOCKS = 500;

export function hasColumns({ blocks }: StoredPage): boolean {
  const boxes = blocks.flatMap(({ type, box }) =>
    box && type !== 'header' && type !== 'footer' ? [box] : [],
  );
  if (boxes.length > MAX_BLOCKS) return true;
  const sorted = boxes.toSorted((a, b) => a.y - b.y);
  return sorted.some((box, at) => {
    // Blocks are sorted from top to bottom. The first block that begins below this one ends the search,
    // because all further blocks begin even lower.
    for (let next = at + 1; next < sorted.length && sorted[next]!.y < box.y + box.h; next += 1) {
      if (areSideBySide(box, sorted[next]!)) return true;
    }
    return false;
  });
}

/**
 * Returns whether two boxes are side by side. They must not overlap horizontally, and must overlap vertically
 * by more than half of the smaller height.
 */
function areSideBySide(a: Box, b: Box): boolean {
  const shared = Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y);
  const isApart = a.x + a.w <= b.x || b.x + b.w <= a.x;
  return isApart && shared > Math.min(a.h, b.h) / 2;
}
