import {
  Area,
  compare,
  isError,
  type Matrix,
  type Scalar,
  type Value,
} from '#src/formats/shared/formulas/values.ts';
import {
  booleanAt,
  type Call,
  type FormulaFunction,
  fail,
  isMissing,
  numberAt,
  scalarAt,
  toMatrix,
  valueAt,
} from './call.ts';
import { matchesWildcards, type Spend } from './criteria.ts';

const countSteps =
  ({ sheets }: Call): Spend =>
  (steps) =>
    sheets.spend(steps);

const sameKind = (a: Scalar, b: Scalar) => typeof a === typeof b && !isError(a) && a !== null;

function findExact(values: readonly Scalar[], wanted: Scalar, wildcards: boolean, spend: Spend): number {
  if (typeof wanted === 'string' && wildcards && /[*?~]/.test(wanted)) {
    const pattern = wanted.toLowerCase();
    return values.findIndex(
      (value) => typeof value === 'string' && matchesWildcards(value.toLowerCase(), pattern, spend),
    );
  }
  return values.findIndex((value) => sameKind(value, wanted) && compare(value, wanted) === 0);
}

/**
 * Returns the index of the last value that is not greater than `wanted`, or -1 if all are greater. The values
 * must be sorted, because the search is binary.
 */
function findLastNotAbove(values: readonly Scalar[], wanted: Scalar): number {
  let [low, high] = [0, values.length - 1];
  let found = -1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    let at = middle;
    while (at <= high && !sameKind(values[at] ?? null, wanted)) at++;
    if (at > high) high = middle - 1;
    else if (compare(values[at] ?? null, wanted) <= 0) [found, low] = [at, at + 1];
    else high = middle - 1;
  }
  return found;
}

/**
 * Returns the index of the value that is nearest to `wanted`, either below or above it. The values may be
 * unsorted. Returns -1 if there is no such value.
 */
function findNearest(values: readonly Scalar[], wanted: Scalar, below: boolean): number {
  let best = -1;
  values.forEach((value, at) => {
    if (!sameKind(value, wanted)) return;
    const order = compare(value, wanted);
    if (below ? order > 0 : order < 0) return;
    if (best < 0 || compare(value, values[best]!) > 0 === below) best = at;
  });
  return best;
}

const toList = (matrix: Matrix): Scalar[] =>
  matrix.length === 1 ? matrix[0]! : matrix.map((row) => row[0] ?? null);
const requireFound = (at: number) => (at < 0 ? fail('#N/A') : at);

function getSearchValue(call: Call): Scalar {
  const wanted = scalarAt(call, 0);
  return isError(wanted) ? fail(wanted.code) : (wanted ?? 0);
}

function lookUpInTable(call: Call, across: boolean): Scalar {
  const wanted = getSearchValue(call);
  const rows = toMatrix(valueAt(call, 1), call);
  const keys = across ? (rows[0] ?? []) : rows.map((row) => row[0] ?? null);
  const index = Math.trunc(numberAt(call, 2)) - 1;
  if (index < 0) return fail('#VALUE!');
  const value = valueAt(call, 1);
  const width =
    value instanceof Area ? (across ? value.bottom - value.top : value.right - value.left) : undefined;
  if (index > (width ?? (across ? rows.length : (rows[0]?.length ?? 0)) - 1)) return fail('#REF!');
  const at = requireFound(
    booleanAt(call, 3, true)
      ? findLastNotAbove(keys, wanted)
      : findExact(keys, wanted, true, countSteps(call)),
  );
  return (across ? rows[index]?.[at] : rows[at]?.[index]) ?? 0;
}

function getAreaArgument(call: Call, at: number): Area {
  const value = valueAt(call, at);
  return value instanceof Area ? value : fail('#VALUE!');
}

/**
 * Implements the spreadsheet function INDEX, which returns a part of a range or matrix. The index 0 selects a
 * whole row or column.
 */
function selectByIndex(call: Call): Value {
  const value = valueAt(call, 0);
  let [row, column] = [Math.trunc(numberAt(call, 1)), Math.trunc(numberAt(call, 2))];
  if (value instanceof Area) {
    const [height, width] = [value.bottom - value.top + 1, value.right - value.left + 1];
    if (height === 1 && isMissing(call, 2)) [row, column] = [1, row];
    if (row < 0 || column < 0 || row > height || column > width) return fail('#REF!');
    const [top, left] = [value.top + Math.max(0, row - 1), value.left + Math.max(0, column - 1)];
    const area = new Area(
      value.sheet,
      top,
      left,
      row === 0 ? value.bottom : top,
      column === 0 ? value.right : left,
    );
    return width === 1 && column === 0 && row > 0 ? new Area(value.sheet, top, left, top, left) : area;
  }
  const rows = toMatrix(value, call);
  if (rows.length === 1 && isMissing(call, 2)) [row, column] = [1, row];
  const taken = row === 0 ? rows : rows.slice(row - 1, row);
  const cells = column === 0 ? taken : taken.map((cells) => cells.slice(column - 1, column));
  return cells.length > 0 && cells[0]!.length > 0 ? cells : fail('#REF!');
}

export const LOOKUP: Record<string, FormulaFunction> = {
  VLOOKUP: (call) => lookUpInTable(call, false),
  HLOOKUP: (call) => lookUpInTable(call, true),
  LOOKUP(call) {
    const rows = toMatrix(valueAt(call, 1), call);
    const wide = (rows[0]?.length ?? 0) > rows.length;
    const keys = wide ? (rows[0] ?? []) : rows.map((row) => row[0] ?? null);
    const at = requireFound(findLastNotAbove(keys, getSearchValue(call)));
    if (call.args.length > 2) return toList(toMatrix(valueAt(call, 2), call))[at] ?? 0;
    return (wide ? rows[rows.length - 1]?.[at] : rows[at]?.[rows[at].length - 1]) ?? 0;
  },
  MATCH(call) {
    const values = toList(toMatrix(valueAt(call, 1), call));
    const kind = numberAt(call, 2, 1);
    const wanted = getSearchValue(call);
    if (kind === 0) return requireFound(findExact(values, wanted, true, countSteps(call))) + 1;
    return requireFound(kind > 0 ? findLastNotAbove(values, wanted) : findNearest(values, wanted, false)) + 1;
  },
  XMATCH(call) {
    const values = toList(toMatrix(valueAt(call, 1), call));
    const kind = numberAt(call, 2);
    const at = findExact(values, getSearchValue(call), kind === 2, countSteps(call));
    if (at >= 0 || kind === 0 || kind === 2) return requireFound(at) + 1;
    return requireFound(findNearest(values, getSearchValue(call), kind < 0)) + 1;
  },
  XLOOKUP(call) {
    const keys = toMatrix(valueAt(call, 1), call);
    const values = toList(keys);
    const kind = numberAt(call, 4);
    const wanted = getSearchValue(call);
    let at = findExact(values, wanted, kind === 2, countSteps(call));
    if (at < 0 && (kind === 1 || kind === -1)) at = findNearest(values, wanted, kind < 0);
    if (at < 0) return isMissing(call, 3) ? fail('#N/A') : scalarAt(call, 3);
    const results = toMatrix(valueAt(call, 2), call);
    return keys.length === 1 ? results.map((row) => [row[at] ?? 0]) : [results[at] ?? [0]];
  },
  INDEX: selectByIndex,
  OFFSET(call) {
    const base = getAreaArgument(call, 0);
    const [top, left] = [base.top + Math.trunc(numberAt(call, 1)), base.left + Math.trunc(numberAt(call, 2))];
    const height = Math.trunc(numberAt(call, 3, base.bottom - base.top + 1));
    const width = Math.trunc(numberAt(call, 4, base.right - base.left + 1));
    if (top < 0 || left < 0 || height < 1 || width < 1) return fail('#REF!');
    return new Area(base.sheet, top, left, top + height - 1, left + width - 1);
  },
  ROW: (call) => (call.args.length > 0 ? getAreaArgument(call, 0).top : call.position.row) + 1,
  COLUMN: (call) => (call.args.length > 0 ? getAreaArgument(call, 0).left : call.position.column) + 1,
  ROWS(call) {
    const value = valueAt(call, 0);
    return value instanceof Area ? value.bottom - value.top + 1 : toMatrix(value, call).length;
  },
  COLUMNS(call) {
    const value = valueAt(call, 0);
    return value instanceof Area ? value.right - value.left + 1 : (toMatrix(value, call)[0]?.length ?? 0);
  },
};
