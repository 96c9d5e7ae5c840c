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
  rowsOf,
  scalarAt,
  valueAt,
} from './call.ts';
import { matchesWildcards, type Spend } from './criteria.ts';

/** Finding values and cells by what stands beside them. */

const countSteps =
  ({ sheets }: Call): Spend =>
  (steps) =>
    sheets.spend(steps);

const sameKind = (a: Scalar, b: Scalar) => typeof a === typeof b && !isError(a) && a !== null;

function exactly(values: readonly Scalar[], wanted: Scalar, wildcards: boolean, spend: Spend): number {
  if (typeof wanted === 'string' && wildcards && /[*?~]/.test(wanted)) {
    const pattern = wanted.toLowerCase();
    return values.findIndex(
      (value) => typeof value === 'string' && matchesWildcards(value.toLowerCase(), pattern, spend),
    );
  }
  return values.findIndex((value) => sameKind(value, wanted) && compare(value, wanted) === 0);
}

/** The last of sorted values that is not beyond the wanted one, found by halving; -1 when all are. */
function upTo(values: readonly Scalar[], wanted: Scalar): number {
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

/** The nearest value on one side, in any order. */
function nearest(values: readonly Scalar[], wanted: Scalar, below: boolean): number {
  let best = -1;
  values.forEach((value, at) => {
    if (!sameKind(value, wanted)) return;
    const order = compare(value, wanted);
    if (below ? order > 0 : order < 0) return;
    if (best < 0 || compare(value, values[best]!) > 0 === below) best = at;
  });
  return best;
}

const line = (matrix: Matrix): Scalar[] =>
  matrix.length === 1 ? matrix[0]! : matrix.map((row) => row[0] ?? null);
const found = (at: number) => (at < 0 ? fail('#N/A') : at);

function wantedOf(call: Call): Scalar {
  const wanted = scalarAt(call, 0);
  return isError(wanted) ? fail(wanted.code) : (wanted ?? 0);
}

function inTable(call: Call, across: boolean): Scalar {
  const wanted = wantedOf(call);
  const rows = rowsOf(valueAt(call, 1), call);
  const keys = across ? (rows[0] ?? []) : rows.map((row) => row[0] ?? null);
  const index = Math.trunc(numberAt(call, 2)) - 1;
  if (index < 0) return fail('#VALUE!');
  const value = valueAt(call, 1);
  const width =
    value instanceof Area ? (across ? value.bottom - value.top : value.right - value.left) : undefined;
  if (index > (width ?? (across ? rows.length : (rows[0]?.length ?? 0)) - 1)) return fail('#REF!');
  const at = found(
    booleanAt(call, 3, true) ? upTo(keys, wanted) : exactly(keys, wanted, true, countSteps(call)),
  );
  return (across ? rows[index]?.[at] : rows[at]?.[index]) ?? 0;
}

function reference(call: Call, at: number): Area {
  const value = valueAt(call, at);
  return value instanceof Area ? value : fail('#VALUE!');
}

/** Part of a value; 0 stands for a whole row or column. */
function indexed(call: Call): Value {
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
  const rows = rowsOf(value, call);
  if (rows.length === 1 && isMissing(call, 2)) [row, column] = [1, row];
  const taken = row === 0 ? rows : rows.slice(row - 1, row);
  const cells = column === 0 ? taken : taken.map((cells) => cells.slice(column - 1, column));
  return cells.length > 0 && cells[0]!.length > 0 ? cells : fail('#REF!');
}

export const LOOKUP: Record<string, FormulaFunction> = {
  VLOOKUP: (call) => inTable(call, false),
  HLOOKUP: (call) => inTable(call, true),
  LOOKUP(call) {
    const rows = rowsOf(valueAt(call, 1), call);
    const wide = (rows[0]?.length ?? 0) > rows.length;
    const keys = wide ? (rows[0] ?? []) : rows.map((row) => row[0] ?? null);
    const at = found(upTo(keys, wantedOf(call)));
    if (call.args.length > 2) return line(rowsOf(valueAt(call, 2), call))[at] ?? 0;
    return (wide ? rows[rows.length - 1]?.[at] : rows[at]?.[rows[at].length - 1]) ?? 0;
  },
  MATCH(call) {
    const values = line(rowsOf(valueAt(call, 1), call));
    const kind = numberAt(call, 2, 1);
    const wanted = wantedOf(call);
    if (kind === 0) return found(exactly(values, wanted, true, countSteps(call))) + 1;
    return found(kind > 0 ? upTo(values, wanted) : nearest(values, wanted, false)) + 1;
  },
  XMATCH(call) {
    const values = line(rowsOf(valueAt(call, 1), call));
    const kind = numberAt(call, 2);
    const at = exactly(values, wantedOf(call), kind === 2, countSteps(call));
    if (at >= 0 || kind === 0 || kind === 2) return found(at) + 1;
    return found(nearest(values, wantedOf(call), kind < 0)) + 1;
  },
  XLOOKUP(call) {
    const keys = rowsOf(valueAt(call, 1), call);
    const values = line(keys);
    const kind = numberAt(call, 4);
    const wanted = wantedOf(call);
    let at = exactly(values, wanted, kind === 2, countSteps(call));
    if (at < 0 && (kind === 1 || kind === -1)) at = nearest(values, wanted, kind < 0);
    if (at < 0) return isMissing(call, 3) ? fail('#N/A') : scalarAt(call, 3);
    const results = rowsOf(valueAt(call, 2), call);
    return keys.length === 1 ? results.map((row) => [row[at] ?? 0]) : [results[at] ?? [0]];
  },
  INDEX: indexed,
  OFFSET(call) {
    const base = reference(call, 0);
    const [top, left] = [base.top + Math.trunc(numberAt(call, 1)), base.left + Math.trunc(numberAt(call, 2))];
    const height = Math.trunc(numberAt(call, 3, base.bottom - base.top + 1));
    const width = Math.trunc(numberAt(call, 4, base.right - base.left + 1));
    if (top < 0 || left < 0 || height < 1 || width < 1) return fail('#REF!');
    return new Area(base.sheet, top, left, top + height - 1, left + width - 1);
  },
  ROW: (call) => (call.args.length > 0 ? reference(call, 0).top : call.place.row) + 1,
  COLUMN: (call) => (call.args.length > 0 ? reference(call, 0).left : call.place.column) + 1,
  ROWS(call) {
    const value = valueAt(call, 0);
    return value instanceof Area ? value.bottom - value.top + 1 : rowsOf(value, call).length;
  },
  COLUMNS(call) {
    const value = valueAt(call, 0);
    return value instanceof Area ? value.right - value.left + 1 : (rowsOf(value, call)[0]?.length ?? 0);
  },
};
