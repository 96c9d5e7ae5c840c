import type { Block } from '#src/documents/document.ts';
import type { Rect } from '../geometry.ts';
import { containsCenter, intersect, union } from '../geometry.ts';
import type { PageScan } from '../scan.ts';

/** Maximum distance in points between parts of the same drawing. */
const GAP = 14;
/** Margin in points around a drawing, which includes its labels. */
const MARGIN = 22;
const MIN_SIDE = 60;
/** Maximum share of the page that a shape may cover. A larger shape is a frame or background. */
const MAX_SHARE = 0.85;
/**
 * Minimum number of curves and filled boxes in a drawing. One curve among several parts also suffices. Lines
 * alone may be a form or a table.
 */
const MIN_PARTS = 3;
const THIN = 3;
const MAX_DRAWINGS = 16;
/** Maximum number of parts that are grouped. */
const MAX_PARTS = 2_000;

/**
 * Finds regions that may be charts or diagrams, including their labels. Tables and frames around text are
 * excluded.
 */
export function findDrawings(
  { shapes, frame }: PageScan,
  blocks: readonly Pick<Block, 'type' | 'box'>[],
): Rect[] {
  const { width, height } = frame;
  const tables = blocks.flatMap(({ type, box }) =>
    type === 'table' && box ? [{ x0: box.x, y0: box.y, x1: box.x + box.w, y1: box.y + box.h }] : [],
  );
  const parts = shapes
    .filter(({ rect }) => (rect.x1 - rect.x0) * (rect.y1 - rect.y0) < MAX_SHARE * width * height)
    .slice(0, MAX_PARTS);
  return groupNearbyParts(parts)
    .filter((cluster) => {
      const significant = cluster.filter(
        ({ rect, isCurved }) => isCurved || Math.min(rect.x1 - rect.x0, rect.y1 - rect.y0) > THIN,
      );
      return (
        significant.length >= MIN_PARTS ||
        (cluster.length > 1 && significant.some(({ isCurved }) => isCurved))
      );
    })
    .map((cluster) => union(cluster.map(({ rect }) => rect)))
    .filter(({ x0, y0, x1, y1 }) => x1 - x0 >= MIN_SIDE && y1 - y0 >= MIN_SIDE)
    .filter((drawing) => !tables.some((table) => containsCenter(table, drawing)))
    .slice(0, MAX_DRAWINGS)
    .map(({ x0, y0, x1, y1 }) => ({
      x0: Math.max(0, x0 - MARGIN),
      y0: Math.max(0, y0 - MARGIN),
      x1: Math.min(width, x1 + MARGIN),
      y1: Math.min(height, y1 + MARGIN),
    }));
}

/** Groups parts that are near each other, in order from the top of the page. */
function groupNearbyParts<Part extends { rect: Rect }>(parts: readonly Part[]): Part[][] {
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
