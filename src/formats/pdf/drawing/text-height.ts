import { chooseThreshold, findShapes, type GrayPicture } from '#src/images/ink-shapes.ts';

/**
 * Minimum and maximum letter height in pixels. Smaller shapes are specks, and larger ones are pictures or
 * lines.
 */
const MIN_HEIGHT = 4;
const MAX_HEIGHT = 80;
const MIN_WIDTH = 2;
/** Maximum ratio of a shape's width to its height. Wider shapes are lines of touching letters. */
const MAX_WIDTH_RATIO = 3;
/** Minimum number of letter shapes for a measurement. */
const MIN_SHAPES = 25;
/**
 * Measures the height of small letters in pixels, from the heights of connected dark shapes. Most letters of
 * a text have no part above the x-height. `share` is the share of shapes, from 0 to 1, that are at most as
 * high as the result. A low share finds small print on a part of the page. Returns `undefined` if the picture
 * has too few letter shapes.
 */
export function measureTextHeight(picture: GrayPicture, share: number): number | undefined {
  const shapes = findShapes(picture, chooseThreshold(picture.data));
  const heights = shapes
    .filter(({ x0, y0, x1, y1 }) => {
      const [width, height] = [x1 - x0, y1 - y0];
      const isSized = height >= MIN_HEIGHT && height <= MAX_HEIGHT && width >= MIN_WIDTH;
      return isSized && width <= MAX_WIDTH_RATIO * height;
    })
    .map(({ y0, y1 }) => y1 - y0)
    .sort((a, b) => a - b);
  return heights.length < MIN_SHAPES ? undefined : heights[Math.floor(heights.length * share)];
}
