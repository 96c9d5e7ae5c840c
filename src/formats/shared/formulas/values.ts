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

/** An error value that a cell shows, such as #N/A. It is a normal value and is never thrown. */
export class CellError {
  readonly code: ErrorCode;
  constructor(code: ErrorCode) {
    this.code = code;
  }
}

export const toCellError = (code: string): CellError =>
  new CellError(ERROR_CODES.find((known) => known === code) ?? '#VALUE!');

/** A single cell value. `null` is an empty cell. Dates are serial numbers, as spreadsheets store them. */
export type Scalar = number | string | boolean | CellError | null;
/** Rows of cell values. All rows have the same length. */
export type Matrix = Scalar[][];

/** A rectangle of cells in a sheet, including its corners. Rows and columns are 0-based. */
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

/** Thrown with the reason as its message if a formula cannot be computed. The cell keeps its stored value. */
export class Uncomputable extends Error {}

export const isError = (value: unknown): value is CellError => value instanceof CellError;
export const isMatrix = (value: Value): value is Matrix => Array.isArray(value);

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * Converts a cell value to a number in the same way as operators and most spreadsheet functions. Text that is
 * not a number becomes the error #VALUE!.
 */
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

/**
 * Compares two cell values and returns a negative number, 0 or a positive number. Numbers sort before texts,
 * and texts before booleans. Case is ignored.
 */
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

/**
 * Returns whether two formula results are equal. Numbers are equal if their first 12 digits agree, and an
 * empty text equals an empty cell.
 */
export function isSameValue(a: Scalar, b: Scalar): boolean {
  if (typeof a === 'number' && typeof b === 'number')
    return Math.abs(a - b) <= 1e-12 * Math.max(1, Math.abs(a), Math.abs(b));
  if (isError(a) || isError(b)) return isError(a) && isError(b) && a.code === b.code;
  return (a ?? '') === (b ?? '');
}
