import type { Block } from '#src/documents/document.ts';
import type { Rect } from '../geometry.ts';
import { containsCenter, intersect, union } from '../geometry.ts';
import type { PageScan } from '../scan.ts';

/** Maximum distance in points between parts of one drawing. */
const GAP = 14;
/** Margin in points around a drawing that includes its labels. */
const MARGIN = 22;
const SMALLEST_SIDE = 60;
/** Maximum share of the page. A larger shape is a frame or background. */
const LARGEST_SHARE = 0.85;
/**
 * Minimum number of curves and filled boxes in a drawing, or one curve among several parts. Lines alone may
 * also be a form or a table.
 */
const FEWEST_PARTS = 3;
const THIN = 3;
const MOST_DRAWINGS = 16;
/** Maximum number of parts that are grouped. */
const MOST_PARTS = 2_000;

/**
 * Returns the regions of possible charts and diagrams, including labels. Tables and frames around text are
 * excluded.
 */
export function drawingsOf(
  { shapes, frame }: PageScan,
  blocks: readonly Pick<Block, 'type' | 'box'>[],
): Rect[] {
  const { width, height } = frame;
  const tables = blocks.flatMap(({ type, box }) =>
    type === 'table' && box ? [{ x0: box.x, y0: box.y, x1: box.x + box.w, y1: box.y + box.h }] : [],
  );
  const parts = shapes
    .filter(({ rect }) => (rect.x1 - rect.x0) * (rect.y1 - rect.y0) < LARGEST_SHARE * width * height)
    .slice(0, MOST_PARTS);
  return clustersOf(parts)
    .filter((cluster) => {
      const telling = cluster.filter(
        ({ rect, isCurved }) => isCurved || Math.min(rect.x1 - rect.x0, rect.y1 - rect.y0) > THIN,
      );
      return (
        telling.length >= FEWEST_PARTS || (cluster.length > 1 && telling.some(({ isCurved }) => isCurved))
      );
    })
    .map((cluster) => union(cluster.map(({ rect }) => rect)))
    .filter(({ x0, y0, x1, y1 }) => x1 - x0 >= SMALLEST_SIDE && y1 - y0 >= SMALLEST_SIDE)
    .filter((drawing) => !tables.some((table) => containsCenter(table, drawing)))
    .slice(0, MOST_DRAWINGS)
    .map(({ x0, y0, x1, y1 }) => ({
      x0: Math.max(0, x0 - MARGIN),
      y0: Math.max(0, y0 - MARGIN),
      x1: Math.min(width, x1 + MARGIN),
      y1: Math.min(height, y1 + MARGIN),
    }));
}

/** Groups parts that are near each other by sweeping down the page. */
function clustersOf<Part extends { rect: Rect }>(parts: readonly Part[]): Part[][] {
  let clusters: { area: Rect; parts: Part[] }[] = [];
  for (const part of parts.toSorted((a, b) => a.rect.y0 - b.rect.y0)) {
    const { x0, y0, x1, y1 } = part.rect;
    const reach = { x0: x0 - GAP, y0: y0 - GAP, x1: x1 + GAP, y1: y1 + GAP };
    const near = clusters.filter(({ area }) => intersect(area, reach));
    const joined = { area: union([part.rect, ...near.map(({ area }) => area)]), parts: [part] };
    for (const each of near) for (const other of each.parts) joined.parts.push(other);
    if (near.length > 0) clusters = clusters.filter((each) => !near.includes(each));
    clusters.push(joined);
  }
  return clusters.map((cluster) => cluster.parts);
}
