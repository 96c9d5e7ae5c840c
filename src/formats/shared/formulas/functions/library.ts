import type * as Formulas from '@formulajs/formulajs';
import {
  CellError,
  errorOf,
  isError,
  type Matrix,
  type Scalar,
  Uncomputable,
} from '#src/formats/shared/formulas/values.ts';
import { type Call, type FormulaFunction, numberAt, numbersOf, rowsOf, valueAt } from './call.ts';
import { eachPlace } from './numbers.ts';

/**
 * Dates, statistics and finance, by a library. Only functions whose work grows with the number of their arguments
 * are named here: others of it count up to a number that a formula may choose.
 */

type Called = (...values: unknown[]) => unknown;

let library: typeof Formulas | undefined;

/** Has to end before the first of its functions is called. */
export async function loadLibrary(): Promise<void> {
  library ??= await import('@formulajs/formulajs');
}

function called(path: string): Called {
  let found: unknown = library;
  for (const name of path.split('.')) found = (found as Record<string, unknown> | undefined)?.[name];
  if (typeof found !== 'function') throw new Uncomputable('the functions are not loaded');
  return found as Called;
}

const DAY = 86_400_000;
const EPOCH = Date.UTC(1899, 11, 30);

function serialOf(date: Date): Scalar {
  const utc = Date.UTC(
    ...[date.getFullYear(), date.getMonth(), date.getDate()],
    ...([date.getHours(), date.getMinutes(), date.getSeconds()] as const),
  );
  return Number.isNaN(utc) ? new CellError('#VALUE!') : (utc - EPOCH) / DAY;
}

function resultOf(value: unknown): Scalar {
  if (value instanceof Error) return errorOf(value.message);
  if (value instanceof Date) return serialOf(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : new CellError('#NUM!');
  return typeof value === 'string' || typeof value === 'boolean' ? value : new CellError('#VALUE!');
}

const DATES = [
  ...['DATE', 'YEAR', 'MONTH', 'DAY', 'HOUR', 'MINUTE', 'SECOND', 'TIME', 'WEEKDAY', 'WEEKNUM', 'ISOWEEKNUM'],
  ...['EDATE', 'EOMONTH', 'DATEDIF', 'DAYS', 'DAYS360', 'YEARFRAC', 'DATEVALUE', 'TIMEVALUE'],
];
const FINANCE = ['PMT', 'IPMT', 'PPMT', 'FV', 'PV', 'NPER', 'RATE', 'SLN', 'SYD', 'EFFECT', 'NOMINAL'];

/** Functions of all the numbers in their arguments. */
const SAMPLES: Record<string, string> = {
  MEDIAN: 'MEDIAN',
  STDEV: 'STDEV.S',
  'STDEV.S': 'STDEV.S',
  STDEVP: 'STDEV.P',
  'STDEV.P': 'STDEV.P',
  VAR: 'VAR.S',
  'VAR.S': 'VAR.S',
  VARP: 'VAR.P',
  'VAR.P': 'VAR.P',
  MODE: 'MODE.SNGL',
  'MODE.SNGL': 'MODE.SNGL',
  GEOMEAN: 'GEOMEAN',
  HARMEAN: 'HARMEAN',
  AVEDEV: 'AVEDEV',
  DEVSQ: 'DEVSQ',
};

/** Functions of the numbers in a range, and of one number more. */
const RANKED: Record<string, string> = {
  LARGE: 'LARGE',
  SMALL: 'SMALL',
  PERCENTILE: 'PERCENTILE.INC',
  'PERCENTILE.INC': 'PERCENTILE.INC',
  QUARTILE: 'QUARTILE.INC',
  'QUARTILE.INC': 'QUARTILE.INC',
};

const ofValues = (path: string, isDate: boolean) =>
  eachPlace((values, sheets) => {
    if (isDate && sheets.date1904) throw new Uncomputable('the workbook counts days from 1904');
    // The library tells what was left out by its being undefined.
    return resultOf(called(path)(...values.map((value) => value ?? 0)));
  });

const ofSample =
  (path: string): FormulaFunction =>
  (call) => {
    const numbers = numbersOf(call);
    return numbers.length > 0
      ? resultOf(called(path)(numbers))
      : new CellError(path === 'MEDIAN' ? '#NUM!' : '#DIV/0!');
  };

const firstNumbers = (call: Call, at: number): number[] =>
  numbersOf({ ...call, args: call.args.slice(at, at + 1) });

const ofRanked =
  (path: string): FormulaFunction =>
  (call) => {
    const numbers = firstNumbers(call, 0);
    return numbers.length > 0 ? resultOf(called(path)(numbers, numberAt(call, 1))) : new CellError('#NUM!');
  };

const rank: FormulaFunction = (call) => {
  const [wanted, numbers, ascending] = [numberAt(call, 0), firstNumbers(call, 1), numberAt(call, 2) !== 0];
  if (!numbers.includes(wanted)) return new CellError('#N/A');
  return 1 + numbers.filter((number) => (ascending ? number < wanted : number > wanted)).length;
};

/** The places where two ranges both have a number. */
const ofPairs =
  (path: string): FormulaFunction =>
  (call) => {
    const [a, b] = [0, 1].map((at) => (rowsOf(valueAt(call, at), call) as Matrix).flat()) as [
      Scalar[],
      Scalar[],
    ];
    const wrong = [...a, ...b].find(isError);
    if (wrong) return wrong;
    const both = a.map((value, at) => [value, b[at]] as const);
    const pairs = both.filter(([x, y]) => typeof x === 'number' && typeof y === 'number');
    if (pairs.length < 2) return new CellError('#DIV/0!');
    return resultOf(
      called(path)(
        pairs.map(([x]) => x),
        pairs.map(([, y]) => y),
      ),
    );
  };

const from = <Key extends string>(names: readonly Key[], make: (name: Key) => FormulaFunction) =>
  Object.fromEntries(names.map((name) => [name, make(name)]));

export const LIBRARY: Record<string, FormulaFunction> = {
  ...from(DATES, (name) => ofValues(name, true)),
  ...from(FINANCE, (name) => ofValues(name, false)),
  ...from(Object.keys(SAMPLES), (name) => ofSample(SAMPLES[name]!)),
  ...from(Object.keys(RANKED), (name) => ofRanked(RANKED[name]!)),
  ...from(['CORREL', 'SLOPE', 'INTERCEPT', 'RSQ'], ofPairs),
  RANK: rank,
  'RANK.EQ': rank,
  NPV: (call) => resultOf(called('NPV')(numberAt(call, 0), ...numbersOf(call, 1))),
  IRR: (call) => resultOf(called('IRR')(firstNumbers(call, 0), numberAt(call, 1, 0.1))),
};
