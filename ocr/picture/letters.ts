import { chooseThreshold, findShapes, type Shape } from '#src/images/ink-shapes.ts';
import type { Gray } from './gray.ts';
import { resizePicture } from './resize.ts';

/** Maximum number of pixels of the picture in which letters are searched. Larger pictures are reduced. */
const MAX_PIXELS = 4_000_000;
/** Minimum and maximum height of a letter in pixels. Smaller shapes are specks, and larger ones pictures. */
const MIN_HEIGHT = 5;
const MAX_HEIGHT = 120;
const MIN_WIDTH = 2;
/** Maximum ratio of the longer to the shorter side of a letter or of a few letters that touch. */
const MAX_RATIO = 5;
/** Limits of the brightness below which a pixel counts as ink, from 0 to 255. */
const [LOWEST_THRESHOLD, HIGHEST_THRESHOLD] = [140, 190];
/** Maximum ratio of a letter's height to the median height. Larger shapes are rarely letters. */
const MAX_TIMES_MEDIAN = 4;

export interface Letters {
  /** Boxes of shapes that may be letters, in pixels of the picture. */
  shapes: Shape[];
  /** Usual height of the shapes in pixels. 0 if there are none. */
  height: number;
}

/** Finds the shapes of a picture that have the size of letters. */
export function findLetters(picture: Gray): Letters {
  const scale = Math.min(1, Math.sqrt(MAX_PIXELS / (picture.width * picture.height)));
  const reduced = resizePicture(
    picture,
    Math.max(1, Math.round(picture.width * scale)),
    Math.max(1, Math.round(picture.height * scale)),
  );
  const otsu = chooseThreshold(reduced.data);
  const threshold = Math.min(HIGHEST_THRESHOLD, Math.max(LOWEST_THRESHOLD, otsu));
  const shapes = findShapes(reduced, threshold).filter(hasSizeOfLetter);
  const median = findMedianHeight(shapes);
  const enlarge = ({ x0, y0, x1, y1 }: Shape): Shape => ({
    x0: x0 / scale,
    y0: y0 / scale,
    x1: x1 / scale,
    y1: y1 / scale,
  });
  return {
    shapes: shapes.filter(({ y0, y1 }) => y1 - y0 <= MAX_TIMES_MEDIAN * median).map(enlarge),
    height: median / scale,
  };
}

function hasSizeOfLetter({ x0, y0, x1, y1 }: Shape): boolean {
  const [width, height] = [x1 - x0, y1 - y0];
  const ratio = Math.max(width / height, height / width);
  return height >= MIN_HEIGHT && height <= MAX_HEIGHT && width >= MIN_WIDTH && ratio <= MAX_RATIO;
}

/**
 * Returns the height at which half of the sum of all heights is reached. Specks of dust, which may be more
 * frequent than letters, count less than in a usual median.
 */
function findMedianHeight(shapes: readonly Shape[]): number {
  const heights = shapes.map(({ y0, y1 }) => y1 - y0).sort((a, b) => a - b);
  let left = heights.reduce((sum, height) => sum + height, 0) / 2;
  for (const height of heights) {
    left -= height;
    if (left <= 0) return height;
  }
  return 0;
}
