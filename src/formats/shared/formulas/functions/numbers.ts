import { broadcast } from '#src/formats/shared/formulas/broadcast.ts';
import { type Sheets, single } from '#src/formats/shared/formulas/sheets.ts';
import {
  Area,
  CellError,
  isError,
  type Scalar,
  toNumber,
  type Value,
} from '#src/formats/shared/formulas/values.ts';
import { type Call, type FormulaFunction, valueAt } from './call.ts';

/** A function of single values; of ranges in an array formula it is asked for each place. */
export function eachPlace(operation: (values: Scalar[], sheets: Sheets) => Scalar): FormulaFunction {
  return (call: Call): Value => {
    const { sheets, place } = call;
    const values = call.args.map((_, at) => {
      const value = valueAt(call, at);
      if (!(value instanceof Area)) return value;
      return place.array && !value.isCell ? sheets.matrix(value) : single(value, sheets, place);
    });
    return broadcast(values, sheets, (scalars) => scalars.find(isError) ?? operation(scalars, sheets));
  };
}

/** A function of numbers; NaN and infinity become #NUM!. */
const of = (calculate: (...numbers: number[]) => number, least: number, most = least) =>
  eachPlace((values) => {
    if (values.length < least || values.length > most) return new CellError('#VALUE!');
    const numbers = values.map(toNumber);
    const wrong = numbers.find(isError);
    if (wrong) return wrong;
    const result = calculate(...(numbers as number[]));
    return Number.isFinite(result) ? result : new CellError('#NUM!');
  });

/** Moves a number's point in its writing, where no digit is lost. */
function shifted(number: number, digits: number): number {
  const [mantissa, exponent = '0'] = String(number).split('e');
  return Number(`${mantissa}e${Number(exponent) + digits}`);
}

/** Rounds the number without its sign, at so many digits; decimal places are moved in the text, where 1.005 is exact. */
function rounded(number: number, digits: number, round: (value: number) => number): number {
  const places = Math.trunc(digits);
  if (Math.abs(places) > 20) return places > 0 ? number : 0;
  const size = Math.abs(number);
  if (size >= 1e21 || (size !== 0 && size < 1e-6)) {
    const scale = 10 ** places;
    return (Math.sign(number) * round(size * scale)) / scale;
  }
  return Math.sign(number) * shifted(round(shifted(size, places)), -places);
}

const modulo = (number: number, divisor: number) => number - divisor * Math.floor(number / divisor);

/** The multiple of a step on one side of a number. */
function multiple(number: number, step: number, round: (value: number) => number): number {
  if (step === 0) return 0;
  return Number((round(Number((number / step).toPrecision(15))) * step).toPrecision(15));
}

function factorial(number: number): number {
  if (number < 0 || number > 170) return Number.NaN;
  let result = 1;
  for (let factor = 2; factor <= Math.trunc(number); factor++) result *= factor;
  return result;
}

function chosenOf(all: number, some: number): number {
  const [n, k] = [Math.trunc(all), Math.trunc(some)];
  if (k < 0 || n < k || n > 1030) return Number.NaN;
  let result = 1;
  for (let at = 1; at <= Math.min(k, n - k); at++) result = (result * (n - at + 1)) / at;
  return Math.round(result);
}

const awayFromZero = (number: number, step: number) =>
  Math.sign(number) * multiple(Math.abs(number), step, Math.ceil);

export const NUMBERS: Record<string, FormulaFunction> = {
  ABS: of(Math.abs, 1),
  ACOS: of(Math.acos, 1),
  ASIN: of(Math.asin, 1),
  ATAN: of(Math.atan, 1),
  ATAN2: of((x, y) => Math.atan2(y!, x!), 2),
  COS: of(Math.cos, 1),
  COSH: of(Math.cosh, 1),
  DEGREES: of((angle) => (angle! * 180) / Math.PI, 1),
  EXP: of(Math.exp, 1),
  INT: of(Math.floor, 1),
  LN: of(Math.log, 1),
  LOG: of(
    (number, base = 10) => (base === 10 ? Math.log10(number!) : Math.log(number!) / Math.log(base)),
    1,
    2,
  ),
  LOG10: of(Math.log10, 1),
  PI: of(() => Math.PI, 0),
  POWER: of((base, exponent) => (base === 0 && exponent === 0 ? Number.NaN : base! ** exponent!), 2),
  RADIANS: of((angle) => (angle! * Math.PI) / 180, 1),
  SIGN: of(Math.sign, 1),
  SIN: of(Math.sin, 1),
  SINH: of(Math.sinh, 1),
  SQRT: of(Math.sqrt, 1),
  TAN: of(Math.tan, 1),
  TANH: of(Math.tanh, 1),
  FACT: of(factorial, 1),
  COMBIN: of(chosenOf, 2),
  ROUND: of((number, digits = 0) => rounded(number!, digits, Math.round), 1, 2),
  ROUNDUP: of((number, digits = 0) => rounded(number!, digits, Math.ceil), 1, 2),
  ROUNDDOWN: of((number, digits = 0) => rounded(number!, digits, Math.floor), 1, 2),
  TRUNC: of((number, digits = 0) => rounded(number!, digits, Math.floor), 1, 2),
  EVEN: of((number) => awayFromZero(number!, 2), 1),
  ODD: of(
    (number) => (Math.sign(number!) || 1) * (multiple(Math.max(0, Math.abs(number!) - 1), 2, Math.ceil) + 1),
    1,
  ),
  MROUND: of((number, step) => (number! * step! < 0 ? Number.NaN : multiple(number!, step!, Math.round)), 2),
  CEILING: of(
    (number, step = 1) => (number! > 0 && step < 0 ? Number.NaN : multiple(number!, step, Math.ceil)),
    1,
    2,
  ),
  FLOOR: of(
    (number, step = 1) => (number! > 0 && step < 0 ? Number.NaN : multiple(number!, step, Math.floor)),
    1,
    2,
  ),
  'CEILING.MATH': of((number, step = 1) => multiple(number!, Math.abs(step), Math.ceil), 1, 2),
  'FLOOR.MATH': of((number, step = 1) => multiple(number!, Math.abs(step), Math.floor), 1, 2),
  MOD: eachPlace(([number, divisor]) => {
    const [a, b] = [toNumber(number ?? null), toNumber(divisor ?? null)];
    if (isError(a)) return a;
    if (isError(b)) return b;
    return b === 0 ? new CellError('#DIV/0!') : modulo(a, b);
  }),
  QUOTIENT: eachPlace(([number, divisor]) => {
    const [a, b] = [toNumber(number ?? null), toNumber(divisor ?? null)];
    if (isError(a)) return a;
    if (isError(b)) return b;
    return b === 0 ? new CellError('#DIV/0!') : Math.trunc(a / b);
  }),
};
