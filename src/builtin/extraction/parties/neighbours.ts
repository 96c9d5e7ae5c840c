import { getHorizontalOverlap, type Line, type Segment } from '../layout.ts';

/** Returns the nearest text in the same column above a segment. Returns undefined if none is near. */
export const findSegmentAbove = (segment: Segment) => findNeighbour(segment, -1);
export const findSegmentBelow = (segment: Segment) => findNeighbour(segment, 1);

/**
 * Returns the nearest text in the same column above or below. Up to two lines of other columns may be in
 * between. Returns undefined if there is none.
 */
function findNeighbour(segment: Segment, step: 1 | -1): Segment | undefined {
  for (let away = 1; away <= 3; away++) {
    const line = segment.page.lines[segment.line + step * away];
    if (!line || getGap(segment, line) > segment.box.h * 2.3) return undefined;
    const found = line.segments.find((other) => isAligned(other, segment));
    if (found || !segment.page.measured) return found;
  }
  return undefined;
}

function getGap(segment: Segment, line: Line): number {
  const [upper, lower] =
    line.y < segment.box.y ? [line.y + line.h, segment.box.y] : [segment.box.y + segment.box.h, line.y];
  return lower - upper;
}

/**
 * Returns whether two texts have the same left edge or centre, or one lies completely within the width of the
 * other.
 */
function isAligned(left: Segment, right: Segment): boolean {
  const middle = (segment: Segment) => segment.box.x + segment.box.w / 2;
  return (
    Math.abs(left.box.x - right.box.x) < 8 ||
    Math.abs(middle(left) - middle(right)) < 8 ||
    getHorizontalOverlap(left.box, right.box) > 0.9
  );
}
