import type { Matrix, Scalar } from './values.ts';
import type { FormulaCell } from './workbook.ts';

/** Formula of a workbook with the state of its computation. */
export interface Formula extends FormulaCell {
  sheet: number;
  /** Cells that receive the result of the formula. An array formula fills several cells. */
  filledCells: [row: number, column: number][];
  state: 'pending' | 'computing' | 'computed' | 'failed';
  result: Scalar | Matrix;
  reason: string;
}

export const CIRCULAR = 'it depends on itself';

/**
 * Thrown to compute another cell first, with an empty call stack, because the current call stack is too deep.
 */
export class ComputeFirst extends Error {
  readonly formula: Formula;
  constructor(formula: Formula) {
    super('another cell has to be computed first');
    this.formula = formula;
  }
}

/** Thrown for a circular reference, in which the value of a cell depends on itself. */
export class CircularReference extends Error {
  readonly at: Formula;
  constructor(at: Formula) {
    super(CIRCULAR);
    this.at = at;
  }
}

export function markNotComputed(formula: Formula, reason: string): void {
  formula.state = 'failed';
  formula.reason = reason;
}

export function listFilledCells(
  { row, column, fills }: FormulaCell,
  left: number,
): [row: number, column: number][] {
  const [bottom, right] = [fills?.bottom ?? row, fills?.right ?? column];
  const width = right - column + 1;
  const count = (bottom - row + 1) * width;
  if (count <= 1 || count > left) return [[row, column]];
  return Array.from({ length: count }, (_, at) => [row + Math.trunc(at / width), column + (at % width)]);
}

/**
 * Returns the value of a formula's result in one of the cells that the result fills. A result with a single
 * row or column is repeated in all of them.
 */
export function getResultAt({ result, row, column }: Formula, y: number, x: number): Scalar {
  if (!Array.isArray(result)) return result;
  const line = result.length === 1 ? result[0] : result[y - row];
  return (line?.length === 1 ? line[0] : line?.[x - column]) ?? null;
}
