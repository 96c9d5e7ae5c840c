import { Area, type Matrix, type Scalar } from '#src/formats/shared/formulas/values.ts';
import { type Call, type FormulaFunction, fail, scalarAt, toMatrix, valueAt } from './call.ts';
import { parseCriterion } from './criteria.ts';

interface Condition {
  cells: Matrix;
  test: (value: Scalar) => boolean;
}

/** Returns an area that has the dimensions of `size` and starts at the top left corner of `value`. */
function resizeLike(value: Area, size: Area): Area {
  const [height, width] = [size.bottom - size.top, size.right - size.left];
  return new Area(value.sheet, value.top, value.left, value.top + height, value.left + width);
}

function readCondition(call: Call, at: number): Condition {
  return {
    cells: toMatrix(valueAt(call, at), call),
    test: parseCriterion(scalarAt(call, at + 1), (steps) => call.sheets.spend(steps)),
  };
}

function* iteratePositions({ cells }: Condition): Generator<[row: number, column: number]> {
  for (const [row, line] of cells.entries()) for (const column of line.keys()) yield [row, column];
}

function selectMatching(conditions: Condition[], values: Matrix): Scalar[] {
  const first = conditions[0]!;
  const found: Scalar[] = [];
  for (const [row, column] of iteratePositions(first)) {
    if (conditions.every(({ cells, test }) => test(cells[row]?.[column] ?? null)))
      found.push(values[row]?.[column] ?? null);
  }
  return found;
}

function readConditions(call: Call, from: number): Condition[] {
  if (call.args.length < from + 2 || (call.args.length - from) % 2 !== 0) return fail('#VALUE!');
  return Array.from({ length: (call.args.length - from) / 2 }, (_, at) => readCondition(call, from + at * 2));
}

function collectMatchingNumbers(call: Call, several: boolean): number[] {
  let found: Scalar[];
  if (several) found = selectMatching(readConditions(call, 1), toMatrix(valueAt(call, 0), call));
  else {
    const tested = valueAt(call, 0);
    const summed = call.args.length > 2 ? valueAt(call, 2) : tested;
    const values = summed instanceof Area && tested instanceof Area ? resizeLike(summed, tested) : summed;
    found = selectMatching([readCondition(call, 0)], toMatrix(values, call));
  }
  return found.filter((value) => typeof value === 'number');
}

const total = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0);
const mean = (numbers: number[]) => (numbers.length > 0 ? total(numbers) / numbers.length : fail('#DIV/0!'));
const most = (numbers: number[]) => numbers.reduce((a, b) => Math.max(a, b), numbers[0] ?? 0);
const least = (numbers: number[]) => numbers.reduce((a, b) => Math.min(a, b), numbers[0] ?? 0);

/**
 * Counts the cells that meet the conditions. If empty cells meet the conditions, cells of the range after the
 * last stored cell count too.
 */
function countMatching(call: Call, conditions: Condition[]): number {
  const found = selectMatching(conditions, []).length;
  const area = valueAt(call, 0);
  if (!(area instanceof Area) || !conditions.every(({ test }) => test(null))) return found;
  const [height, width] = [area.bottom - area.top + 1, area.right - area.left + 1];
  const seen = conditions[0]!.cells.reduce((sum, row) => sum + row.length, 0);
  return found + height * width - seen;
}

export const CONDITIONAL: Record<string, FormulaFunction> = {
  COUNTIF: (call) => countMatching(call, [readCondition(call, 0)]),
  COUNTIFS: (call) => countMatching(call, readConditions(call, 0)),
  SUMIF: (call) => total(collectMatchingNumbers(call, false)),
  SUMIFS: (call) => total(collectMatchingNumbers(call, true)),
  AVERAGEIF: (call) => mean(collectMatchingNumbers(call, false)),
  AVERAGEIFS: (call) => mean(collectMatchingNumbers(call, true)),
  MAXIFS: (call) => most(collectMatchingNumbers(call, true)),
  MINIFS: (call) => least(collectMatchingNumbers(call, true)),
};
