import type { PageMargins } from './parameters/pages.ts';

/** Edges of an area in points from the top left corner of the page. */
export interface ReadingArea {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

/** Returns the area of a page that remains inside the margins. Width and height of the page are in points. */
export function computeReadingArea(
  { top, right, bottom, left }: PageMargins,
  width: number,
  height: number,
): ReadingArea {
  return { x0: width * left, y0: height * top, x1: width * (1 - right), y1: height * (1 - bottom) };
}

/** Returns whether the margins cut anything off a page. */
export const hasMargins = ({ top, right, bottom, left }: PageMargins): boolean =>
  top + right + bottom + left > 0;
