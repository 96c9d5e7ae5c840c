import type { Expression } from '#src/formats/shared/formulas/expression.ts';
import { type Place, type Sheets, single } from '#src/formats/shared/formulas/sheets.ts';
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

/** A call as its function gets it: arguments that nothing has looked at yet. */
export interface Call {
  args: readonly Expression[];
  sheets: Sheets;
  place: Place;
  evaluate(expression: Expression, sheets: Sheets, place: Place): Value;
}

export type FormulaFunction = (call: Call) => Value;

export const valueAt = ({ args, sheets, place, evaluate }: Call, at: number): Value =>
  args[at] ? evaluate(args[at], sheets, place) : null;

export const scalarAt = (call: Call, at: number): Scalar =>
  single(valueAt(call, at), call.sheets, call.place);

/** Rows of a value: of an area its cells, of one value a matrix of one. */
export function rowsOf(value: Value, { sheets }: Call): Matrix {
  if (value instanceof Area) return sheets.matrix(value);
  return isMatrix(value) ? value : [[value]];
}

export const isMissing = ({ args }: Call, at: number) => !args[at] || args[at].kind === 'missing';

/** Thrown inside functions, where it is their result. */
export class ErrorResult extends Error {
  readonly error: CellError;
  constructor(error: CellError) {
    super(error.code);
    this.error = error;
  }
}

function sound<Type>(value: Type | CellError): Type {
  if (isError(value)) throw new ErrorResult(value);
  return value as Type;
}

export const fail = (code: CellError['code']): never => sound<never>(new CellError(code));

/** An argument as a number; `otherwise` where it is absent. Errors of it are the function's result. */
export function numberAt(call: Call, at: number, otherwise = 0): number {
  return isMissing(call, at) ? otherwise : sound(toNumber(scalarAt(call, at)));
}
export const textAt = (call: Call, at: number): string => sound(toText(scalarAt(call, at)));
export function booleanAt(call: Call, at: number, otherwise = false): boolean {
  return isMissing(call, at) ? otherwise : sound(toBoolean(scalarAt(call, at)));
}

/** Numbers among arguments: of ranges only what is a number there, of single values what can be read as one. */
export function numbersOf(call: Call, from = 0): number[] {
  const numbers: number[] = [];
  for (let at = from; at < call.args.length; at++) {
    const value = valueAt(call, at);
    if (value instanceof Area || isMatrix(value)) {
      for (const row of rowsOf(value, call)) {
        for (const cell of row) {
          sound(cell);
          if (typeof cell === 'number') numbers.push(cell);
        }
      }
    } else if (value !== null || call.args[at]?.kind === 'missing') numbers.push(sound(toNumber(value)));
  }
  return numbers;
}

/** All values of the arguments, one after the other. */
export const everyValue = (call: Call, from = 0): Scalar[] =>
  call.args.slice(from).flatMap((_, at) => rowsOf(valueAt(call, at + from), call).flat());
