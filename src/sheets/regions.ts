import { ParseError } from '#src/documents/errors.ts';
import type { CellRange } from './cell-range.ts';

/** Rectangle of cell texts. `row` and `column` are the place of its first cell in the sheet, counted from 0. */
export interface CellBlock {
  row: number;
  column: number;
  rows: string[][];
}

export interface SheetPart extends CellBlock {
  /** True for a single cell that stands alone or above a table, such as a title. */
  isText: boolean;
}

export interface FoundRegion extends CellBlock {
  type: 'table' | 'extra';
  title: string | null;
}

/** Number of empty rows that may separate the parts of one table with strong merging. */
const MAX_GAP = 2;
const MAX_TITLE = 200;
/** Maximum number of cells in one region, including empty ones. */
const MAX_CELLS = 300_000;

export function getRange({ row, column, rows }: CellBlock): CellRange {
  const width = rows[0]?.length ?? 1;
  return { top: row, left: column, bottom: row + rows.length - 1, right: column + width - 1 };
}

/**
 * Returns the regions of a sheet. Texts directly above a table become its title. Other texts, and blocks of a
 * single column, are regions of the type `extra`.
 */
export function findRegions(parts: readonly SheetPart[], mergeSensitivity: 'strong' | 'weak'): FoundRegion[] {
  const regions: FoundRegion[] = [];
  let titles: SheetPart[] = [];
  const release = () => {
    regions.push(
      ...titles.map(({ isText: _, ...part }) => ({ ...part, type: 'extra' as const, title: null })),
    );
    titles = [];
  };
  for (const part of parts) {
    const last = titles.at(-1);
    if (last && !isDirectlyBelow(last, part)) release();
    if (part.isText) {
      titles.push(part);
      continue;
    }
    const { row, column, rows } = part;
    const title = titles.map(({ rows: [cells] }) => cells?.[0] ?? '').join(' – ');
    titles = [];
    const type = (rows[0]?.length ?? 0) > 1 && rows.length > 1 ? 'table' : 'extra';
    regions.push({ row, column, rows, type, title: title.slice(0, MAX_TITLE) || null });
  }
  release();
  return mergeSensitivity === 'strong' ? mergeRegions(regions) : regions;
}

const isDirectlyBelow = (above: CellBlock, below: CellBlock) => {
  const [upper, lower] = [getRange(above), getRange(below)];
  return lower.top === upper.bottom + 1 && lower.left <= upper.right && upper.left <= lower.right;
};

/** Joins regions without a title of their own with the region above, if they have the same columns. */
function mergeRegions(regions: readonly FoundRegion[]): FoundRegion[] {
  const merged: FoundRegion[] = [];
  /** Lowest region so far in each range of columns. */
  const lowest = new Map<string, FoundRegion>();
  for (const region of regions) {
    const { top, left, right } = getRange(region);
    const columns = `${left}:${right}`;
    const above = lowest.get(columns);
    const gap = above ? top - getRange(above).bottom - 1 : -1;
    if (above && gap >= 0 && gap <= MAX_GAP && region.title === null && region.type === above.type) {
      for (let row = 0; row < gap; row += 1) above.rows.push(new Array<string>(right - left + 1).fill(''));
      for (const row of region.rows) above.rows.push(row);
      continue;
    }
    const own = { ...region, rows: [...region.rows] };
    merged.push(own);
    lowest.set(columns, own);
  }
  return merged;
}

/**
 * Returns the cells of a range as one region. Empty rows and columns at its edges are left out. Returns
 * `undefined` if all cells are empty. Throws ParseError DOCUMENT_TOO_LARGE if the cells lie too far apart.
 */
export function cropToRange(parts: readonly SheetPart[], range: CellRange): FoundRegion | undefined {
  const cells: [row: number, column: number, text: string][] = [];
  for (const { row, column, rows } of parts) {
    for (const [y, line] of rows.entries()) {
      for (const [x, text] of line.entries()) {
        const [at, across] = [row + y, column + x];
        const isInside =
          at >= range.top && at <= range.bottom && across >= range.left && across <= range.right;
        if (isInside && text !== '') cells.push([at, across, text]);
      }
    }
  }
  if (cells.length === 0) return undefined;
  const edges = { top: Infinity, left: Infinity, bottom: 0, right: 0 };
  for (const [row, column] of cells) {
    edges.top = Math.min(edges.top, row);
    edges.bottom = Math.max(edges.bottom, row);
    edges.left = Math.min(edges.left, column);
    edges.right = Math.max(edges.right, column);
  }
  const [height, width] = [edges.bottom - edges.top + 1, edges.right - edges.left + 1];
  if (height * width > MAX_CELLS) {
    throw new ParseError(
      'DOCUMENT_TOO_LARGE',
      `The range has ${height * width} cells, including empty ones. The limit is ${MAX_CELLS}.`,
    );
  }
  const rows = Array.from({ length: height }, () => new Array<string>(width).fill(''));
  for (const [row, column, text] of cells) rows[row - edges.top]![column - edges.left] = text;
  const type = height > 1 && width > 1 ? 'table' : 'extra';
  return { row: edges.top, column: edges.left, rows, type, title: null };
}
