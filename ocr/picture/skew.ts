import type { Shape } from '#src/images/ink-shapes.ts';
import type { Gray } from './gray.ts';

/** Largest angle in degrees by which lines of text may be inclined, and the step between tried angles. */
const MAX_SKEW = 12;
const STEP = 0.25;
/** Minimum number of letters for measuring the skew. */
const MIN_LETTERS = 40;
/** Maximum number of letters that are examined. More letters do not make the angle more exact. */
const MAX_LETTERS = 3_000;
/** Minimum factor by which the best angle must be better than no rotation. */
const CLEARLY_BETTER = 1.15;

/**
 * Measures by how many degrees the lines of text are inclined. Positive angles are clockwise. Letters of one
 * line have a common baseline, so at the right angle the lower edges of letters fall into few rows. Returns 0
 * if the lines are level or the picture has too few letters.
 */
export function measureSkew(letters: readonly Shape[], letterHeight: number): number {
  if (letters.length < MIN_LETTERS) return 0;
  const every = Math.ceil(letters.length / MAX_LETTERS);
  const points = letters
    .filter((_, at) => at % every === 0)
    .map(({ x0, x1, y1 }) => ({ x: (x0 + x1) / 2, y: y1 }));
  const row = Math.max(2, letterHeight / 4);
  let [best, angle] = [0, 0];
  for (let degrees = -MAX_SKEW; degrees <= MAX_SKEW; degrees += STEP) {
    const score = scoreAngle(points, degrees, row);
    if (score > best) [best, angle] = [score, degrees];
  }
  return best > CLEARLY_BETTER * scoreAngle(points, 0, row) ? angle : 0;
}

/** Sums up the squares of the numbers of points per row, which is largest if all points lie in few rows. */
function scoreAngle(points: readonly { x: number; y: number }[], degrees: number, row: number): number {
  const slope = Math.tan((degrees * Math.PI) / 180);
  const counts = new Map<number, number>();
  for (const { x, y } of points) {
    const at = Math.floor((y - x * slope) / row);
    counts.set(at, (counts.get(at) ?? 0) + 1);
  }
  let sum = 0;
  for (const count of counts.values()) sum += count * count;
  return sum;
}

/**
 * Rotates a picture by a small angle in degrees, clockwise for positive angles, around its middle. The size
 * stays the same, and uncovered corners become white.
 */
export function rotatePicture({ width, height, data }: Gray, degrees: number): Gray {
  const [sin, cos] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)];
  const [middleX, middleY] = [(width - 1) / 2, (height - 1) / 2];
  const rotated = new Uint8Array(data.length).fill(255);
  for (let y = 0; y < height; y++) {
    const down = y - middleY;
    for (let x = 0; x < width; x++) {
      const across = x - middleX;
      const fromX = middleX + across * cos + down * sin;
      const fromY = middleY - across * sin + down * cos;
      const [left, top] = [Math.floor(fromX), Math.floor(fromY)];
      if (left < 0 || top < 0 || left + 1 >= width || top + 1 >= height) continue;
      const [right, bottom] = [fromX - left, fromY - top];
      const at = top * width + left;
      const above = data[at]! * (1 - right) + data[at + 1]! * right;
      const below = data[at + width]! * (1 - right) + data[at + width + 1]! * right;
      rotated[y * width + x] = above * (1 - bottom) + below * bottom;
    }
  }
  return { width, height, data: rotated };
}

/** Returns the point of the original picture that `rotatePicture` has moved to `x`, `y`. */
export function unrotatePoint(
  { width, height }: Gray,
  degrees: number,
  x: number,
  y: number,
): { x: number; y: number } {
  const [sin, cos] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)];
  const [middleX, middleY] = [(width - 1) / 2, (height - 1) / 2];
  const [across, down] = [x - middleX, y - middleY];
  return { x: middleX + across * cos + down * sin, y: middleY - across * sin + down * cos };
}
