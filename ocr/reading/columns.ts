import type { ReadWord } from '../table.ts';
import type { Paragraphs } from './quality.ts';

/** Minimum width of the empty strip between two columns, in letter heights. */
const MIN_GUTTER = 1.2;
/** Minimum width of a column in letter heights. Narrower columns are amounts or labels of a table. */
const MIN_COLUMN = 14;
/** Minimum number of lines that the engine has joined across the strip. */
const MIN_JOINED = 5;
/**
 * Share and number of lines that may run through the strip, such as headings across both columns. The larger
 * of the two counts.
 */
const [MAX_CROSSING, MIN_CROSSING] = [0.08, 2];
/** Number of strips into which the width of a page is divided to find the gap between columns. */
const STRIPS = 200;
/** Minimum share of the joined lines that must fill most of both columns. Lines of tables rarely do. */
const MIN_FULL = 0.6;
const FULL_SHARE = 0.7;

type Line = ReadWord[];

/**
 * Orders the text of a page with two columns: the left column before the right one, between the lines that
 * run across both. Lines that the engine has joined across the columns are separated. Returns the paragraphs
 * unchanged if there is no empty strip between two wide columns.
 */
export function splitJoinedColumns(paragraphs: Paragraphs): Paragraphs {
  const lines = paragraphs.flat();
  const height = findMedianHeight(lines);
  const gutter = findGutter(lines, height);
  if (gutter === undefined) return paragraphs;
  const result: Paragraphs = [];
  let [left, right]: [Paragraphs, Paragraphs] = [[], []];
  const finish = () => {
    for (const each of [...left, ...right]) if (each.length > 0) result.push(each);
    [left, right] = [[], []];
  };
  for (const paragraph of paragraphs) {
    left.push([]);
    right.push([]);
    for (const line of paragraph) {
      const sides = splitLine(line, gutter);
      if (!sides) {
        finish();
        result.push([line]);
        left.push([]);
        right.push([]);
        continue;
      }
      if (sides.left.length > 0) left.at(-1)!.push(sides.left);
      if (sides.right.length > 0) right.at(-1)!.push(sides.right);
    }
  }
  finish();
  return result;
}

/** Divides a line at the strip. Returns `undefined` if a word runs through it. */
function splitLine(line: Line, gutter: number): { left: Line; right: Line } | undefined {
  if (line.some(({ x, w }) => x < gutter && x + w > gutter)) return undefined;
  return { left: line.filter(({ x }) => x < gutter), right: line.filter(({ x }) => x >= gutter) };
}

/** Returns the middle of the empty strip between two columns, or `undefined` if there is none. */
function findGutter(lines: readonly Line[], height: number): number | undefined {
  const words = lines.flat();
  if (lines.length < MIN_JOINED || height === 0) return undefined;
  let [start, end] = [Number.POSITIVE_INFINITY, 0];
  for (const { x, w } of words) {
    start = Math.min(start, x);
    end = Math.max(end, x + w);
  }
  const strip = Math.max(1, (end - start) / STRIPS);
  const crossings = countCrossings(lines, start, strip);
  const most = Math.max(MIN_CROSSING, MAX_CROSSING * lines.length);
  let best: { from: number; to: number } | undefined;
  for (let from = 0; from < STRIPS; from++) {
    if (crossings[from]! > most) continue;
    let to = from;
    while (to < STRIPS && crossings[to]! <= most) to++;
    const [left, right] = [start + from * strip, start + to * strip];
    const isWide = to - from >= Math.max(1, (MIN_GUTTER * height) / strip);
    if (isWide && separatesColumns(lines, left, right, height) && (!best || to - from > best.to - best.from))
      best = { from, to };
    from = to;
  }
  return best && start + ((best.from + best.to) / 2) * strip;
}

/** Counts for each strip the lines that have a word in it. */
function countCrossings(lines: readonly Line[], start: number, strip: number): Uint32Array {
  const crossings = new Uint32Array(STRIPS + 1);
  const seen = new Int32Array(STRIPS + 1).fill(-1);
  for (const [index, line] of lines.entries()) {
    for (const { x, w } of line) {
      const last = Math.min(STRIPS, Math.ceil((x + w - start) / strip) - 1);
      for (let at = Math.max(0, Math.floor((x - start) / strip)); at <= last; at++) {
        if (seen[at] === index) continue;
        seen[at] = index;
        crossings[at]! += 1;
      }
    }
  }
  return crossings;
}

/** Minimum number of lines in each of two columns, and the share of them that may be narrow. */
const MIN_LINES = 8;
const NARROW_SHARE = 0.7;

/** Returns whether both sides of the strip have enough lines of the width of a column. */
function separatesColumns(lines: readonly Line[], left: number, right: number, height: number): boolean {
  const middle = (left + right) / 2;
  const sides = lines.flatMap((line) => splitLine(line, middle) ?? []);
  const joined = sides.filter((side) => side.left.length > 0 && side.right.length > 0);
  if (joined.length >= MIN_JOINED) return areJoinedColumns(lines, middle, height);
  return [sides.map((side) => side.left), sides.map((side) => side.right)].every((column) => {
    const widths = column.filter((line) => line.length > 0).map(measureWidth);
    widths.sort((a, b) => a - b);
    const isWide = (widths[Math.floor(widths.length * NARROW_SHARE)] ?? 0) >= MIN_COLUMN * height;
    return widths.length >= MIN_LINES && isWide;
  });
}

/** Returns whether the lines that the engine has joined across the strip consist of two columns of text. */
function areJoinedColumns(lines: readonly Line[], middle: number, height: number): boolean {
  const widths = lines.flatMap((line) => {
    const sides = splitLine(line, middle);
    if (!sides || sides.left.length === 0 || sides.right.length === 0) return [];
    return [[measureWidth(sides.left), measureWidth(sides.right)] as const];
  });
  if (widths.length < MIN_JOINED) return false;
  const widest = [0, 1].map((side) => widths.reduce((most, each) => Math.max(most, each[side]!), 0));
  if (Math.min(...widest) < MIN_COLUMN * height) return false;
  const full = widths.filter((each) => each.every((width, side) => width >= FULL_SHARE * widest[side]!));
  return full.length >= MIN_FULL * widths.length;
}

/** Sums up the widths of words, so that gaps between the cells of a table do not count. */
const measureWidth = (words: Line): number => words.reduce((sum, { w, h }) => sum + w + h / 4, 0);

function findMedianHeight(lines: readonly Line[]): number {
  const heights = lines
    .flat()
    .map(({ h }) => h)
    .sort((a, b) => a - b);
  return heights[Math.floor(heights.length / 2)] ?? 0;
}
