import type { Gray } from './gray.ts';

/** Source pixels and weights from which each pixel of a row or column of the result is computed. */
interface Taps {
  /** Number of source pixels per pixel of the result. */
  count: number;
  first: Int32Array;
  weights: Float32Array;
}

/**
 * Scales a picture. Enlarged pictures are interpolated with a cubic curve, which keeps the edges of letters
 * sharp. For reduced pictures, the curve is stretched so that it covers all source pixels.
 */
export function resizePicture(picture: Gray, width: number, height: number): Gray {
  if (width === picture.width && height === picture.height) return picture;
  const across = computeTaps(picture.width, width);
  const down = computeTaps(picture.height, height);
  const rows: Float32Array[] = [];
  const result = new Uint8Array(width * height);
  const sums = new Float32Array(width);
  let nextRow = 0;
  for (let y = 0; y < height; y++) {
    const first = down.first[y]!;
    for (; nextRow < Math.min(picture.height, first + down.count); nextRow++) {
      const kept = rows[nextRow % down.count] ?? new Float32Array(width);
      rows[nextRow % down.count] = kept;
      scaleRow(picture.data.subarray(nextRow * picture.width, (nextRow + 1) * picture.width), across, kept);
    }
    sums.fill(0);
    for (let tap = 0; tap < down.count; tap++) {
      const weight = down.weights[y * down.count + tap]!;
      const row = rows[(first + tap) % down.count];
      if (weight === 0 || !row) continue;
      for (let x = 0; x < width; x++) sums[x]! += weight * row[x]!;
    }
    const at = y * width;
    for (let x = 0; x < width; x++) result[at + x] = Math.max(0, Math.min(255, sums[x]! + 0.5));
  }
  return { width, height, data: result };
}

function scaleRow(row: Uint8Array, { count, first, weights }: Taps, into: Float32Array): void {
  for (let x = 0; x < into.length; x++) {
    let sum = 0;
    const [from, at] = [first[x]!, x * count];
    for (let tap = 0; tap < count; tap++) sum += weights[at + tap]! * (row[from + tap] ?? 0);
    into[x] = sum;
  }
}

function computeTaps(from: number, to: number): Taps {
  const stretch = Math.max(1, from / to);
  const radius = 2 * stretch;
  const count = Math.min(from, Math.ceil(radius * 2) + 1);
  const first = new Int32Array(to);
  const weights = new Float32Array(to * count);
  for (let index = 0; index < to; index++) {
    const middle = ((index + 0.5) * from) / to - 0.5;
    const start = Math.max(0, Math.min(from - count, Math.ceil(middle - radius)));
    first[index] = start;
    let total = 0;
    for (let tap = 0; tap < count; tap++) {
      const weight = weighDistance((start + tap - middle) / stretch);
      weights[index * count + tap] = weight;
      total += weight;
    }
    for (let tap = 0; tap < count; tap++) weights[index * count + tap]! /= total;
  }
  return { count, first, weights };
}

/** Cubic interpolation of Catmull and Rom: the weight of a source pixel at a distance in pixels. */
function weighDistance(distance: number): number {
  const x = Math.abs(distance);
  if (x < 1) return 1.5 * x ** 3 - 2.5 * x ** 2 + 1;
  return x < 2 ? -0.5 * x ** 3 + 2.5 * x ** 2 - 4 * x + 2 : 0;
}
