import { broadcast } from '#src/formats/shared/formulas/broadcast.ts';
import { type FormulaSheets, toSingleValue } from '#src/formats/shared/formulas/sheets.ts';
import {
  Area,
  CellError,
  isError,
  type Scalar,
  toNumber,
  type Value,
} from '#src/formats/shared/formulas/values.ts';
import { type Call, type FormulaFunction, valueAt } from './call.ts';

/**
 * Creates a spreadsheet function of single values. In array formulas, the function is applied to each cell of
 * a range.
 */
export function mapEachCell(operation: (values: Scalar[], sheets: FormulaSheets) => Scalar): FormulaFunction {
  return (call: Call): Value => {
    const { sheets, position } = call;
    const values = call.args.map((_, at) => {
      const value = valueAt(call, at);
      if (!(value instanceof Area)) return value;
      return position.isArrayFormula && !value.isCell
        ? sheets.matrix(value)
        : toSingleValue(value, sheets, position);
    });
    return broadcast(values, sheets, (scalars) => scalars.find(isError) ?? operation(scalars, sheets));
  };
}

/** Creates a spreadsheet function of numbers. Results that are NaN or infinite become the error #NUM!. */
const createNumericFunction = (calculate: (...numbers: number[]) => number, least: number, most = least) =>
  mapEachCell((values) => {
    if (values.length < least || values.length > most) return new CellError('#VALUE!');
    const numbers = values.map(toNumber);
    const wrong = numbers.find(isError);
    if (wrong) return wrong;
    const result = calculate(...(numbers as number[]));
    return Number.isFinite(result) ? result : new CellError('#NUM!');
  });

/** Moves the decimal point of a number in its text form, so that no digit is lost by rounding. */
function shiftDecimalPoint(number: number, digits: number): number {
  const [mantissa, exponent = '0'] = String(number).split('e');
  return Number(`${mantissa}e${Number(exponent) + digits}`);
}

/**
 * Rounds the absolute value of a number to the given number of decimals and restores the sign. The decimal
 * point is moved in the number's text, because multiplying a value such as 1.005 is not exact.
 */
function roundToDigits(number: number, digits: number, round: (value: number) => number): number {
  const places = Math.trunc(digits);
  if (Math.abs(places) > 20) return places > 0 ? number : 0;
  const size = Math.abs(number);
  if (size >= 1e21 || (size !== 0 && size < 1e-6)) {
    const scale = 10 ** places;
    return (Math.sign(number) * round(size * scale)) / scale;
  }
  return Math.sign(number) * shiftDecimalPoint(round(shiftDecimalPoint(size, places)), -places);
}

const modulo = (number: number, divisor: number) => number - divisor * Math.floor(number / divisor);

function roundToMultiple(number: number, step: number, round: (value: number) => number): number {
  if (step === 0) return 0;
  return Number((round(Number((number / step).toPrecision(15))) * step).toPrecision(15));
}

function factorial(number: number): number {
  if (number < 0 || number > 170) return Number.NaN;
  let result = 1;
  for (let factor = 2; factor <= Math.trunc(number); factor++) result *= factor;
  return result;
}

function countCombinations(all: number, some: number): number {
  const [n, k] = [Math.trunc(all), Math.trunc(some)];
  if (k < 0 || n < k || n > 1030) return Number.NaN;
  let result = 1;
  for (let at = 1; at <= Math.min(k, n - k); at++) result = (result * (n - at + 1)) / at;
  return Math.round(result);
}

const roundAwayFromZero = (number: number, step: number) =>
  Math.sign(number) * roundToMultiple(Math.abs(number), step, Math.ceil);

export const NUMBERS: Record<string, FormulaFunction> = {
  ABS: createNumericFunction(Math.abs, 1),
  ACOS: createNumericFunction(Math.acos, 1),
  ASIN: createNumericFunction(Math.asin, 1),
  ATAN: createNumericFunction(Math.atan, 1),
  ATAN2: createNumericFunction((x, y) => Math.atan2(y!, x!), 2),
  COS: createNumericFunction(Math.cos, 1),
  COSH: createNumericFunction(Math.cosh, 1),
  DEGREES: createNumericFunction((angle) => (angle! * 180) / Math.PI, 1),
  EXP: createNumericFunction(Math.exp, 1),
  INT: createNumericFunction(Math.floor, 1),
  LN: createNumericFunction(Math.log, 1),
  LOG: createNumericFunction(
    (number, base = 10) => (base === 10 ? Math.log10(number!) : Math.log(number!) / Math.log(base)),
    1,
    2,
  ),
  LOG10: createNumericFunction(Math.log10, 1),
  PI: createNumericFunction(() => Math.PI, 0),
  POWER: createNumericFunction(
    (base, exponent) => (base === 0 && exponent === 0 ? Number.NaN : base! ** exponent!),
    2,
  ),
  RADIANS: createNumericFunction((angle) => (angle! * Math.PI) / 180, 1),
  SIGN: createNumericFunction(Math.sign, 1),
  SIN: createNumericFunction(Math.sin, 1),
  SINH: createNumericFunction(Math.sinh, 1),
  SQRT: createNumericFunction(Math.sqrt, 1),
  TAN: createNumericFunction(Math.tan, 1),
  TANH: createNumericFunction(Math.tanh, 1),
  FACT: createNumericFunction(factorial, 1),
  COMBIN: createNumericFunction(countCombinations, 2),
  ROUND: createNumericFunction((number, digits = 0) => roundToDigits(number!, digits, Math.round), 1, 2),
  ROUNDUP: createNumericFunction((number, digits = 0) => roundToDigits(number!, digits, Math.ceil), 1, 2),
  ROUNDDOWN: createNumericFunction((number, digits = 0) => roundToDigits(number!, digits, Math.floor), 1, 2),
  TRUNC: createNumericFunction((number, digits = 0) => roundToDigits(number!, digits, Math.floor), 1, 2),
  EVEN: createNumericFunction((number) => roundAwayFromZero(number!, 2), 1),
  ODD: createNumericFunction(
    (number) =>
      (Math.sign(number!) || 1) * (roundToMultiple(Math.max(0, Math.abs(number!) - 1), 2, Math.ceil) + 1),
    1,
  ),
  MROUND: createNumericFunction(
    (number, step) => (number! * step! < 0 ? Number.NaN : roundToMultiple(number!, step!, Math.round)),
    2,
  ),
  CEILING: createNumericFunction(
    (number, step = 1) => (number! > 0 && step < 0 ? Number.NaN : roundToMultiple(number!, step, Math.ceil)),
    1,
    2,
  ),
  FLOOR: createNumericFunction(
    (number, step = 1) => (number! > 0 && step < 0 ? Number.NaN : roundToMultiple(number!, step, Math.floor)),
    1,
    2,
  ),
  'CEILING.MATH': createNumericFunction(
    (number, step = 1) => roundToMultiple(number!, Math.abs(step), Math.ceil),
    1,
    2,
  ),
  'FLOOR.MATH': createNumericFunction(
    (number, step = 1) => roundToMultiple(number!, Math.abs(step), Math.floor),
    1,
    2,
  ),
  MOD: mapEachCell(([number, divisor]) => {
    const [a, b] = [toNumber(number ?? null), toNumber(divisor ?? null)];
    if (isError(a)) return a;
    if (isError(b)) return b;
    return b === 0 ? new CellError('#DIV/0!') : modulo(a, b);
  }),
  QUOTIENT: mapEachCell(([number, divisor]) => {
    const [a, b] = [toNumber(number ?? null), toNumber(divisor ?? null)];
    if (isError(a)) return a;
    if (isError(b)) return b;
    return b === 0 ? new CellError('#DIV/0!') : Math.trunc(a / b);
  }),
};
