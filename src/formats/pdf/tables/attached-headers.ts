import type { Rect } from '../geometry.ts';
import { centerX, isHorizontal, overlapX } from '../geometry.ts';
import type { Line } from '../text/lines.ts';
import { type GridRow, hasAmounts, isAmount, splitAtColumns } from './column-ranges.ts';
import { findOverlappedSpan, findUnderlinedSpan } from './header-rows.ts';

/** Maximum number of lines above a table that are read as its header. */
const MAX_LINES = 5;
/**
 * Maximum white space between header lines and between header and body, in letter heights. The second value is
 * for headers below or above a rule.
 */
const MAX_GAP = 1.3;
const MAX_RULED_GAP = 2.2;
const MAX_WORDS = 8;
/** Maximum font size of a header, as a multiple of the font size below it. */
const MAX_SIZE_RATIO = 1.3;
const CAPTION = /^(?:table|figure|fig\.|tabelle|tableau|tabla|tabella|abb\.|abbildung)\s/i;

export interface AttachedHeader {
  /** Header lines from top to bottom. */
  lines: GridRow[];
  /** Title of the first group of rows, between the header and the body. */
  section: GridRow | undefined;
  /** Number of rows above the table that it now contains. */
  count: number;
}

/** Returns whether a row may be a header: short pieces of text without amounts. */
export const isHeaderLike = (row: Pick<GridRow, 'segments'>): boolean =>
  row.segments.every(({ text, words }) => words.length <= MAX_WORDS && !isAmount(text));

/**
 * Collects the header lines directly above a table, which has `count` rows from `at` on. Rows before `least` belong to
 * another table. A line between horizontal rules as wide as the table certainly belongs to the table. Other lines need
 * pieces above the columns.
 */
export function collectHeaderLines(
  rows: readonly GridRow[],
  { at, least, count }: { at: number; least: number; count: number },
  columns: readonly Rect[],
  rules: readonly Rect[],
): AttachedHeader {
  const box = { x0: columns[0]!.x0, x1: columns.at(-1)!.x1, y0: 0, y1: 0 };
  const top = findTopRule(rows[at]!.rect, box, rules);
  const isNumeric = rows.slice(at, at + count).some(hasAmounts);
  const lines: GridRow[] = [];
  let section: GridRow | undefined;
  let below = rows[at]!;
  for (let index = at - 1; index >= least && lines.length < MAX_LINES; index--) {
    const { rect, segments } = rows[index]!;
    const row = { rect, segments: splitAtColumns(segments, columns) };
    const isRuled = top !== undefined && row.rect.y1 > top;
    const size = Math.min(row.segments[0]!.size, below.segments[0]!.size);
    const gap = below.rect.y0 - row.rect.y1;
    const isCertain = isRuled || isNumeric;
    const limit = isRuled || hasRuleBetween(row.rect, below.rect, rules) ? MAX_RULED_GAP : MAX_GAP;
    if (gap > limit * size || !isHeaderLike(row)) break;
    if (row.rect.x0 < box.x0 - 2 * size || row.rect.x1 > box.x1 + 2 * size) break;
    if (row.segments[0]!.size > MAX_SIZE_RATIO * size || (section && row.segments.length < 2)) break;
    if (standsAboveColumns(row, columns, rules, isCertain)) lines.unshift(row);
    else if (lines.length === 0 && !section && isSectionTitle(row)) section = row;
    else break;
    below = row;
  }
  if (lines.length === 0) return { lines, section: undefined, count: 0 };
  return { lines, section, count: lines.length + (section ? 1 : 0) };
}

/** Returns the height of the highest rule above a table that is as wide as the table and near it. */
function findTopRule(first: Rect, box: Rect, rules: readonly Rect[]): number | undefined {
  const height = first.y1 - first.y0;
  let top: number | undefined;
  for (const rule of rules) {
    if (!isHorizontal(rule) || rule.y0 > first.y0 || rule.y0 < first.y0 - 8 * height) continue;
    const isWide = overlapX(rule, box) > 0.9 * (box.x1 - box.x0);
    const isEqual = rule.x1 - rule.x0 < 1.15 * (box.x1 - box.x0) + 4 * height;
    if (isWide && isEqual && (top === undefined || rule.y0 < top)) top = rule.y0;
  }
  return top;
}

const hasRuleBetween = (upper: Rect, lower: Rect, rules: readonly Rect[]) =>
  rules.some(
    (rule) =>
      isHorizontal(rule) && rule.y0 >= upper.y1 - 2 && rule.y1 <= lower.y0 + 2 && overlapX(rule, upper) > 0,
  );

function standsAboveColumns(
  row: GridRow,
  columns: readonly Rect[],
  rules: readonly Rect[],
  isCertain: boolean,
): boolean {
  const { segments } = row;
  const [only] = segments;
  if (segments.length === 1) {
    // A single piece may be a caption, unless it stands above the columns at the right of the row labels.
    if (CAPTION.test(only!.text) || !isCertain) return false;
    const right = { ...columns[1]!, x1: columns.at(-1)!.x1 };
    const whole = { ...columns[0]!, x1: columns.at(-1)!.x1 };
    if (only!.x0 <= columns[0]!.x1) return false;
    return isNearerTo(only!, right, whole) || findUnderlinedSpan(only!, columns, rules) !== undefined;
  }
  const spans = segments.map((segment) => findOverlappedSpan(segment, columns));
  const isApart = spans.every((span, index) => index === 0 || span.from > spans[index - 1]!.to);
  return isApart && (isCertain || segments.length > 2);
}

const isNearerTo = (piece: Rect, one: Rect, other: Rect) =>
  Math.abs(centerX(piece) - centerX(one)) < Math.abs(centerX(piece) - centerX(other));

const isSectionTitle = ({ segments }: { segments: readonly Line[] }): boolean =>
  segments.length === 1 && !CAPTION.test(segments[0]!.text) && !/[.;,]$/.test(segments[0]!.text);
