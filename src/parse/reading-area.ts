import type { PageMargins } from './parameters/pages.ts';

/** Edges in points, from the page's top left. */
export interface ReadingArea {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

/** Returns the part of a page that is read. Width and height of the page are in points. */
export function readingArea(
  { top, right, bottom, left }: PageMargins,
  width: number,
  height: number,
): ReadingArea {
  return { x0: width * left, y0: height * top, x1: width * (1 - right), y1: height * (1 - bottom) };
}

/** Returns whether anything is cut off a page. */
export const isCut = ({ top, right, bottom, left }: PageMargins): boolean => top + right + bottom + left > 0;
