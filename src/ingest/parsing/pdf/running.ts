import type { Line } from './lines.ts';
import { segmentsOf } from './lines.ts';
import type { PageScan } from './scan.ts';

const EDGE = 0.11;
/** Page numbers stand a little further in than other running lines. */
const NUMBER_EDGE = 0.15;
const SAME_HEIGHT = 4;
const PAGE_NUMBER =
  /^[-–—|[(\s]*(?:(?:page|p\.|seite|pág\.|página|стр\.)\s*)?(\d{1,4}|[ivxlc]{1,7})(?:\s*(?:of|\/|von|de|из)\s*\d{1,4})?[-–—|\])\s]*$/iu;

/** A line in the top or bottom margin, comparable between pages: numbers count as equal. */
export interface EdgeLine {
  key: string;
  y: number;
}

export const isTop = (line: { y0: number; y1: number }, height: number) =>
  (line.y0 + line.y1) / 2 < height * EDGE;
export const isBottom = (line: { y0: number; y1: number }, height: number) =>
  (line.y0 + line.y1) / 2 > height * (1 - EDGE);

const keyOf = (text: string) => text.replace(/\d+/g, '#').replace(/\s+/g, ' ').trim().toLowerCase();

const known = new WeakMap<PageScan, EdgeLine[]>();

/** The page's lines in its margins; each page is asked for by all its neighbours. */
export function edgeLines(scan: PageScan): EdgeLine[] {
  const before = known.get(scan);
  if (before) return before;
  const { words, frame } = scan;
  const inEdge = words.filter(
    (word) => word.turns === 0 && (isTop(word, frame.height) || isBottom(word, frame.height)),
  );
  const lines = segmentsOf(inEdge).map((line) => ({ key: keyOf(line.text), y: line.y1 }));
  known.set(scan, lines);
  return lines;
}

/** The lines that stand at the same height on a neighbouring page, and page numbers at the edge. */
export function runningLines(
  segments: readonly Line[],
  height: number,
  neighbours: readonly (readonly EdgeLine[])[],
): Set<Line> {
  const running = new Set<Line>();
  for (const line of segments) {
    if (!isTop(line, height) && !isBottom(line, height)) continue;
    const key = keyOf(line.text);
    const repeats = (edge: EdgeLine) => edge.key === key && Math.abs(edge.y - line.y1) < SAME_HEIGHT;
    if (neighbours.some((edges) => edges.some(repeats))) running.add(line);
  }
  for (const outermost of [segments[0], segments.at(-1)]) {
    if (!outermost) continue;
    const middle = (outermost.y0 + outermost.y1) / 2 / height;
    if (middle > NUMBER_EDGE && middle < 1 - NUMBER_EDGE) continue;
    const row = segments.filter((line) => line.row === outermost.row);
    if (row.every((line) => running.has(line) || printedNumber(line.text)))
      for (const line of row) running.add(line);
  }
  return running;
}

/** The number in a line that is a page number and nothing else. */
export function printedNumber(text: string): string | undefined {
  return PAGE_NUMBER.exec(text.trim())?.[1];
}
