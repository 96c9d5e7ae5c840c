import { isRecord } from '#src/json-schema/schema.ts';
import { isAbsent, normalizeValue } from './normalize-value.ts';

/** Weight of all cells that are empty in both rows. Such cells only decide between rows with as many equal values. */
const EMPTY_WEIGHT = 0.5;
/** Maximum number of rows with an equal cell that are considered for a row, if there are too many rows for all pairs. */
const MAX_CANDIDATES = 50;
const MAX_CELL_DEPTH = 8;

/** Number of steps that alignments of one file may still take. Exact alignments take the cube of the row count. */
export interface StepBudget {
  left: number;
}

export interface RowPair {
  /** Index of the expected row. Null if the result has an additional row. */
  expected: number | null;
  /** Index of the row of the result. Null if the result lacks the expected row. */
  actual: number | null;
}

/** Normalized values of a row by path, without empty ones. */
type Cells = Map<string, string>;

/**
 * Pairs expected rows with rows of a result, so that as many cells as possible are equal. The order of the rows does
 * not matter. Rows that are left on both sides are paired in their order. Uses the Hungarian method of Kuhn, 1955,
 * or a greedy method if the rows are too many for the budget.
 */
export function alignRows(
  expected: readonly unknown[],
  actual: readonly unknown[],
  budget: StepBudget,
): RowPair[] {
  const wanted = expected.map((row) => readCells(row));
  const columns = new Set(wanted.flatMap((cells) => [...cells.keys()]));
  // A column that only the result has is not judged, so that it does not count for the alignment.
  const found = actual.map((row) => readCells(row, columns));
  const partners = new Map<number, number>();
  pairIdentical(wanted, found, partners);
  const left = wanted.flatMap((_, index) => (partners.has(index) ? [] : [index]));
  const used = new Set(partners.values());
  const right = found.flatMap((_, index) => (used.has(index) ? [] : [index]));
  const cellCount = left.reduce((sum, index) => sum + wanted[index]!.size, 0);
  const steps = cellCount * right.length + Math.max(left.length, right.length) ** 3;
  if (steps <= budget.left) {
    budget.left -= steps;
    const weigh = (one: number, other: number) => weighPair(wanted[one]!, found[other]!, columns.size);
    pairExactly(left, right, weigh, partners);
  } else pairGreedily(left, right, wanted, found, partners);
  return listPairs(expected.length, actual.length, partners);
}

/** Reads the cells of a row, or only those of some columns. */
function readCells(row: unknown, columns?: ReadonlySet<string>): Cells {
  const cells: Cells = new Map();
  const walk = (node: unknown, path: string, depth: number) => {
    if (isRecord(node) && depth < MAX_CELL_DEPTH) {
      for (const [name, inner] of Object.entries(node)) walk(inner, `${path}.${name}`, depth + 1);
    } else if (!isAbsent(node) && columns?.has(path) !== false) cells.set(path, normalizeValue(node));
  };
  walk(row, '', 0);
  return cells;
}

const toRowKey = (cells: Cells): string => JSON.stringify([...cells].toSorted(compareCells));
const compareCells = ([one]: [string, string], [other]: [string, string]) => (one < other ? -1 : 1);

/** Pairs equal rows. An optimal alignment that contains these pairs always exists. */
function pairIdentical(
  wanted: readonly Cells[],
  found: readonly Cells[],
  partners: Map<number, number>,
): void {
  const places = Map.groupBy(found.keys(), (index) => toRowKey(found[index]!));
  const taken = new Map<string, number>();
  for (const [index, cells] of wanted.entries()) {
    const key = toRowKey(cells);
    const next = taken.get(key) ?? 0;
    const place = places.get(key)?.[next];
    if (place === undefined) continue;
    taken.set(key, next + 1);
    partners.set(index, place);
  }
}

/** Returns the number of equal cells, plus less than 1 for the share of the columns that are empty in both rows. */
function weighPair(one: Cells, other: Cells, columnCount: number): number {
  let equal = 0;
  let common = 0;
  for (const [column, value] of one) {
    const partner = other.get(column);
    if (partner === undefined) continue;
    common += 1;
    if (partner === value) equal += 1;
  }
  const empty = columnCount - (one.size + other.size - common);
  return equal + (EMPTY_WEIGHT * empty) / Math.max(1, columnCount);
}

/** Finds the pairs with the largest total weight with the Hungarian method, in cubic time. */
function pairExactly(
  left: readonly number[],
  right: readonly number[],
  weigh: (one: number, other: number) => number,
  partners: Map<number, number>,
): void {
  if (left.length === 0 || right.length === 0) return;
  const isSwapped = left.length > right.length;
  const [rows, columns] = isSwapped ? [right, left] : [left, right];
  const costs = rows.map((row) =>
    Float64Array.from(columns, (column) => -(isSwapped ? weigh(column, row) : weigh(row, column))),
  );
  for (const [row, column] of assign(costs, columns.length).entries()) {
    if (isSwapped) partners.set(columns[column]!, rows[row]!);
    else partners.set(rows[row]!, columns[column]!);
  }
}

/**
 * Returns the column of each row in the assignment with the lowest total cost. There are at most as many rows as
 * columns. Rows are added one by one along shortest augmenting paths, and potentials keep all reduced costs at 0 or
 * more (Jonker and Volgenant, 1987).
 */
function assign(costs: readonly Float64Array[], width: number): number[] {
  const rowPotential = new Float64Array(costs.length + 1);
  const columnPotential = new Float64Array(width + 1);
  // Rows and columns are counted from 1. Column 0 holds the row that is being added.
  const rowAt = new Int32Array(width + 1);
  const previous = new Int32Array(width + 1);
  for (let row = 1; row <= costs.length; row += 1) {
    rowAt[0] = row;
    let column = 0;
    const shortest = new Float64Array(width + 1).fill(Number.POSITIVE_INFINITY);
    const isVisited = new Uint8Array(width + 1);
    do {
      isVisited[column] = 1;
      const current = rowAt[column]!;
      let delta = Number.POSITIVE_INFINITY;
      let next = 0;
      for (let other = 1; other <= width; other += 1) {
        if (isVisited[other]) continue;
        const reduced = costs[current - 1]![other - 1]! - rowPotential[current]! - columnPotential[other]!;
        if (reduced < shortest[other]!) {
          shortest[other] = reduced;
          previous[other] = column;
        }
        if (shortest[other]! < delta) [delta, next] = [shortest[other]!, other];
      }
      for (let other = 0; other <= width; other += 1) {
        if (isVisited[other]) {
          rowPotential[rowAt[other]!]! += delta;
          columnPotential[other]! -= delta;
        } else shortest[other]! -= delta;
      }
      column = next;
    } while (rowAt[column] !== 0);
    while (column !== 0) {
      rowAt[column] = rowAt[previous[column]!]!;
      column = previous[column]!;
    }
  }
  const columns: number[] = [];
  for (let column = 1; column <= width; column += 1) {
    if (rowAt[column]! > 0) columns[rowAt[column]! - 1] = column - 1;
  }
  return columns;
}

/**
 * Pairs each row with the free row that has the most cells in common. Rare values weigh more, because only some of the
 * rows with a frequent value are considered.
 */
function pairGreedily(
  left: readonly number[],
  right: readonly number[],
  wanted: readonly Cells[],
  found: readonly Cells[],
  partners: Map<number, number>,
): void {
  const places = new Map<string, { total: number; rows: number[] }>();
  for (const index of right) {
    for (const [column, value] of found[index]!) {
      const key = `${column} ${value}`;
      const known = places.get(key) ?? { total: 0, rows: [] };
      known.total += 1;
      if (known.rows.length < MAX_CANDIDATES) known.rows.push(index);
      places.set(key, known);
    }
  }
  const used = new Set<number>();
  for (const index of left) {
    const weights = new Map<number, number>();
    for (const [column, value] of wanted[index]!) {
      const { total, rows } = places.get(`${column} ${value}`) ?? { total: 0, rows: [] };
      for (const row of rows) if (!used.has(row)) weights.set(row, (weights.get(row) ?? 0) + 1 / total);
    }
    let best: number | undefined;
    for (const [row, weight] of weights) {
      if (best === undefined || weight > weights.get(best)!) best = row;
    }
    if (best === undefined) continue;
    used.add(best);
    partners.set(index, best);
  }
}

/** Lists the pairs in the order of the expected rows. Rows that are left are paired in their order. */
function listPairs(
  expectedCount: number,
  actualCount: number,
  partners: ReadonlyMap<number, number>,
): RowPair[] {
  const used = new Set(partners.values());
  const spare = Array.from({ length: actualCount }, (_, index) => index).filter((index) => !used.has(index));
  let taken = 0;
  const pairs: RowPair[] = Array.from({ length: expectedCount }, (_, expected) => {
    const partner = partners.get(expected);
    if (partner !== undefined) return { expected, actual: partner };
    const actual = spare[taken] ?? null;
    taken += 1;
    return { expected, actual };
  });
  return [...pairs, ...spare.slice(taken).map((actual) => ({ expected: null, actual }))];
}
