import type { Box } from '#src/documents/document.ts';

/** Edges of a rectangle in points from the page's top left corner. `y` grows downwards. */
export interface Rect {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

/** Mapping from PDF page coordinates (origin at the bottom left, before rotation) to the displayed page. */
export interface PageFrame {
  left: number;
  bottom: number;
  right: number;
  top: number;
  /** Rotation of the page in clockwise quarter turns. */
  rotation: number;
  width: number;
  height: number;
}

export function pointToDisplay(frame: PageFrame, x: number, y: number): [x: number, y: number] {
  switch (frame.rotation) {
    case 1:
      return [y - frame.bottom, x - frame.left];
    case 2:
      return [frame.right - x, y - frame.bottom];
    case 3:
      return [frame.top - y, frame.right - x];
    default:
      return [x - frame.left, frame.top - y];
  }
}

export function rectToDisplay(frame: PageFrame, x0: number, y0: number, x1: number, y1: number): Rect {
  // Most pages are not rotated. This path creates no points, because each letter of a page takes it.
  if (frame.rotation === 0) {
    return {
      x0: Math.min(x0, x1) - frame.left,
      y0: frame.top - Math.max(y0, y1),
      x1: Math.max(x0, x1) - frame.left,
      y1: frame.top - Math.min(y0, y1),
    };
  }
  const [ax, ay] = pointToDisplay(frame, x0, y0);
  const [bx, by] = pointToDisplay(frame, x1, y1);
  return { x0: Math.min(ax, bx), y0: Math.min(ay, by), x1: Math.max(ax, bx), y1: Math.max(ay, by) };
}

const round = (points: number) => Math.round(points * 100) / 100;

export function toBox({ x0, y0, x1, y1 }: Rect): Box {
  return { x: round(x0), y: round(y0), w: round(x1 - x0), h: round(y1 - y0) };
}

export function union(rects: readonly Rect[]): Rect {
  const whole = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity };
  for (const rect of rects) {
    if (rect.x0 < whole.x0) whole.x0 = rect.x0;
    if (rect.y0 < whole.y0) whole.y0 = rect.y0;
    if (rect.x1 > whole.x1) whole.x1 = rect.x1;
    if (rect.y1 > whole.y1) whole.y1 = rect.y1;
  }
  return whole;
}

export function containsCenter(outer: Rect, inner: Rect): boolean {
  const x = (inner.x0 + inner.x1) / 2;
  const y = (inner.y0 + inner.y1) / 2;
  return x >= outer.x0 && x <= outer.x1 && y >= outer.y0 && y <= outer.y1;
}

export function intersect(a: Rect, b: Rect): Rect | undefined {
  const rect = {
    x0: Math.max(a.x0, b.x0),
    y0: Math.max(a.y0, b.y0),
    x1: Math.min(a.x1, b.x1),
    y1: Math.min(a.y1, b.y1),
  };
  return rect.x1 > rect.x0 && rect.y1 > rect.y0 ? rect : undefined;
}

export const centerX = ({ x0, x1 }: Rect) => (x0 + x1) / 2;
export const centerY = ({ y0, y1 }: Rect) => (y0 + y1) / 2;
export const overlapX = (a: Rect, b: Rect) => Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0);
export const overlapY = (a: Rect, b: Rect) => Math.min(a.y1, b.y1) - Math.max(a.y0, b.y0);

/** Returns whether a rule is horizontal, judged by its longer side. */
export const isHorizontal = (rect: Rect) => rect.x1 - rect.x0 >= rect.y1 - rect.y0;

/** Rotates a rectangle by quarter turns, so that text in this direction reads from left to right. */
export function rotateRect(rect: Rect, turns: number, width: number, height: number): Rect {
  switch (turns) {
    case 1:
      return { x0: height - rect.y1, y0: rect.x0, x1: height - rect.y0, y1: rect.x1 };
    case 2:
      return { x0: width - rect.x1, y0: height - rect.y1, x1: width - rect.x0, y1: height - rect.y0 };
    case 3:
      return { x0: rect.y0, y0: width - rect.x1, x1: rect.y1, y1: width - rect.x0 };
    default:
      return rect;
  }
}

export function median(values: number[]): number {
  if (values.length === 0) return 0;
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1]!;
}
