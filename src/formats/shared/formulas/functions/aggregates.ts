import { SSF } from '@e965/xlsx';
import { Area, isError, isMatrix, toNumber, type Value } from '#src/formats/shared/formulas/values.ts';
import {
  type Call,
  collectNumbers,
  collectValues,
  type FormulaFunction,
  fail,
  numberAt,
  scalarAt,
  textAt,
  toMatrix,
  valueAt,
} from './call.ts';

const total = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);
const MAX_TEXT = 32_767;

function sumProducts(call: Call): number {
  const matrices = call.args.map((_, at) => toMatrix(evaluateAsArray(call, at), call));
  const first = matrices[0] ?? [];
  const fits = matrices.every(
    ({ length, ...rows }) => length === first.length && rows[0]?.length === first[0]?.length,
  );
  if (!fits) return fail('#VALUE!');
  let sum = 0;
  first.forEach((row, y) => {
    row.forEach((_, x) => {
      let one = 1;
      for (const matrix of matrices) {
        const cell = matrix[y]?.[x] ?? null;
        if (isError(cell)) fail(cell.code);
        one *= typeof cell === 'number' ? cell : 0;
      }
      sum += one;
    });
  });
  return sum;
}

/** Evaluates an argument as in an array formula, where a range represents all of its cells. */
const evaluateAsArray = ({ args, sheets, position, evaluate }: Call, at: number): Value =>
  evaluate(args[at]!, sheets, { ...position, isArrayFormula: true });

function countNumbers(call: Call): number {
  let count = 0;
  call.args.forEach((_, at) => {
    const value = valueAt(call, at);
    if (value instanceof Area || isMatrix(value)) {
      for (const row of toMatrix(value, call)) for (const cell of row) if (typeof cell === 'number') count++;
    } else if (typeof toNumber(value) === 'number') count++;
  });
  return count;
}

const extreme = (numbers: number[], pick: (a: number, b: number) => number) =>
  numbers.length === 0 ? 0 : numbers.reduce(pick);

function limitText(text: string): string {
  return text.length > MAX_TEXT ? fail('#VALUE!') : text;
}

export const AGGREGATES: Record<string, FormulaFunction> = {
  SUM: (call) => total(collectNumbers(call)),
  SUMSQ: (call) => total(collectNumbers(call).map((number) => number * number)),
  PRODUCT: (call) => collectNumbers(call).reduce((all, number) => all * number, 1),
  AVERAGE(call) {
    const numbers = collectNumbers(call);
    return numbers.length > 0 ? total(numbers) / numbers.length : fail('#DIV/0!');
  },
  COUNT: countNumbers,
  MAX: (call) => extreme(collectNumbers(call), (a, b) => Math.max(a, b)),
  MIN: (call) => extreme(collectNumbers(call), (a, b) => Math.min(a, b)),
  SUMPRODUCT: sumProducts,
  CONCAT: (call) => limitText(collectValues(call).map(toTextOrFail).join('')),
  CONCATENATE: (call) => limitText(call.args.map((_, at) => textAt(call, at)).join('')),
  TEXTJOIN(call) {
    const skipEmpty = Boolean(scalarAt(call, 1));
    const texts = collectValues(call, 2).map(toTextOrFail);
    return limitText(texts.filter((text) => !skipEmpty || text !== '').join(textAt(call, 0)));
  },
  REPT(call) {
    const [text, times] = [textAt(call, 0), Math.trunc(numberAt(call, 1))];
    if (times < 0 || text.length * times > MAX_TEXT) return fail('#VALUE!');
    return text.repeat(times);
  },
  TEXT(call) {
    const [value, format] = [scalarAt(call, 0), textAt(call, 1)];
    const number = toNumber(value);
    if (isError(number)) return typeof value === 'string' ? value : number;
    if (format.length > 255) return fail('#VALUE!');
    return SSF.format(format, number, { date1904: call.sheets.date1904 });
  },
};

function toTextOrFail(value: Parameters<typeof toNumber>[0]): string {
  if (isError(value)) return fail(value.code);
  return value === null ? '' : typeof value === 'boolean' ? String(value).toUpperCase() : String(value);
}
