import { largest } from '#src/lib/extremes.ts';
import type { Rect } from '../geometry.ts';
import { isHorizontal, overlapX, union } from '../geometry.ts';
import { groupByRow, type Line, splitIntoSegments } from '../text/lines.ts';
import type { TextWord } from '../text/words.ts';
import { isHeaderLike } from './attached-headers.ts';
import { splitAtColumns } from './column-ranges.ts';
import { buildHeaderRows, findOverlappedSpan } from './header-rows.ts';

/** Tolerance in points for the ends of a rule above a table. */
const SNAP = 3;
/** Maximum height of a header above a grid of rules, in letter heights. */
const MAX_HEIGHT = 5;
/** Maximum white space in letter heights between a grid and a header without a rule above it. */
const MAX_GAP = 0.8;

export interface GridHeader {
  rows: string[][];
  box: Rect;
}

/**
 * Finds the header above a grid of rules, such as rows of shaded cells whose header is not shaded. The header
 * stands between a rule as wide as the table and the grid, or consists of bold pieces above most columns.
 */
export function findGridHeader(
  box: Rect,
  xs: readonly number[],
  rules: readonly Rect[],
  words: readonly TextWord[],
): GridHeader | undefined {
  const columns = xs.slice(1).map((x1, at) => ({ x0: xs[at]! + 1, x1: x1 - 1, y0: box.y0, y1: box.y1 }));
  const above = words.filter(
    (word) =>
      word.y1 < box.y0 + 0.4 * word.size &&
      word.y1 > box.y0 - MAX_HEIGHT * word.size &&
      word.x1 > box.x0 &&
      word.x0 < box.x1,
  );
  if (above.length < 2) return undefined;
  const top = findRuleAbove(box, rules, largest(above.map(({ size }) => size)));
  const inside = top === undefined ? above : above.filter((word) => (word.y0 + word.y1) / 2 > top);
  if (inside.some((word) => word.x0 < box.x0 - SNAP || word.x1 > box.x1 + SNAP)) return undefined;
  const lines = groupByRow(splitIntoSegments(inside)).map((line) => splitAtColumns(line, columns));
  const header = top === undefined ? takeBoldLine(lines, box, columns) : dropCaption(lines, columns);
  const isHeader =
    header.length > 0 &&
    header.every((segments) => isHeaderLike({ segments })) &&
    header.some((segments) => segments.length * 2 >= columns.length && segments.length > 1);
  if (!isHeader) return undefined;
  const rows = buildHeaderRows(header, columns, rules, '\n');
  return rows && { rows, box: union(header.flat()) };
}

/** Returns the height of the nearest rule above a table that is as wide as the table. */
function findRuleAbove(box: Rect, rules: readonly Rect[], size: number): number | undefined {
  let nearest: number | undefined;
  for (const rule of rules) {
    const isAbove = rule.y1 < box.y0 - 0.8 * size && rule.y1 > box.y0 - MAX_HEIGHT * size;
    const isEqual = Math.abs(rule.x0 - box.x0) < SNAP && Math.abs(rule.x1 - box.x1) < SNAP;
    if (isHorizontal(rule) && isAbove && isEqual && rule.y1 > (nearest ?? 0)) nearest = rule.y1;
  }
  return nearest;
}

/** Returns the lines below the last line that has a single piece above the first column, as captions have. */
function dropCaption(lines: readonly Line[][], columns: readonly Rect[]): Line[][] {
  const last = lines.findLastIndex((line) => line.length === 1 && line[0]!.x0 < columns[0]!.x1);
  return lines.slice(last + 1);
}

/** Returns the last line if its pieces are bold and each of them stands above one column. */
function takeBoldLine(lines: readonly Line[][], box: Rect, columns: readonly Rect[]): Line[][] {
  const last = lines.at(-1);
  if (!last || last.length < 2) return [];
  const spans = last.map((piece) => findOverlappedSpan(piece, columns));
  const fits = last.every((piece, at) => {
    const { from, to } = spans[at]!;
    const isNear = box.y0 - piece.y1 < MAX_GAP * piece.size;
    const isInside = from === to && overlapX(piece, columns[from]!) > 0.9 * (piece.x1 - piece.x0);
    return isNear && isInside && piece.words.every(({ style }) => style.bold) && from !== spans[at - 1]?.to;
  });
  return fits ? [last] : [];
}
