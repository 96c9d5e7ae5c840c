import type { Rect } from '#src/formats/pdf/geometry.ts';

/** Maximum difference in points between the ends of lines that enclose the same table. */
const TOLERANCE = 5;
/** Maximum number of horizontal lines that are compared with each other. Drawings have more. */
const MAX_LINES = 300;

const isAcross = ({ x0, y0, x1, y1 }: Rect) => x1 - x0 > y1 - y0;

/**
 * Adds lines at the left and right of tables that have lines between their columns and none at their sides. The lines
 * above and below such a table show its width.
 */
export function closeOpenSides(rules: readonly Rect[]): Rect[] {
  const across = rules.filter(isAcross).toSorted((a, b) => a.y0 - b.y0);
  if (across.length > MAX_LINES) return [...rules];
  const upright = rules.filter((rule) => !isAcross(rule));
  const isSameWidth = (a: Rect, b: Rect) =>
    Math.abs(a.x0 - b.x0) <= TOLERANCE && Math.abs(a.x1 - b.x1) <= TOLERANCE;
  const added: Rect[] = [];
  for (const [at, top] of across.entries()) {
    const bottom = across.slice(at + 1).find((other) => isSameWidth(top, other));
    if (!bottom) continue;
    const divides = ({ x0, y0, x1, y1 }: Rect) =>
      x0 > top.x0 + TOLERANCE &&
      x1 < top.x1 - TOLERANCE &&
      Math.min(y1, bottom.y1) - Math.max(y0, top.y0) > 0.5 * (bottom.y0 - top.y1);
    if (!upright.some(divides)) continue;
    for (const x of [top.x0, top.x1]) added.push({ x0: x, y0: top.y0, x1: x + 1, y1: bottom.y1 });
  }
  return [...rules, ...added];
}
