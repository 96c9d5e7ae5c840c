import type { ParseParameters } from './parameters/parameters.ts';

/** Edges in points, from the page's top left. */
export interface ReadingArea {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

/** The page's part to read, from the fractions that are cut off each side. */
export function readingArea(parameters: ParseParameters, width: number, height: number): ReadingArea {
  const parts = (parameters.bounding_box ?? '').split(',').map((part) => Number.parseFloat(part));
  const [top = 0, right = 0, bottom = 0, left = 0] =
    parts.length === 4 && parts.every(Number.isFinite) ? parts : [];
  const cut = (side: number | null | undefined, fallback: number) =>
    Math.min(1, Math.max(0, side ?? fallback));
  return {
    x0: width * cut(parameters.bbox_left, left),
    y0: height * cut(parameters.bbox_top, top),
    x1: width * (1 - cut(parameters.bbox_right, right)),
    y1: height * (1 - cut(parameters.bbox_bottom, bottom)),
  };
}

/** Whether the parameters cut anything off a page. */
export function isCut(parameters: ParseParameters): boolean {
  const { x0, y0, x1, y1 } = readingArea(parameters, 1, 1);
  return x0 > 0 || y0 > 0 || x1 < 1 || y1 < 1;
}
