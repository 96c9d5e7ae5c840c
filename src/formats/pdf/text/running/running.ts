import { union } from '../../geometry.ts';
import type { PageScan } from '../../scan.ts';
import type { Line } from '../lines.ts';
import { splitIntoSegments } from '../lines.ts';
import { findLoneRunningLines, isNumberedHeading, type LonePage } from './lone-running.ts';

const EDGE = 0.11;
/**
 * Share of the page height at the top and bottom in which page numbers are found. They are a little farther
 * in than other running lines.
 */
const PAGE_NUMBER_EDGE = 0.15;
const SAME_HEIGHT = 4;
/**
 * Distance in points from the first and last line of a page within which its outermost rows are searched.
 * OUTERMOST_ROWS is the maximum number of these rows.
 */
const OUTERMOST = 48;
const OUTERMOST_ROWS = 3;
/** Minimum font size of titles, in body font sizes. */
const TITLE_SIZE = 1.2;
/** Minimum white space between running lines and the text, in letter heights. */
const MIN_WHITE_SPACE = 0.8;
const PAGE_NUMBER =
  /^[-–—|[(\s]*(?:(?:page|p\.|seite|pág\.|página|стр\.)\s*)?(\d{1,4}|[ivxlc]{1,7})(?:\s*(?:of|\/|von|de|из)\s*\d{1,4})?[-–—|\])\s]*$/iu;

/**
 * A line near the top or bottom of a page, for comparison with other pages. Numbers count as equal in `key`.
 */
export interface EdgeLine {
  key: string;
  text: string;
  y: number;
}

type Edges = readonly (readonly EdgeLine[])[];

const inMargin = (line: { y0: number; y1: number }, height: number, share: number) => {
  const middle = (line.y0 + line.y1) / 2 / height;
  return middle < share || middle > 1 - share;
};

const toComparisonKey = (text: string) => text.replace(/\d+/g, '#').replace(/\s+/g, ' ').trim().toLowerCase();

const linesByPage = new WeakMap<PageScan, EdgeLine[]>();

/**
 * Returns the lines in the margins and at the ends of the text. The result is cached, because each
 * neighboring page asks for it.
 */
export function readEdgeLines(scan: PageScan): EdgeLine[] {
  const before = linesByPage.get(scan);
  if (before) return before;
  const upright = scan.words.filter((word) => word.turns === 0);
  const text = union(upright);
  const atEdge = upright.filter(
    (word) =>
      inMargin(word, scan.frame.height, EDGE) ||
      word.y0 < text.y0 + OUTERMOST ||
      word.y1 > text.y1 - OUTERMOST,
  );
  const lines = splitIntoSegments(atEdge).map((line) => ({
    key: toComparisonKey(line.text),
    text: line.text,
    y: line.y1,
  }));
  linesByPage.set(scan, lines);
  return lines;
}

/**
 * Finds running headers, running footers and page numbers. Running lines are repeated at the same height on a
 * neighboring page, in the margins or separated from the text by white space. Others are recognized on the
 * page alone.
 */
export function findRunningLines(
  segments: readonly Line[],
  page: Omit<LonePage, 'isSingle'>,
  neighbours: Edges,
): Set<Line> {
  const { height } = page;
  const rows = [...Map.groupBy(segments, (line) => line.row).values()].sort(
    (a, b) => union(a).y1 - union(b).y1,
  );
  const running = new Set<Line>();
  for (const row of rows) {
    if (!row.some((line) => inMargin(line, height, EDGE)) || hasSeveralNumbers(row, neighbours)) continue;
    const isNumbered = isNumberedHeading(row);
    for (const line of row) {
      // Titles such as "Part 1" and "Part 2" differ only in their number.
      const isTitle = line.size > TITLE_SIZE * page.bodySize;
      const literally = isNumbered || isTitle || isTableCell(line, row, neighbours);
      if (inMargin(line, height, EDGE) && isRepeated(line, neighbours, literally)) running.add(line);
    }
  }
  for (const inward of [rows, rows.toReversed()]) {
    for (const line of findOutermostLines(inward, running, neighbours)) running.add(line);
    const [first, next] = inward;
    const rest = first?.filter((line) => !running.has(line)) ?? [];
    const [number] = rest;
    if (!number || rest.length > 1 || !inMargin(number, height, PAGE_NUMBER_EDGE)) continue;
    // The first and last number of a column of numbers are not page numbers.
    const inColumn = next?.every((line) => !running.has(line) && parsePageNumber(line.text) !== undefined);
    if (parsePageNumber(number.text) !== undefined && !inColumn) running.add(number);
  }
  const lone = findLoneRunningLines(rows, { ...page, isSingle: neighbours.length === 0 }, running);
  for (const line of lone) running.add(line);
  return running;
}

/**
 * Returns the lines at one end of the text that are repeated on neighboring pages and separated from the rest
 * by white space.
 */
function findOutermostLines(
  inward: readonly Line[][],
  running: ReadonlySet<Line>,
  neighbours: Edges,
): Line[] {
  let end = 0;
  for (let at = 0; at < OUTERMOST_ROWS; at++) {
    const row = inward[at];
    if (!row || hasSeveralNumbers(row, neighbours)) break;
    if (!row.every((line) => running.has(line) || isRepeated(line, neighbours, true))) break;
    if (isSeparated(row, inward[at + 1])) end = at + 1;
  }
  return inward.slice(0, end).flat();
}

/**
 * Returns whether a neighboring page has the line at the same height. Numbers may differ, unless `literally`
 * is true and the line is not a page number.
 */
function isRepeated(line: Line, neighbours: Edges, literally: boolean): boolean {
  const key = toComparisonKey(line.text);
  const any = !literally || parsePageNumber(line.text) !== undefined;
  return neighbours.some((edges) =>
    edges.some(
      (edge) =>
        (any ? edge.key === key : edge.text === line.text) && Math.abs(edge.y - line.y1) < SAME_HEIGHT,
    ),
  );
}

/**
 * Returns whether a line is a table cell, because most other lines in its row differ on neighboring pages. A
 * repeated date in such a row is not a running line.
 */
const isTableCell = (line: Line, row: readonly Line[], neighbours: Edges) =>
  row.length > 2 &&
  row.filter((other) => other !== line && !isRepeated(other, neighbours, false)).length >= row.length / 2;

/**
 * Returns whether a row has several numbers that differ from page to page. These are figures in a table and
 * not a page number.
 */
function hasSeveralNumbers(row: readonly Line[], neighbours: Edges): boolean {
  const same = (line: Line) => neighbours.some((edges) => edges.some((edge) => edge.text === line.text));
  return row.filter((line) => !/\p{L}{2}/u.test(line.text) && !same(line)).length > 1;
}

function isSeparated(row: readonly Line[], next: readonly Line[] | undefined): boolean {
  if (!next) return false;
  const [a, b] = [union(row), union(next)];
  return Math.max(a.y0 - b.y1, b.y0 - a.y1) > MIN_WHITE_SPACE * row[0]!.size;
}

/** Returns the number of a line that consists only of a page number, or `undefined` for other lines. */
export function parsePageNumber(text: string): string | undefined {
  return PAGE_NUMBER.exec(text.trim())?.[1];
}
