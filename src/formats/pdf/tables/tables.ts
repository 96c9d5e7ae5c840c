import { DisjointSets } from '#src/lib/disjoint-sets.ts';
import type { Rect } from '../geometry.ts';
import { containsCenter, isHorizontal, overlapX, overlapY, union } from '../geometry.ts';
import { joinIntoLines, splitIntoSegments } from '../text/lines.ts';
import type { TextWord } from '../text/words.ts';
import { findGridHeader } from './grid-header.ts';

export interface Table extends Rect {
  rows: string[][];
}

const SNAP = 3;
const MAX_CELLS = 4_000;

/** Merges positions that are at most a few points apart into one grid line. */
function snap(positions: number[]): number[] {
  const result: number[] = [];
  let group: number[] = [];
  for (const position of positions.toSorted((a, b) => a - b)) {
    if (group.length > 0 && position - group.at(-1)! > SNAP) {
      result.push(group.reduce((sum, value) => sum + value, 0) / group.length);
      group = [];
    }
    group.push(position);
  }
  if (group.length > 0) result.push(group.reduce((sum, value) => sum + value, 0) / group.length);
  return result;
}

const touch = (a: Rect, b: Rect) => overlapX(a, b) >= -SNAP && overlapY(a, b) >= -SNAP;

/** Groups rules that are connected through touching rules. */
function groupTouching(rules: readonly Rect[]): Rect[][] {
  const sorted = rules.toSorted((a, b) => a.y0 - b.y0);
  const sets = new DisjointSets(sorted.length);
  for (let i = 0; i < sorted.length; i++) {
    for (let j = i + 1; j < sorted.length && sorted[j]!.y0 <= sorted[i]!.y1 + SNAP; j++) {
      if (touch(sorted[i]!, sorted[j]!)) sets.join(i, j);
    }
  }
  return sets.group(sorted);
}

export function readCellText(words: readonly TextWord[]): string {
  return joinIntoLines(splitIntoSegments(words))
    .map((line) => line.text)
    .join('\n');
}

/** Minimum size of a table, in grid lines, words, rows, columns and filled cells. */
interface MinimumSize {
  lines: number;
  words: number;
  rows: number;
  columns: number;
  filled: number;
}

const USUAL: MinimumSize = { lines: 3, words: 3, rows: 2, columns: 2, filled: 3 };
const ANY_OUTLINE: MinimumSize = { lines: 2, words: 2, rows: 1, columns: 1, filled: 2 };

/**
 * Finds tables drawn with rules, whose grid gives the cells. With `any`, a table needs only two cells with
 * text.
 */
export function findRuledTables(rules: readonly Rect[], words: readonly TextWord[], any = false): Table[] {
  const least = any ? ANY_OUTLINE : USUAL;
  const tables: Table[] = [];
  for (const group of groupTouching(rules)) {
    const across = group.filter(isHorizontal);
    const down = group.filter((rule) => !isHorizontal(rule));
    const ys = snap(across.map((rule) => (rule.y0 + rule.y1) / 2));
    const xs = snap(down.map((rule) => (rule.x0 + rule.x1) / 2));
    if (ys.length < least.lines || xs.length < least.lines || (ys.length - 1) * (xs.length - 1) > MAX_CELLS)
      continue;
    const table = readGridTable(xs, ys, across, down, rules, words, least);
    if (table) tables.push(table);
  }
  // A table inside a cell of another table is read as part of that cell.
  return tables.filter((table) => !tables.some((other) => other !== table && encloses(other, table)));
}

function encloses(outer: Rect, inner: Rect): boolean {
  return outer.x0 <= inner.x0 && outer.y0 <= inner.y0 && outer.x1 >= inner.x1 && outer.y1 >= inner.y1;
}

function readGridTable(
  xs: number[],
  ys: number[],
  across: Rect[],
  down: Rect[],
  rules: readonly Rect[],
  words: readonly TextWord[],
  least: MinimumSize,
): Table | undefined {
  const box = { x0: xs[0]!, y0: ys[0]!, x1: xs.at(-1)!, y1: ys.at(-1)! };
  const columns = xs.length - 1;
  const rows = ys.length - 1;
  const inside = words.filter((word) => containsCenter(box, word));
  if (inside.length < least.words) return undefined;

  // A cell without a line at its left belongs to the cell at its left. A cell without a line at its top
  // belongs to the cell above.
  const owner = Array.from({ length: rows * columns }, (_, index) => index);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const x = xs[column]!;
      const y = ys[row]!;
      const middleX = (x + xs[column + 1]!) / 2;
      const middleY = (y + ys[row + 1]!) / 2;
      const cell = row * columns + column;
      const hasLineAtLeft = down.some(
        (rule) =>
          Math.abs((rule.x0 + rule.x1) / 2 - x) <= SNAP &&
          rule.y0 - SNAP <= middleY &&
          rule.y1 + SNAP >= middleY,
      );
      const hasLineAtTop = across.some(
        (rule) =>
          Math.abs((rule.y0 + rule.y1) / 2 - y) <= SNAP &&
          rule.x0 - SNAP <= middleX &&
          rule.x1 + SNAP >= middleX,
      );
      if (column > 0 && !hasLineAtLeft) owner[cell] = owner[cell - 1]!;
      else if (row > 0 && !hasLineAtTop) owner[cell] = owner[cell - columns]!;
    }
  }
  const contents = new Map<number, TextWord[]>();
  for (const word of inside) {
    const x = (word.x0 + word.x1) / 2;
    const y = (word.y0 + word.y1) / 2;
    const column = xs.findLastIndex((edge) => edge <= x);
    const row = ys.findLastIndex((edge) => edge <= y);
    const cell = owner[Math.min(row, rows - 1) * columns + Math.min(column, columns - 1)]!;
    const list = contents.get(cell);
    if (list) list.push(word);
    else contents.set(cell, [word]);
  }
  const grid = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) => {
      const cell = row * columns + column;
      const text = owner[cell] === cell ? contents.get(cell) : undefined;
      return text ? readCellText(text) : '';
    }),
  );
  const header = findGridHeader(box, xs, rules, words);
  const trimmed = removeEmpty([...(header?.rows ?? []), ...grid]);
  const filled = trimmed.flat().filter((text) => text !== '').length;
  if (filled < least.filled || filled < trimmed.length) return undefined;
  if (trimmed.length < least.rows || trimmed[0]!.length < least.columns) return undefined;
  return { ...(header ? union([header.box, box]) : box), rows: trimmed };
}

function removeEmpty(grid: string[][]): string[][] {
  const rows = grid.filter((row) => row.some((text) => text !== ''));
  const columns = (rows[0] ?? []).map((_, column) => rows.some((row) => row[column] !== ''));
  return rows.map((row) => row.filter((_, column) => columns[column]));
}
