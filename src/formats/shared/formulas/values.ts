/** Values of cells and formulas. Dates are serial numbers, as sheets keep them. */

export type ErrorCode = '#NULL!' | '#DIV/0!' | '#VALUE!' | '#REF!' | '#NAME?' | '#NUM!' | '#N/A';

export const ERROR_CODES: readonly ErrorCode[] = [
  '#NULL!',
  '#DIV/0!',
  '#VALUE!',
  '#REF!',
  '#NAME?',
  '#NUM!',
  '#N/A',
];

/** An error that a sheet shows in a cell; a value like others, it is not thrown. */
export class CellError {
  readonly code: ErrorCode;
  constructor(code: ErrorCode) {
    this.code = code;
  }
}

export const errorOf = (code: string): CellError =>
  new CellError(ERROR_CODES.find((known) => known === code) ?? '#VALUE!');

/** Null is an empty cell. */
export type Scalar = number | string | boolean | CellError | null;
/** Rows of values, all of one length. */
export type Matrix = Scalar[][];

/** Cells of a sheet, corners included; zero-based. */
export class Area {
  readonly sheet: number;
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  constructor(sheet: number, top: number, left: number, bottom: number, right: number) {
    this.sheet = sheet;
    this.top = Math.min(top, bottom);
    this.left = Math.min(left, right);
    this.bottom = Math.max(top, bottom);
    this.right = Math.max(left, right);
  }
  get isCell(): boolean {
    return this.top === this.bottom && this.left === this.right;
  }
}

export type Value = Scalar | Matrix | Area;

/** Why a formula is not computed; its stored value stays. */
export class Uncomputable extends Error {}

export const isError = (value: unknown): value is CellError => value instanceof CellError;
export const isMatrix = (value: Value): value is Matrix => Array.isArray(value);

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** A number, as operators and most functions take it; text that is none is #VALUE!. */
export function toNumber(value: Scalar): number | CellError {
  if (typeof value === 'number' || isError(value)) return value;
  if (value === null) return 0;
  if (typeof value === 'boolean') return value ? 1 : 0;
  return NUMBER.test(value.trim()) ? Number(value) : new CellError('#VALUE!');
}

export function toText(value: Scalar): string | CellError {
  if (isError(value) || typeof value === 'string') return value;
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  return String(Number(value.toPrecision(15))).replace('e', 'E');
}

export function toBoolean(value: Scalar): boolean | CellError {
  if (isError(value) || typeof value === 'boolean') return value;
  if (typeof value === 'number') return value !== 0;
  if (value === null) return false;
  if (/^true$/i.test(value)) return true;
  return /^false$/i.test(value) ? false : new CellError('#VALUE!');
}

const rank = (value: Scalar) => (typeof value === 'number' ? 0 : typeof value === 'string' ? 1 : 2);

/** Negative, 0 or positive: numbers come before texts, texts (without regard to case) before booleans. */
export function compare(a: Scalar, b: Scalar): number {
  const [left, right] = [a ?? emptyLike(b), b ?? emptyLike(a)];
  if (rank(left) !== rank(right)) return rank(left) - rank(right);
  if (typeof left === 'string' && typeof right === 'string') {
    const [x, y] = [left.toLowerCase(), right.toLowerCase()];
    return x < y ? -1 : x > y ? 1 : 0;
  }
  return Number(left) - Number(right);
}

const emptyLike = (other: Scalar): Scalar =>
  typeof other === 'string' ? '' : typeof other === 'boolean' ? false : 0;

/** Whether two results say the same: numbers to 12 digits, an empty text like an empty cell. */
export function sameValue(a: Scalar, b: Scalar): boolean {
  if (typeof a === 'number' && typeof b === 'number')
    return Math.abs(a - b) <= 1e-12 * Math.max(1, Math.abs(a), Math.abs(b));
  if (isError(a) || isError(b)) return isError(a) && isError(b) && a.code === b.code;
  return (a ?? '') === (b ?? '');
}
