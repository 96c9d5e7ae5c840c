import type { Expression } from '#src/formats/shared/formulas/expression.ts';
import {
  type FormulaPosition,
  type FormulaSheets,
  toSingleValue,
} from '#src/formats/shared/formulas/sheets.ts';
import {
  Area,
  CellError,
  isError,
  isMatrix,
  type Matrix,
  type Scalar,
  toBoolean,
  toNumber,
  toText,
  type Value,
} from '#src/formats/shared/formulas/values.ts';

/** Call of a spreadsheet function such as SUM, with arguments that have not been evaluated yet. */
export interface Call {
  args: readonly Expression[];
  sheets: FormulaSheets;
  position: FormulaPosition;
  evaluate(expression: Expression, sheets: FormulaSheets, position: FormulaPosition): Value;
}

export type FormulaFunction = (call: Call) => Value;

export const valueAt = ({ args, sheets, position, evaluate }: Call, at: number): Value =>
  args[at] ? evaluate(args[at], sheets, position) : null;

export const scalarAt = (call: Call, at: number): Scalar =>
  toSingleValue(valueAt(call, at), call.sheets, call.position);

/**
 * Converts a value to rows of cell values. An area becomes its cells, and a single value becomes a matrix
 * with one cell.
 */
export function toMatrix(value: Value, { sheets }: Call): Matrix {
  if (value instanceof Area) return sheets.matrix(value);
  return isMatrix(value) ? value : [[value]];
}

export const isMissing = ({ args }: Call, at: number) => !args[at] || args[at].kind === 'missing';

/** Thrown inside a spreadsheet function to return an error value, such as #N/A, as the function's result. */
export class ErrorResult extends Error {
  readonly error: CellError;
  constructor(error: CellError) {
    super(error.code);
    this.error = error;
  }
}

function unwrapError<Type>(value: Type | CellError): Type {
  if (isError(value)) throw new ErrorResult(value);
  return value as Type;
}

export const fail = (code: CellError['code']): never => unwrapError<never>(new CellError(code));

/**
 * Returns an argument as a number, or `otherwise` if the argument is missing. If the argument is an error
 * value, the whole function returns that error value.
 */
export function numberAt(call: Call, at: number, otherwise = 0): number {
  return isMissing(call, at) ? otherwise : unwrapError(toNumber(scalarAt(call, at)));
}
export const textAt = (call: Call, at: number): string => unwrapError(toText(scalarAt(call, at)));
export function booleanAt(call: Call, at: number, otherwise = false): boolean {
  return isMissing(call, at) ? otherwise : unwrapError(toBoolean(scalarAt(call, at)));
}

/**
 * Collects the numbers in the arguments of a function. In ranges, only cells that contain numbers count.
 * Single values are converted to numbers.
 */
export function collectNumbers(call: Call, from = 0): number[] {
  const numbers: number[] = [];
  for (let at = from; at < call.args.length; at++) {
    const value = valueAt(call, at);
    if (value instanceof Area || isMatrix(value)) {
      for (const row of toMatrix(value, call)) {
        for (const cell of row) {
          unwrapError(cell);
          if (typeof cell === 'number') numbers.push(cell);
        }
      }
    } else if (value !== null || call.args[at]?.kind === 'missing')
      numbers.push(unwrapError(toNumber(value)));
  }
  return numbers;
}

/** Collects all values in the arguments of a function, including the cells of ranges. */
export const collectValues = (call: Call, from = 0): Scalar[] =>
  call.args.slice(from).flatMap((_, at) => toMatrix(valueAt(call, at + from), call).flat());
