import { union } from '../geometry.ts';
import type { PageScan } from '../scan.ts';
import type { Line } from './lines.ts';
import { segmentsOf } from './lines.ts';

const EDGE = 0.11;
/** Page numbers stand a little further in than other running lines. */
const NUMBER_EDGE = 0.15;
const SAME_HEIGHT = 4;
/** Points from the ends of a page's text in which its outermost rows are looked for, and how many rows those are. */
const OUTERMOST = 48;
const OUTERMOST_ROWS = 3;
/** White between running lines and the text, in letter heights. */
const SET_OFF = 0.8;
const PAGE_NUMBER =
  /^[-–—|[(\s]*(?:(?:page|p\.|seite|pág\.|página|стр\.)\s*)?(\d{1,4}|[ivxlc]{1,7})(?:\s*(?:of|\/|von|de|из)\s*\d{1,4})?[-–—|\])\s]*$/iu;

/** A line at the top or bottom of a page, comparable between pages: in the key, numbers count as equal. */
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

const keyOf = (text: string) => text.replace(/\d+/g, '#').replace(/\s+/g, ' ').trim().toLowerCase();

const known = new WeakMap<PageScan, EdgeLine[]>();

/** The page's lines in its margins and at the ends of its text; each page is asked for by all its neighbours. */
export function edgeLines(scan: PageScan): EdgeLine[] {
  const before = known.get(scan);
  if (before) return before;
  const upright = scan.words.filter((word) => word.turns === 0);
  const text = union(upright);
  const atEdge = upright.filter(
    (word) =>
      inMargin(word, scan.frame.height, EDGE) ||
      word.y0 < text.y0 + OUTERMOST ||
      word.y1 > text.y1 - OUTERMOST,
  );
  const lines = segmentsOf(atEdge).map((line) => ({ key: keyOf(line.text), text: line.text, y: line.y1 }));
  known.set(scan, lines);
  return lines;
}

/**
 * The lines that stand at the same height on a neighbouring page, in the margins or set off at the ends of the
 * text, and page numbers at the edge.
 */
export function runningLines(segments: readonly Line[], height: number, neighbours: Edges): Set<Line> {
  const rows = [...Map.groupBy(segments, (line) => line.row).values()].sort(
    (a, b) => union(a).y1 - union(b).y1,
  );
  const running = new Set<Line>();
  for (const row of rows) {
    if (isNumeric(row, neighbours)) continue;
    for (const line of row) {
      if (inMargin(line, height, EDGE) && repeats(line, neighbours, isCell(line, row, neighbours)))
        running.add(line);
    }
  }
  for (const inward of [rows, rows.toReversed()]) {
    for (const line of outermost(inward, running, neighbours)) running.add(line);
    const [first, next] = inward;
    const rest = first?.filter((line) => !running.has(line)) ?? [];
    const [number] = rest;
    if (!number || rest.length > 1 || !inMargin(number, height, NUMBER_EDGE)) continue;
    // In a column of numbers, the first and the last are no page numbers.
    const inColumn = next?.every((line) => !running.has(line) && printedNumber(line.text) !== undefined);
    if (printedNumber(number.text) !== undefined && !inColumn) running.add(number);
  }
  return running;
}

/** Lines at one end of the text that the neighbours have too, when white parts them from what follows. */
function outermost(inward: readonly Line[][], running: ReadonlySet<Line>, neighbours: Edges): Line[] {
  let end = 0;
  for (let at = 0; at < OUTERMOST_ROWS; at++) {
    const row = inward[at];
    if (!row || isNumeric(row, neighbours)) break;
    if (!row.every((line) => running.has(line) || repeats(line, neighbours, true))) break;
    if (isSetOff(row, inward[at + 1])) end = at + 1;
  }
  return inward.slice(0, end).flat();
}

/** Whether a neighbour has the line at this height: with any numbers, or `literally` but for page numbers. */
function repeats(line: Line, neighbours: Edges, literally: boolean): boolean {
  const key = keyOf(line.text);
  const any = !literally || printedNumber(line.text) !== undefined;
  return neighbours.some((edges) =>
    edges.some(
      (edge) =>
        (any ? edge.key === key : edge.text === line.text) && Math.abs(edge.y - line.y1) < SAME_HEIGHT,
    ),
  );
}

/** Whether its neighbours in the row are other ones on each page: a date that a row of a table begins with may not be. */
const isCell = (line: Line, row: readonly Line[], neighbours: Edges) =>
  row.length > 2 &&
  row.filter((other) => other !== line && !repeats(other, neighbours, false)).length >= row.length / 2;

/** More than one number that is not the same on every page: figures of a table, not the page's number. */
function isNumeric(row: readonly Line[], neighbours: Edges): boolean {
  const same = (line: Line) => neighbours.some((edges) => edges.some((edge) => edge.text === line.text));
  return row.filter((line) => !/\p{L}{2}/u.test(line.text) && !same(line)).length > 1;
}

function isSetOff(row: readonly Line[], next: readonly Line[] | undefined): boolean {
  if (!next) return false;
  const [a, b] = [union(row), union(next)];
  return Math.max(a.y0 - b.y1, b.y0 - a.y1) > SET_OFF * row[0]!.size;
}

/** The number in a line that is a page number and nothing else. */
export function printedNumber(text: string): string | undefined {
  return PAGE_NUMBER.exec(text.trim())?.[1];
}
