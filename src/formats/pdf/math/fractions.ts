import type { MathNode } from '#src/formats/shared/math/nodes.ts';
import { centerX, centerY, overlapX, type Rect, union } from '../geometry.ts';
import { AXIS, type Item, UnreadableFormula } from './items.ts';

/** Reads the items of one row. */
export type ReadRow = (items: readonly Item[]) => MathNode;

/** Distance of the first part of a fraction from its bar, and between its further parts, in letter heights. */
const FIRST_GAP = 0.6;
const NEXT_GAP = 0.2;
/** Distance in letter heights by which a part may extend beyond the bar. */
const SLACK = 0.2;

/**
 * Replaces the items above and below horizontal bars by fractions, and the items under the bar of a radical by
 * roots. Short bars come first, because they are parts of what is above or below longer bars.
 */
export function readBars(items: readonly Item[], bars: readonly Rect[], readRow: ReadRow): Item[] {
  let rest = [...items];
  const sorted = bars.toSorted((a, b) => a.x1 - a.x0 - (b.x1 - b.x0));
  for (const [at, bar] of sorted.entries()) rest = readBar(rest, bar, sorted.slice(at + 1), readRow);
  return rest;
}

function readBar(items: readonly Item[], bar: Rect, barriers: readonly Rect[], readRow: ReadRow): Item[] {
  const radical = items.find((item) => item.text === '√' && hasBar(item, bar));
  if (radical) return readRoot(items, radical, bar, readRow);
  const size = items.reduce((most, item) => Math.max(most, item.size), 0);
  const above = grow(items, bar, -1, size, barriers);
  const below = grow(items, bar, 1, size, barriers);
  if (below.length === 0) throw new UnreadableFormula('a bar without a denominator');
  if (above.length === 0) return readOverline(items, below, bar, readRow);
  const parts = [...above, ...below];
  const box = union([...parts, bar]);
  const used = new Set(parts);
  const rest = items.filter((item) => !used.has(item));
  const [over, under] = [union(above), union(below)];
  const widest = Math.max(over.x1 - over.x0, under.x1 - under.x0);
  if (widest < 0.4 * (bar.x1 - bar.x0)) throw new UnreadableFormula('a bar that is longer than its fraction');
  for (const item of rest) {
    const isBeside = overlapX(item, bar) <= SLACK * size;
    if (!isBeside && item.y1 > box.y0 && item.y0 < box.y1)
      throw new UnreadableFormula('a part crosses a bar');
  }
  const partSize = parts.reduce((most, item) => Math.max(most, item.size), 0);
  rest.push({
    ...box,
    node: { kind: 'fraction', over: readRow(above), under: readRow(below), hasLine: true },
    text: '',
    base: centerY(bar) + AXIS * partSize,
    size: partSize,
    kind: 'group',
    upright: false,
    bold: false,
  });
  return rest;
}

/** Collects the items next to a bar, in the direction `side`, up to the first gap. */
function grow(
  items: readonly Item[],
  bar: Rect,
  side: -1 | 1,
  size: number,
  barriers: readonly Rect[],
): Item[] {
  const line = centerY(bar);
  const near = (item: Item) => (side < 0 ? line - item.y1 : item.y0 - line);
  const far = (item: Item) => (side < 0 ? line - item.y0 : item.y1 - line);
  const candidates = items
    .filter((item) => centerX(item) > bar.x0 && centerX(item) < bar.x1 && near(item) > -0.12 * size)
    .filter((item) => item.x0 > bar.x0 - SLACK * size && item.x1 < bar.x1 + SLACK * size)
    .toSorted((a, b) => near(a) - near(b));
  const limit = barriers
    .filter((other) => overlapX(other, bar) > 0)
    .map((other) => (side < 0 ? line - centerY(other) : centerY(other) - line))
    .filter((distance) => distance > 0)
    .reduce((least, distance) => Math.min(least, distance), Infinity);
  const found: Item[] = [];
  let reach = FIRST_GAP * size;
  for (const item of candidates) {
    if (near(item) > reach || near(item) > limit) break;
    found.push(item);
    reach = Math.max(found.length === 1 ? 0 : reach, far(item) + NEXT_GAP * item.size);
  }
  return found;
}

function hasBar(radical: Rect, bar: Rect): boolean {
  const width = radical.x1 - radical.x0;
  return (
    Math.abs(bar.x0 - radical.x1) <= 0.3 * width + 1 &&
    Math.abs(centerY(bar) - radical.y0) <= 0.15 * (radical.y1 - radical.y0) + 0.5
  );
}

function readRoot(items: readonly Item[], radical: Item, bar: Rect, readRow: ReadRow): Item[] {
  const bottom = radical.y1 + 0.2 * radical.size;
  const isInside = (item: Item) =>
    item !== radical &&
    centerX(item) > bar.x0 &&
    centerX(item) < bar.x1 &&
    item.y0 > bar.y0 - 1 &&
    item.y1 < bottom + 2;
  const inner = items.filter(isInside);
  if (inner.length === 0) throw new UnreadableFormula('an empty root');
  const degree = items.filter(
    (item) =>
      item !== radical &&
      item.size < 0.75 * radical.size &&
      centerX(item) > radical.x0 - 0.5 * radical.size &&
      centerX(item) < centerX(radical) &&
      centerY(item) < centerY(radical) &&
      item.y1 > radical.y0 - 0.3 * radical.size,
  );
  const used = new Set([...inner, ...degree, radical]);
  const size = inner.reduce((most, item) => Math.max(most, item.size), 0);
  const base = inner.find((item) => item.size === size)?.base ?? radical.base;
  const root: Item = {
    ...union([...used, bar]),
    node: {
      kind: 'root',
      base: readRow(inner),
      degree: degree.length > 0 ? readRow(degree) : undefined,
    },
    text: '',
    base,
    size,
    kind: 'group',
    upright: false,
    bold: false,
  };
  return [...items.filter((item) => !used.has(item)), root];
}

/** Reads a bar above letters without anything above it. */
function readOverline(items: readonly Item[], below: readonly Item[], bar: Rect, readRow: ReadRow): Item[] {
  const first = below[0]!;
  const box = union(below);
  const isFitting = Math.abs(box.x0 - bar.x0) + Math.abs(box.x1 - bar.x1) < 0.6 * first.size;
  if (!isFitting || box.y0 - bar.y1 > 0.35 * first.size)
    throw new UnreadableFormula('a bar without a numerator');
  const used = new Set(below);
  const size = below.reduce((most, item) => Math.max(most, item.size), 0);
  const accent: Item = {
    ...union([...below, bar]),
    node: { kind: 'accent', base: readRow(below), mark: '¯', isBelow: false },
    text: '',
    base: below.find((item) => item.size === size)!.base,
    size,
    kind: 'letter',
    upright: false,
    bold: false,
  };
  return [...items.filter((item) => !used.has(item)), accent];
}
