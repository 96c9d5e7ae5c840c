/** A gray picture with one byte per pixel. */
export interface GrayPicture {
  width: number;
  height: number;
  data: Uint8Array;
}

/**
 * Maximum number of dark runs that start a new shape. More of them indicate noise or a photograph, so the
 * rest of the picture is skipped.
 */
const MAX_SHAPE_STARTS = 600_000;

/** Returns the gray level that best separates dark from light pixels (Otsu's method). */
export function chooseThreshold(data: Uint8Array): number {
  const counts = new Uint32Array(256);
  for (const level of data) counts[level]! += 1;
  let sum = 0;
  for (const [level, count] of counts.entries()) sum += level * count;
  let [dark, darkSum, best, threshold] = [0, 0, 0, 127];
  for (const [level, count] of counts.entries()) {
    dark += count;
    darkSum += level * count;
    const light = data.length - dark;
    if (dark === 0 || light === 0) continue;
    const between = dark * light * (darkSum / dark - (sum - darkSum) / light) ** 2;
    if (between > best) [best, threshold] = [between, level];
  }
  return threshold;
}

export interface Shape {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

interface Run {
  from: number;
  to: number;
  shape: number;
}

/** Finds connected dark shapes by joining the dark runs of each row with touching runs in the row above. */
export function findShapes({ width, height, data }: GrayPicture, threshold: number): Shape[] {
  const shapes: Shape[] = [];
  const parents: number[] = [];
  const find = (shape: number): number => {
    let root = shape;
    while (parents[root] !== root) root = parents[root]!;
    for (let at = shape; at !== root; ) [at, parents[at]] = [parents[at]!, root];
    return root;
  };
  const merge = (one: number, other: number): number => {
    const [root, gone] = [find(one), find(other)];
    if (root === gone) return root;
    parents[gone] = root;
    const [into, from] = [shapes[root]!, shapes[gone]!];
    into.x0 = Math.min(into.x0, from.x0);
    into.y0 = Math.min(into.y0, from.y0);
    into.x1 = Math.max(into.x1, from.x1);
    into.y1 = Math.max(into.y1, from.y1);
    return root;
  };
  let above: Run[] = [];
  for (let y = 0; y < height && parents.length < MAX_SHAPE_STARTS; y++) {
    const runs = findRuns(data.subarray(y * width, (y + 1) * width), threshold);
    let next = 0;
    for (const run of runs) {
      while (next < above.length && above[next]!.to < run.from) next++;
      for (let at = next; at < above.length && above[at]!.from <= run.to; at++) {
        run.shape = run.shape < 0 ? find(above[at]!.shape) : merge(run.shape, above[at]!.shape);
      }
      if (run.shape < 0) {
        run.shape = parents.length;
        parents.push(run.shape);
        shapes.push({ x0: run.from, y0: y, x1: run.to, y1: y + 1 });
        continue;
      }
      const shape = shapes[run.shape]!;
      shape.x0 = Math.min(shape.x0, run.from);
      shape.x1 = Math.max(shape.x1, run.to);
      shape.y1 = y + 1;
    }
    above = runs;
  }
  return shapes.filter((_, at) => parents[at] === at);
}

function findRuns(row: Uint8Array, threshold: number): Run[] {
  const runs: Run[] = [];
  for (let x = 0; x < row.length; x++) {
    if (row[x]! > threshold) continue;
    const from = x;
    while (x < row.length && row[x]! <= threshold) x++;
    runs.push({ from, to: x, shape: -1 });
  }
  return runs;
}
