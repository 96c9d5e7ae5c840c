import { findShapes } from '#src/images/ink-shapes.ts';
import type { Area, Gray } from './gray.ts';
import { resizePicture } from './resize.ts';

/** Maximum number of pixels of the picture in which lines are searched. Larger pictures are reduced. */
const MAX_PIXELS = 4_000_000;
/** Brightness below which a pixel counts as part of a line. */
const THRESHOLD = 180;
/** Minimum length of a straight piece of a line, and of a whole line, in letter heights. */
const [MIN_PIECE, MIN_LENGTH] = [2.5, 4];
/** Maximum thickness of a line, as a share of its length and in letter heights. */
const [MAX_THICKNESS_SHARE, MAX_THICKNESS] = [0.08, 0.7];
/** Maximum number of lines. A picture with more of them is a drawing or a pattern. */
const MAX_RULES = 600;

/**
 * Finds the horizontal and vertical lines of a picture, such as the borders of a table. Returns an empty list
 * if there are too many.
 */
export function findRules(picture: Gray, letterHeight: number): Area[] {
  const scale = Math.min(1, Math.sqrt(MAX_PIXELS / (picture.width * picture.height)));
  const reduced = resizePicture(
    picture,
    Math.max(1, Math.round(picture.width * scale)),
    Math.max(1, Math.round(picture.height * scale)),
  );
  const unit = Math.max(4, letterHeight * scale);
  const horizontal = findLevelRules(reduced, unit);
  const vertical = findLevelRules(transpose(reduced), unit).map(({ x, y, w, h }) => ({
    x: y,
    y: x,
    w: h,
    h: w,
  }));
  const rules = [...horizontal, ...vertical];
  if (rules.length > MAX_RULES) return [];
  return rules.map(({ x, y, w, h }) => ({ x: x / scale, y: y / scale, w: w / scale, h: h / scale }));
}

/** Finds lines along the rows of a picture. Only long dark runs are kept, and touching ones are joined. */
function findLevelRules(picture: Gray, unit: number): Area[] {
  const { width, height, data } = picture;
  const runs = new Uint8Array(data.length).fill(255);
  const shortest = Math.round(MIN_PIECE * unit);
  for (let y = 0; y < height; y++) {
    const at = y * width;
    for (let x = 0; x < width; x++) {
      if (data[at + x]! >= THRESHOLD) continue;
      const from = x;
      while (x < width && data[at + x]! < THRESHOLD) x++;
      if (x - from >= shortest) runs.fill(0, at + from, at + x);
    }
  }
  return findShapes({ width, height, data: runs }, 0)
    .map(({ x0, y0, x1, y1 }) => ({ x: x0, y: y0, w: x1 - x0, h: y1 - y0 }))
    .filter(
      ({ w, h }) =>
        w >= MIN_LENGTH * unit && h <= Math.max(3, Math.min(MAX_THICKNESS * unit, MAX_THICKNESS_SHARE * w)),
    );
}

function transpose({ width, height, data }: Gray): Gray {
  const transposed = new Uint8Array(data.length);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) transposed[x * height + y] = data[y * width + x]!;
  return { width: height, height: width, data: transposed };
}
