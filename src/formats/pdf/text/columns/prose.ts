import { measureWidth } from '#src/lib/text/measure-width.ts';
import { median } from '../../geometry.ts';
import type { Line } from '../lines.ts';
import { isNonText, type Piece } from './pieces.ts';

/** Minimum width of the usual line of a column in Latin letters. */
const MIN_LETTERS = 12;
/** Minimum number of long lines that make a column prose, whatever else it contains. */
const MIN_LONG_LINES = 6;
/** Maximum distance between the lower edges of lines that stand at the same height, in letter heights. */
const MAX_SHIFT = 0.15;
/** Maximum share of the lines of a sidebar that stand at the height of a line beside them. */
const MAX_LEVEL = 0.5;
/** Minimum distance from one line of a sidebar to the next, in letter heights. */
const MIN_PITCH = 0.8;
/** Minimum share of the lines of a sidebar that begin, or end, at its edge. Others are indented. */
const MIN_AT_EDGE = 0.7;

/**
 * Returns whether a column contains sentences. Short pieces side by side are a table, a form or a numbered
 * list. Long lines that contain most of the letters suffice, so that many labels of a figure do not outweigh
 * the text around it.
 */
export function isProse(pieces: readonly Piece[], width: number): boolean {
  const lines = listLines(pieces);
  if (lines.length === 0) return true;
  if (hasWords(lines) && median(lines.map((line) => line.x1 - line.x0)) >= width * 0.14) return true;
  const long = lines.filter((line) => measureWidth(line.text) >= 24 && line.x1 - line.x0 >= width * 0.3);
  return long.length >= MIN_LONG_LINES && countLetters(long) > 0.6 * countLetters(lines);
}

/**
 * Returns whether narrow lines are a sidebar of other lines. The lines of a sidebar stand below each other at a common
 * edge, unlike the labels of a figure. They have their own distance from each other, unlike terms and row numbers, which
 * stand at the height of the lines that they belong to.
 */
export function isSidebar(pieces: readonly Piece[], others: readonly Piece[]): boolean {
  const lines = listLines(pieces).sort((a, b) => a.y1 - b.y1);
  if (lines.length === 0 || !hasWords(lines) || !areStacked(lines)) return false;
  const beside = listLines(others).map(({ y1 }) => y1);
  beside.sort((a, b) => a - b);
  const level = lines.filter(({ y1, size }) => {
    const next = findFrom(beside, y1 - MAX_SHIFT * size);
    return next !== undefined && next <= y1 + MAX_SHIFT * size;
  });
  return level.length < MAX_LEVEL * lines.length;
}

/** Returns whether usual lines have several words. Labels and numbers are shorter. */
const hasWords = (lines: readonly Line[]) =>
  median(lines.map(({ text }) => measureWidth(text))) >= MIN_LETTERS;

/** Returns whether sorted lines do not overlap, and most of them begin or end at the same edge. */
function areStacked(lines: readonly Line[]): boolean {
  if (lines.some(({ y1, size }, at) => at > 0 && y1 - lines[at - 1]!.y1 < MIN_PITCH * size)) return false;
  return (['x0', 'x1'] as const).some((side) => {
    const edge = median(lines.map((line) => line[side]));
    return (
      lines.filter((line) => Math.abs(line[side] - edge) <= line.size).length >= MIN_AT_EDGE * lines.length
    );
  });
}

/** Returns the first of the sorted values that is not below a limit. */
function findFrom(values: readonly number[], limit: number): number | undefined {
  let [from, to] = [0, values.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (values[middle]! < limit) from = middle + 1;
    else to = middle;
  }
  return values[from];
}

const listLines = (pieces: readonly Piece[]) => pieces.filter((piece): piece is Line => !isNonText(piece));
const countLetters = (lines: readonly Line[]) => lines.reduce((sum, line) => sum + line.text.length, 0);
