import { Area, type Matrix, type Scalar } from '#src/formats/shared/formulas/values.ts';
import { type Call, type FormulaFunction, fail, rowsOf, scalarAt, valueAt } from './call.ts';
import { criterion } from './criteria.ts';

/** Sums and counts of what meets conditions. */

interface Condition {
  cells: Matrix;
  test: (value: Scalar) => boolean;
}

/** An area as high and wide as another one, from its own corner. */
function likeSize(value: Area, size: Area): Area {
  const [height, width] = [size.bottom - size.top, size.right - size.left];
  return new Area(value.sheet, value.top, value.left, value.top + height, value.left + width);
}

function conditionAt(call: Call, at: number): Condition {
  return {
    cells: rowsOf(valueAt(call, at), call),
    test: criterion(scalarAt(call, at + 1), (steps) => call.sheets.spend(steps)),
  };
}

function* places({ cells }: Condition): Generator<[row: number, column: number]> {
  for (const [row, line] of cells.entries()) for (const column of line.keys()) yield [row, column];
}

function meeting(conditions: Condition[], values: Matrix): Scalar[] {
  const first = conditions[0]!;
  const found: Scalar[] = [];
  for (const [row, column] of places(first)) {
    if (conditions.every(({ cells, test }) => test(cells[row]?.[column] ?? null)))
      found.push(values[row]?.[column] ?? null);
  }
  return found;
}

function conditionsFrom(call: Call, from: number): Condition[] {
  if (call.args.length < from + 2 || (call.args.length - from) % 2 !== 0) return fail('#VALUE!');
  return Array.from({ length: (call.args.length - from) / 2 }, (_, at) => conditionAt(call, from + at * 2));
}

function numbersMeeting(call: Call, several: boolean): number[] {
  let found: Scalar[];
  if (several) found = meeting(conditionsFrom(call, 1), rowsOf(valueAt(call, 0), call));
  else {
    const tested = valueAt(call, 0);
    const summed = call.args.length > 2 ? valueAt(call, 2) : tested;
    const values = summed instanceof Area && tested instanceof Area ? likeSize(summed, tested) : summed;
    found = meeting([conditionAt(call, 0)], rowsOf(values, call));
  }
  return found.filter((value) => typeof value === 'number');
}

const total = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0);
const mean = (numbers: number[]) => (numbers.length > 0 ? total(numbers) / numbers.length : fail('#DIV/0!'));
const most = (numbers: number[]) => numbers.reduce((a, b) => Math.max(a, b), numbers[0] ?? 0);
const least = (numbers: number[]) => numbers.reduce((a, b) => Math.min(a, b), numbers[0] ?? 0);

/** Of a range's places those that no stored cell fills count too, where the condition asks for empty ones. */
function counted(call: Call, conditions: Condition[]): number {
  const found = meeting(conditions, []).length;
  const area = valueAt(call, 0);
  if (!(area instanceof Area) || !conditions.every(({ test }) => test(null))) return found;
  const [height, width] = [area.bottom - area.top + 1, area.right - area.left + 1];
  const seen = conditions[0]!.cells.reduce((sum, row) => sum + row.length, 0);
  return found + height * width - seen;
}

export const CONDITIONAL: Record<string, FormulaFunction> = {
  COUNTIF: (call) => counted(call, [conditionAt(call, 0)]),
  COUNTIFS: (call) => counted(call, conditionsFrom(call, 0)),
  SUMIF: (call) => total(numbersMeeting(call, false)),
  SUMIFS: (call) => total(numbersMeeting(call, true)),
  AVERAGEIF: (call) => mean(numbersMeeting(call, false)),
  AVERAGEIFS: (call) => mean(numbersMeeting(call, true)),
  MAXIFS: (call) => most(numbersMeeting(call, true)),
  MINIFS: (call) => least(numbersMeeting(call, true)),
};
