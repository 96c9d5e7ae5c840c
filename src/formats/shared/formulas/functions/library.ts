import type * as Formulas from '@formulajs/formulajs';
import {
  CellError,
  isError,
  type Matrix,
  type Scalar,
  toCellError,
  Uncomputable,
} from '#src/formats/shared/formulas/values.ts';
import { type Call, collectNumbers, type FormulaFunction, numberAt, toMatrix, valueAt } from './call.ts';
import { mapEachCell } from './numbers.ts';

/**
 * Function of the library @formulajs/formulajs, which computes dates, statistics and finance. Only functions
 * whose work is proportional to the number of arguments are used. Other functions repeat their work as often
 * as a formula demands.
 */

type Called = (...values: unknown[]) => unknown;

let library: typeof Formulas | undefined;

/** Loads the library @formulajs/formulajs. Must be called before any function of the library is used. */
export async function loadLibrary(): Promise<void> {
  library ??= await import('@formulajs/formulajs');
}

function getLibraryFunction(path: string): Called {
  let found: unknown = library;
  for (const name of path.split('.')) found = (found as Record<string, unknown> | undefined)?.[name];
  if (typeof found !== 'function') throw new Uncomputable('the functions are not loaded');
  return found as Called;
}

const DAY = 86_400_000;
const EPOCH = Date.UTC(1899, 11, 30);

function toDateSerial(date: Date): Scalar {
  const utc = Date.UTC(
    ...[date.getFullYear(), date.getMonth(), date.getDate()],
    ...([date.getHours(), date.getMinutes(), date.getSeconds()] as const),
  );
  return Number.isNaN(utc) ? new CellError('#VALUE!') : (utc - EPOCH) / DAY;
}

function toCellValue(value: unknown): Scalar {
  if (value instanceof Error) return toCellError(value.message);
  if (value instanceof Date) return toDateSerial(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : new CellError('#NUM!');
  return typeof value === 'string' || typeof value === 'boolean' ? value : new CellError('#VALUE!');
}

const DATES = [
  ...['DATE', 'YEAR', 'MONTH', 'DAY', 'HOUR', 'MINUTE', 'SECOND', 'TIME', 'WEEKDAY', 'WEEKNUM', 'ISOWEEKNUM'],
  ...['EDATE', 'EOMONTH', 'DATEDIF', 'DAYS', 'DAYS360', 'YEARFRAC', 'DATEVALUE', 'TIMEVALUE'],
];
const FINANCE = ['PMT', 'IPMT', 'PPMT', 'FV', 'PV', 'NPER', 'RATE', 'SLN', 'SYD', 'EFFECT', 'NOMINAL'];

/**
 * Statistical functions that use all numbers in their arguments, with the names that the library
 * @formulajs/formulajs gives them.
 */
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

/**
 * Functions of the numbers in a range and one further number, with the names that the library
 * @formulajs/formulajs gives them.
 */
const RANKED: Record<string, string> = {
  LARGE: 'LARGE',
  SMALL: 'SMALL',
  PERCENTILE: 'PERCENTILE.INC',
  'PERCENTILE.INC': 'PERCENTILE.INC',
  QUARTILE: 'QUARTILE.INC',
  'QUARTILE.INC': 'QUARTILE.INC',
};

const wrapValueFunction = (path: string, isDate: boolean) =>
  mapEachCell((values, sheets) => {
    if (isDate && sheets.date1904)
      throw new Uncomputable('date functions are not supported in workbooks that count days from 1904');
    // Empty cells are passed to the library as 0, because the library treats `undefined` as a missing
    // argument.
    return toCellValue(getLibraryFunction(path)(...values.map((value) => value ?? 0)));
  });

const wrapSampleFunction =
  (path: string): FormulaFunction =>
  (call) => {
    const numbers = collectNumbers(call);
    return numbers.length > 0
      ? toCellValue(getLibraryFunction(path)(numbers))
      : new CellError(path === 'MEDIAN' ? '#NUM!' : '#DIV/0!');
  };

const collectNumbersAt = (call: Call, at: number): number[] =>
  collectNumbers({ ...call, args: call.args.slice(at, at + 1) });

const wrapRankedFunction =
  (path: string): FormulaFunction =>
  (call) => {
    const numbers = collectNumbersAt(call, 0);
    return numbers.length > 0
      ? toCellValue(getLibraryFunction(path)(numbers, numberAt(call, 1)))
      : new CellError('#NUM!');
  };

const rank: FormulaFunction = (call) => {
  const [wanted, numbers, ascending] = [
    numberAt(call, 0),
    collectNumbersAt(call, 1),
    numberAt(call, 2) !== 0,
  ];
  if (!numbers.includes(wanted)) return new CellError('#N/A');
  return 1 + numbers.filter((number) => (ascending ? number < wanted : number > wanted)).length;
};

/**
 * Wraps a function of two ranges. The function receives only the positions at which both ranges contain a
 * number.
 */
const wrapPairFunction =
  (path: string): FormulaFunction =>
  (call) => {
    const [a, b] = [0, 1].map((at) => (toMatrix(valueAt(call, at), call) as Matrix).flat()) as [
      Scalar[],
      Scalar[],
    ];
    const wrong = [...a, ...b].find(isError);
    if (wrong) return wrong;
    const both = a.map((value, at) => [value, b[at]] as const);
    const pairs = both.filter(([x, y]) => typeof x === 'number' && typeof y === 'number');
    if (pairs.length < 2) return new CellError('#DIV/0!');
    return toCellValue(
      getLibraryFunction(path)(
        pairs.map(([x]) => x),
        pairs.map(([, y]) => y),
      ),
    );
  };

const createFunctions = <Key extends string>(names: readonly Key[], make: (name: Key) => FormulaFunction) =>
  Object.fromEntries(names.map((name) => [name, make(name)]));

export const LIBRARY: Record<string, FormulaFunction> = {
  ...createFunctions(DATES, (name) => wrapValueFunction(name, true)),
  ...createFunctions(FINANCE, (name) => wrapValueFunction(name, false)),
  ...createFunctions(Object.keys(SAMPLES), (name) => wrapSampleFunction(SAMPLES[name]!)),
  ...createFunctions(Object.keys(RANKED), (name) => wrapRankedFunction(RANKED[name]!)),
  ...createFunctions(['CORREL', 'SLOPE', 'INTERCEPT', 'RSQ'], wrapPairFunction),
  RANK: rank,
  'RANK.EQ': rank,
  NPV: (call) => toCellValue(getLibraryFunction('NPV')(numberAt(call, 0), ...collectNumbers(call, 1))),
  IRR: (call) => toCellValue(getLibraryFunction('IRR')(collectNumbersAt(call, 0), numberAt(call, 1, 0.1))),
};
